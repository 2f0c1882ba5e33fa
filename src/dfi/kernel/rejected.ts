import { EncodeError } from '../../primitives/codec.js';

/** Consequences of a rejection. */
export interface RejectionKind {
  /** True: makes the block invalid at every height, not only from Dakota on. */
  readonly fatal?: boolean;
  /** An account has too little; the wallet adds a hint about `utxostoaccount` to the error. */
  readonly lacksBalance?: boolean;
}

/**
 * A broken rule of the DeFi state. The text equals that of `defid` without the type's name in front, because clients match it.
 * `execution/apply.ts` decides whether the block is invalid or only the transaction's effects are dropped.
 */
export class TxRejected extends Error {
  override name = 'TxRejected';
  readonly fatal: boolean;
  readonly lacksBalance: boolean;

  constructor(message: string, { fatal = false, lacksBalance = false }: RejectionKind = {}) {
    super(message);
    this.fatal = fatal;
    this.lacksBalance = lacksBalance;
  }
}

/**
 * Arithmetic without a result, such as a division by zero: the transaction or event that needed it fails. Any other `RangeError` (stack
 * overflow, invalid array length) depends on the machine and must not decide about a block.
 */
export class ArithmeticError extends RangeError {
  override name = 'ArithmeticError';
}

/** Errors of arithmetic, or of a value that does not fit its format. They are the same on every machine, so they may fail a transaction. */
export function isUncomputable(error: unknown): boolean {
  return error instanceof ArithmeticError || error instanceof EncodeError;
}

/** True for errors that `defid` returns as a failed `Res`: a broken rule or uncomputable arithmetic, not a fault of the node. */
export function isRejection(error: unknown): boolean {
  return error instanceof TxRejected || isUncomputable(error);
}

/** Runs a change and ignores a rejection. State changes made before it are kept. */
export function ignoreRejection(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!isRejection(error)) throw error;
  }
}

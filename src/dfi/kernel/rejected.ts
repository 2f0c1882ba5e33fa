import { EncodeError } from '../../primitives/codec.js';

export interface RejectionKind {
  /** Fails its block at every height, not only from Dakota on. */
  readonly fatal?: boolean;
  /** An account has too little: creators of transactions are told to fill it. */
  readonly lacksBalance?: boolean;
}

/**
 * A rule of the DeFi state that is broken. The text is the reference's, without the type's name in front; clients match it. Whether
 * the block fails with it or only the transaction's effects are dropped is decided by `apply.ts`.
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
 * Arithmetic without a result, such as a division by zero: a failure of the transaction or event that asked for it. Any other
 * `RangeError` (a stack that is full, a length that is none) depends on the machine and is never a verdict.
 */
export class ArithmeticError extends RangeError {
  override name = 'ArithmeticError';
}

/** Arithmetic without a result, or a value without room in its format: the same on every machine, so it may decide about a transaction. */
export function isUncomputable(error: unknown): boolean {
  return error instanceof ArithmeticError || error instanceof EncodeError;
}

/** Whether the rules refuse something or an amount has no room: what the reference answers with a failed result, not with a fault. */
export function isRefusal(error: unknown): boolean {
  return error instanceof TxRejected || isUncomputable(error);
}

/** Goes on where something is refused; what it did before that stays. */
export function ignoreRefusal(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

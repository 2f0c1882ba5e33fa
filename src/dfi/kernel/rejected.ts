import { isActive } from '../../params/network.js';
import { EncodeError } from '../../primitives/codec.js';
import { TracelessError } from '../../util/errors.js';
import type { HeightContext } from './block-context.js';

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
export class TxRejected extends TracelessError {
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

/** Fault at which `defid` throws an exception instead of returning an error: the transaction fails with another text. */
export class ThrownFault extends TracelessError {
  override name = 'ThrownFault';
}

/** Error text with a percent sign, which `defid` 3.2.8 takes for a format: the transaction or operation that should report it fails. */
export class FormatFault extends ThrownFault {
  override name = 'FormatFault';

  constructor() {
    super('tinyformat: Too many conversion specifiers in format string');
  }
}

/** Errors of arithmetic, of a text, or of a value of a wrong form. They are the same on every machine, so they may fail a transaction. */
export function isUncomputable(error: unknown): boolean {
  return error instanceof ArithmeticError || error instanceof EncodeError || error instanceof ThrownFault;
}

/**
 * Error text that quotes a name and that `defid` 3.2.8 formats twice: below Metachain two percent signs in a row become one.
 * @throws {FormatFault} below Metachain for a percent sign alone
 */
export function formattedTwice(text: string, { height, params }: HeightContext): string {
  if (isActive(params, 'metachain', height)) return text;
  if (text.replaceAll('%%', '').includes('%')) throw new FormatFault();
  return text.replaceAll('%%', '%');
}

/** True for errors that `defid` returns as a failed `Res`: a broken rule or uncomputable arithmetic, not a fault of the node. */
export function isRejection(error: unknown): boolean {
  return error instanceof TxRejected || isUncomputable(error);
}

/** True for a broken rule only: uncomputable arithmetic is an exception in `defid` too, which ends the enclosing step. */
function isBrokenRule(error: unknown): boolean {
  return error instanceof TxRejected;
}

/**
 * Runs a step that may be rejected. State changes made before the rejection are kept.
 * @param ignores errors that are ignored; by default broken rules only, with {@link isRejection} also uncomputable arithmetic
 * @returns result of the step; undefined if it was rejected
 */
export function unlessRejected<T>(step: () => T, ignores: (error: unknown) => boolean = isBrokenRule): T | undefined {
  try {
    return step();
  } catch (error) {
    if (ignores(error)) return undefined;
    throw error;
  }
}

/** Runs a step like {@link unlessRejected}. @returns false if it was rejected */
export function ignoreRejection(step: () => void, ignores?: (error: unknown) => boolean): boolean {
  const done = unlessRejected(() => {
    step();
    return true;
  }, ignores);
  return done ?? false;
}

/** Runs a step and replaces its rejection by another one. */
export function mapRejection<T>(step: () => T, replacement: (rejected: TxRejected) => TxRejected): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof TxRejected) throw replacement(error);
    throw error;
  }
}

/** Runs a step and puts a name in front of the text of its rejection. */
export function prefixRejection<T>(name: string, step: () => T): T {
  return mapRejection(step, (rejected) => new TxRejected(`${name}: ${rejected.message}`, rejected));
}

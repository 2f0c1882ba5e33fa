import { isMoneyRange, parseAmount } from '../primitives/amount.js';
import { HASH_DIGITS } from '../primitives/hash.js';
import { fromHex, isHex } from '../util/bytes.js';
import { invalidParameter, NodeError } from '../util/errors.js';
import { JsonNumber, type JsonValue } from '../util/json.js';

/** Parse and format of what proto has no type for. The texts are those of docs/protocol/rpc-chain.md 1.8 and 1.10. */

/**
 * A hash as it is shown, to 32 bytes in wire order.
 * @param name how the error calls the argument
 */
export function parseHash(text: string, name: string): Uint8Array {
  const length = Buffer.byteLength(text, 'utf8');
  if (length !== HASH_DIGITS) {
    throw invalidParameter(`${name} must be of length ${HASH_DIGITS} (not ${length}, for '${text}')`);
  }
  return parseHex(text, name).reverse();
}

/** Bytes of a non-empty hex argument, in an array of their own. */
export function parseHex(text: string, name: string): Uint8Array {
  if (!isHex(text)) throw invalidParameter(`${name} must be hexadecimal string (not '${text}')`);
  return fromHex(text);
}

/** Satoshis of an amount of DFI given as a JSON number or string: exact, 0 to the maximum. */
export function parseAmountArgument(value: JsonValue): bigint {
  return parseAmountText(decimalText(value));
}

/** As `parseAmountArgument`, but with sign and of any size. */
export function parseDecimalArgument(value: JsonValue): bigint {
  return parseDecimal(decimalText(value));
}

function decimalText(value: JsonValue): string {
  if (typeof value !== 'string' && !(value instanceof JsonNumber)) throw new NodeError('type', 'Amount is not a number or string');
  return typeof value === 'string' ? value : value.text;
}

/** As `parseAmountArgument`, from the text of either. */
export function parseAmountText(text: string): bigint {
  const amount = parseDecimal(text);
  if (!isMoneyRange(amount)) throw new NodeError('type', 'Amount out of range');
  return amount;
}

/** Satoshis with sign, of any size that eight decimals and 18 digits hold. */
export function parseDecimal(text: string): bigint {
  const amount = parseAmount(text);
  if (amount === undefined) throw new NodeError('type', 'Invalid amount');
  return amount;
}

export interface TokenAmountText {
  /** Satoshis, above 0. */
  readonly amount: bigint;
  /** What stands behind the last `@`; empty is DFI. */
  readonly token: string;
}

/** `<amount>[@<token>]`, split at the last `@`. Which token it names is for the state to say. */
export function parseTokenAmount(text: string): TokenAmountText {
  const at = text.lastIndexOf('@');
  const amount = parseDecimal(at < 0 ? text : text.slice(0, at));
  if (amount <= 0n) throw new NodeError('type', 'Amount out of range');
  return { amount, token: at < 0 ? '' : text.slice(at + 1) };
}

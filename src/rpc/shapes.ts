import { isMoneyRange, parseAmount } from '../primitives/amount.js';
import { HASH_DIGITS } from '../primitives/hash.js';
import { fromHex, isHex } from '../util/bytes.js';
import { invalidParameter, NodeError } from '../util/errors.js';
import { JsonNumber, type JsonValue } from '../util/json.js';

/** Parsers of hashes and amounts, for which proto has no type. The error texts are those of docs/protocol/rpc-chain.md 1.8 and 1.10. */

/**
 * Parses a hash in display order.
 * @returns 32 bytes in wire order
 * @param name of the argument in the error text
 */
export function parseHash(text: string, name: string): Uint8Array {
  const length = Buffer.byteLength(text, 'utf8');
  if (length !== HASH_DIGITS) {
    throw invalidParameter(`${name} must be of length ${HASH_DIGITS} (not ${length}, for '${text}')`);
  }
  return parseHex(text, name).reverse();
}

/** Bytes of a non-empty hex argument, in a new array. */
export function parseHex(text: string, name: string): Uint8Array {
  if (!isHex(text)) throw invalidParameter(`${name} must be hexadecimal string (not '${text}')`);
  return fromHex(text);
}

/** Satoshis of an amount of DFI, a JSON number or string: exact, from 0 to the maximum supply. */
export function parseAmountArgument(value: JsonValue): bigint {
  return parseAmountText(decimalText(value));
}

/** Like `parseAmountArgument`, but also negative or above the maximum supply. */
export function parseDecimalArgument(value: JsonValue): bigint {
  return parseDecimal(decimalText(value));
}

function decimalText(value: JsonValue): string {
  if (typeof value !== 'string' && !(value instanceof JsonNumber)) throw new NodeError('type', 'Amount is not a number or string');
  return typeof value === 'string' ? value : value.text;
}

/** Like `parseAmountArgument`, for the text of a number or string. */
export function parseAmountText(text: string): bigint {
  const amount = parseDecimal(text);
  if (!isMoneyRange(amount)) throw new NodeError('type', 'Amount out of range');
  return amount;
}

/** Signed satoshis of a decimal number with up to 18 digits, eight of them decimals. */
export function parseDecimal(text: string): bigint {
  const amount = parseAmount(text);
  if (amount === undefined) throw new NodeError('type', 'Invalid amount');
  return amount;
}

export interface TokenAmountText {
  /** Satoshis, above 0. */
  readonly amount: bigint;
  /** Text after the last `@`; empty for DFI. */
  readonly token: string;
}

/** Parses `<amount>[@<token>]`, split at the last `@`. The caller looks the token up in the state. */
export function parseTokenAmount(text: string): TokenAmountText {
  const at = text.lastIndexOf('@');
  const amount = parseDecimal(at < 0 ? text : text.slice(0, at));
  if (amount <= 0n) throw new NodeError('type', 'Amount out of range');
  return { amount, token: at < 0 ? '' : text.slice(at + 1) };
}

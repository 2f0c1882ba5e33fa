import { wordBytes } from '../evm/words.js';
import { fromHex, toHex } from '../util/bytes.js';
import type { JsonValue } from '../util/json.js';
import { customError } from './errors.js';
import { Unreadable, wrongType, wrongTypeOfAny } from './unreadable.js';

const MAX_INDEX = (1n << 64n) - 1n;
const MAX_QUANTITY_DIGITS = 64;
const ADDRESS_DIGITS = 40;
const HASH_DIGITS = 64;

/** A number as hex without leading zeros. */
export function formatQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** Bytes in their order. */
export function formatBytes(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

/** A word as 32 bytes. */
export function formatWord(word: bigint): string {
  return formatBytes(wordBytes(word));
}

/** An address that is held as a number. */
export function formatAddress(address: bigint): string {
  return `0x${address.toString(16).padStart(ADDRESS_DIGITS, '0')}`;
}

/**
 * Reads a number: up to 64 hex digits, with or without `0x`. White space is skipped, as in `defid`, but counts in the length, which decides
 * whether the first digit is a byte of its own; a digit without its second at the end is dropped.
 * @throws {Unreadable}
 */
export function parseQuantity(value: JsonValue): bigint {
  const digits = hexDigits(value, HEX_NUMBER, (length) => length > 0 && length <= MAX_QUANTITY_DIGITS);
  return digits === '' ? 0n : BigInt(`0x${digits}`);
}

/** Value of a quantity as an index or an id. @throws {EthereumError} beyond 64 bits */
export function indexOf(quantity: bigint): bigint {
  if (quantity > MAX_INDEX) throw customError('integer overflow when casting to usize');
  return quantity;
}

/** Reads an address of 20 bytes, with or without `0x`. @throws {Unreadable} */
export function parseAddress(value: JsonValue): bigint {
  return BigInt(`0x${hexDigits(value, HEX_ADDRESS, (length) => length === ADDRESS_DIGITS).padEnd(ADDRESS_DIGITS, '0')}`);
}

/** Reads a hash of 32 bytes, with or without `0x`. @throws {Unreadable} */
export function parseHash(value: JsonValue): Uint8Array {
  return fromHex(hexDigits(value, HEX_HASH, (length) => length === HASH_DIGITS).padEnd(HASH_DIGITS, '0'));
}

/** Reads bytes: `0x` and an even number of hex digits. @throws {Unreadable} */
export function parseBytes(value: JsonValue): Uint8Array {
  if (typeof value !== 'string') throw wrongTypeOfAny(value, 'a 0x-prefixed, hex-encoded vector of bytes');
  if (!value.startsWith('0x') || Buffer.byteLength(value) % 2 !== 0) {
    throw new Unreadable('Invalid bytes format. Expected a 0x-prefixed hex string with even length');
  }
  const given = value.slice(2);
  if (PLAIN_DIGITS.test(given)) return fromHex(given);
  const wrong = given.search(/[^0-9a-fA-F \r\n\t]/u);
  if (wrong !== -1) {
    const character = String.fromCodePoint(value.codePointAt(wrong + 2) ?? 0);
    throw new Unreadable(`Invalid hex: Invalid character '${character}' at position ${wrong}`);
  }
  const digits = withoutBlanks(given);
  if (digits.length % 2 !== 0) throw new Unreadable('Invalid hex: Invalid input length');
  return fromHex(digits);
}

/** Digits between blanks. By byte, because the replacement of millions of blanks takes more than a second. */
function withoutBlanks(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte > SPACE) bytes[length++] = byte;
  }
  return bytes.toString('latin1', 0, length);
}

/** Reads a boolean. @throws {Unreadable} */
export function parseBoolean(value: JsonValue): boolean {
  if (typeof value !== 'boolean') throw wrongType(value, 'a boolean');
  return value;
}

/** Reads a text. @throws {Unreadable} */
export function parseText(value: JsonValue): string {
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  return value;
}

const HEX = 'a (both 0x-prefixed or not) hex string or byte array containing';
const HEX_NUMBER = `${HEX} between (0; 32] bytes`;
const HEX_ADDRESS = `${HEX} 20 bytes`;
const HEX_HASH = `${HEX} 32 bytes`;
const PLAIN_DIGITS = /^[0-9a-fA-F]*$/;
const BLANK = /[ \r\n\t]/g;
const SPACE = 0x20;

/** Digits of whole bytes. */
function hexDigits(value: JsonValue, expected: string, isLength: (length: number) => boolean): string {
  if (typeof value !== 'string') throw wrongType(value, expected);
  const prefix = value.startsWith('0x') ? 2 : 0;
  const digits = value.slice(prefix);
  const length = Buffer.byteLength(digits);
  if (!isLength(length)) throw new Unreadable(`invalid length ${length}, expected ${expected}`);
  return PLAIN_DIGITS.test(digits) ? digits : looseDigits(digits, prefix);
}

function looseDigits(text: string, prefix: number): string {
  const bytes = Buffer.from(text).toString('latin1');
  const wrong = bytes.search(/[^0-9a-fA-F \r\n\t]/);
  if (wrong !== -1) throw new Unreadable(`invalid hex character: ${bytes.charAt(wrong)}, at ${wrong + prefix}`);
  const digits = text.replace(BLANK, '');
  return digits.slice(0, digits.length - ((digits.length - text.length) & 1));
}

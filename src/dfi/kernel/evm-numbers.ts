import { EMPTY_BYTES, fromHex, toHex } from '../../util/bytes.js';
import { ArithmeticError } from './rejected.js';

/** The EVM counts in wei: 18 decimals where the native side has 8. */
const WEI_PER_SATOSHI = 10_000_000_000n;
const WORD_SIZE = 32;

export function toWei(satoshis: bigint): bigint {
  return satoshis * WEI_PER_SATOSHI;
}

/** Rounded down. */
export function toSatoshis(wei: bigint): bigint {
  return wei / WEI_PER_SATOSHI;
}

/** Big-endian without zeros in front; 0 is no bytes. */
export function encodeInteger(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  const digits = value.toString(16);
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** 32 bytes, big-endian. @throws {ArithmeticError} for a number that has more */
export function encodeWord(value: bigint): Uint8Array {
  if (value < 0n || value >> 256n !== 0n) throw new ArithmeticError('not a number of 256 bits');
  return fromHex(value.toString(16).padStart(2 * WORD_SIZE, '0'));
}

/** Number of big-endian bytes. */
export function decodeNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

import { fromHex } from '../../util/bytes.js';
import { ArithmeticError } from './rejected.js';

/** The EVM counts in wei (18 decimals), the DVM in satoshis (8 decimals). */
const WEI_PER_SATOSHI = 10_000_000_000n;
const WORD_SIZE = 32;

/** Exact: 1 satoshi = 10^10 wei. */
export function toWei(satoshis: bigint): bigint {
  return satoshis * WEI_PER_SATOSHI;
}

/** Rounds down. */
export function toSatoshis(wei: bigint): bigint {
  return wei / WEI_PER_SATOSHI;
}

/** 32 bytes, big-endian. @throws {ArithmeticError} if the number is negative or exceeds 256 bits */
export function encodeWord(value: bigint): Uint8Array {
  if (value < 0n || value >> 256n !== 0n) throw new ArithmeticError('number exceeds 256 bits');
  return fromHex(value.toString(16).padStart(2 * WORD_SIZE, '0'));
}

import { EMPTY_BYTES, fromHex, toHex } from '../util/bytes.js';

/** Bytes of a word of the EVM. */
export const WORD_SIZE = 32;
/** Bytes of an address. */
export const ADDRESS_SIZE = 20;
/** Largest value of a word: 2^256 - 1. */
export const MAX_WORD: bigint = (1n << 256n) - 1n;

const MAX_U64 = (1n << 64n) - 1n;
const LIMB_BITS = 64n;
const SMALL = Array.from({ length: 256 }, (_, value) => BigInt(value));

/** Word of a byte, from a table: cheaper than a new number. */
export function wordOfByte(byte: number): bigint {
  return SMALL[byte] as bigint;
}

/**
 * Big-endian number of `size` bytes at an offset; bytes beyond the end count as zero.
 * @param size at most 32
 */
export function readWord(bytes: Uint8Array, offset: number, size = WORD_SIZE): bigint {
  let word = 0n;
  let at = offset;
  for (let rest = size; rest > 0; ) {
    const step = rest > 6 ? 6 : rest;
    let limb = 0;
    for (let i = 0; i < step; i++) limb = limb * 256 + (bytes[at + i] ?? 0);
    word = word === 0n ? BigInt(limb) : (word << BigInt(8 * step)) | BigInt(limb);
    at += step;
    rest -= step;
  }
  return word;
}

/** Writes a word as 32 bytes, big-endian. */
export function writeWord(view: DataView, offset: number, word: bigint): void {
  if (word <= MAX_U64) {
    view.setBigUint64(offset, 0n);
    view.setBigUint64(offset + 8, 0n);
    view.setBigUint64(offset + 16, 0n);
    view.setBigUint64(offset + 24, word);
    return;
  }
  view.setBigUint64(offset, word >> (3n * LIMB_BITS));
  view.setBigUint64(offset + 8, word >> (2n * LIMB_BITS));
  view.setBigUint64(offset + 16, word >> LIMB_BITS);
  view.setBigUint64(offset + 24, word);
}

/** Shared memory for one word: a new view of new bytes would cost more than the copy. */
const scratch = new Uint8Array(WORD_SIZE);
const scratchView = new DataView(scratch.buffer);

/** The 32 bytes of a word, big-endian. */
export function wordBytes(word: bigint): Uint8Array {
  writeWord(scratchView, 0, word);
  return scratch.slice();
}

/** The 20 bytes of an address that is held as a number. */
export function addressBytes(address: bigint): Uint8Array {
  writeWord(scratchView, 0, address);
  return scratch.slice(WORD_SIZE - ADDRESS_SIZE);
}

/** `0x` and 40 lower-case digits. */
export function addressHex(address: bigint): string {
  return `0x${toHex(addressBytes(address))}`;
}

/** Number of an address of 20 bytes. */
export function addressWord(bytes: Uint8Array): bigint {
  return readWord(bytes, 0, ADDRESS_SIZE);
}

/** A word as an offset or length. @returns Infinity beyond 2^32, which no gas pays for */
export function wordToSize(word: bigint): number {
  return word <= 0xffffffffn ? Number(word) : Number.POSITIVE_INFINITY;
}

/** Number of bits; 0 for zero. */
export function bitLength(word: bigint): number {
  return word === 0n ? 0 : word.toString(2).length;
}

/** Big-endian bytes without leading zeros, as RLP requires; 0 has no bytes. */
export function encodeInteger(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  if (value <= 0xffffffffn) return encodeSmall(Number(value));
  const digits = value.toString(16);
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** @param value below 2^32, not 0 */
function encodeSmall(value: number): Uint8Array {
  const bytes = new Uint8Array(value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x1000000 ? 3 : 4);
  for (let i = bytes.length - 1, rest = value; i >= 0; i--, rest >>>= 8) bytes[i] = rest & 255;
  return bytes;
}

/** Value of big-endian bytes of any length; 0 for none. */
export function decodeNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

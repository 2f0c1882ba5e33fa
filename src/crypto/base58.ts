import { base58 } from '@scure/base';
import { equalBytes } from '../util/bytes.js';
import { trimEnds } from '../util/trim.js';
import { sha256d, writeChecksum } from './hash.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CHECKSUM_SIZE = 4;
/** Maximum digits with checksum. Extended keys, the longest, have 111; the time of decoding grows with the square. */
const MAX_CHECKED_DIGITS = 256;

/** Character codes of the digits. */
const CODES = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));

// Long division uses 24-bit limbs and four digits per pass: remainder and limb together stay below 2^48, exact in a double.
const LIMB_BYTES = 3;
const LIMB = 2 ** (8 * LIMB_BYTES);
const PASS_DIGITS = 4;
const PASS = 58 ** PASS_DIGITS;

/** Values of common size use a shared buffer, since allocation takes as long as the division. */
const SCRATCH_BYTES = 96;
const scratchLimbs = new Float64Array(limbCount(SCRATCH_BYTES));
const scratchDigits = Buffer.alloc(digitRoom(SCRATCH_BYTES, SCRATCH_BYTES));

function limbCount(size: number): number {
  return Math.ceil(size / LIMB_BYTES);
}

/** Maximum number of digits: 4.1 per limb, and those of the last pass. */
function digitRoom(size: number, zeros: number): number {
  return zeros + 5 * limbCount(size) + PASS_DIGITS;
}

/**
 * Encodes bytes as Base58; each leading zero byte is one `1`. Listings encode 10^5 addresses at a time: `base58.encode` of `@scure/base`
 * takes 2.1 times as long for an address.
 */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (bytes[zeros] === 0) zeros += 1;
  const count = limbCount(bytes.length);
  const isShort = bytes.length <= SCRATCH_BYTES;
  const limbs = isShort ? scratchLimbs : new Float64Array(count);
  const digits = isShort ? scratchDigits : Buffer.allocUnsafe(digitRoom(bytes.length, zeros));
  writeLimbs(bytes, limbs, count);
  // Digits are written from the end.
  let at = digits.length;
  for (let first = firstNonZero(limbs, 0, count); first < count; first = firstNonZero(limbs, first, count)) {
    let remainder = 0;
    for (let i = first; i < count; i++) {
      const value = remainder * LIMB + (limbs[i] as number);
      const quotient = Math.floor(value / PASS);
      limbs[i] = quotient;
      remainder = value - quotient * PASS;
    }
    for (let i = 0; i < PASS_DIGITS; i++) {
      const rest = (remainder / 58) | 0;
      digits[--at] = CODES[remainder - rest * 58] as number;
      remainder = rest;
    }
  }
  while (digits[at] === CODES[0]) at += 1;
  for (let i = 0; i < zeros; i++) digits[--at] = CODES[0] as number;
  return digits.toString('latin1', at);
}

/** Decodes Base58. @returns undefined if a character is not a digit */
export function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}

/** Base58Check: payload and the first four bytes of its double SHA-256. */
export function encodeBase58Check(payload: Uint8Array): string {
  const bytes = new Uint8Array(payload.length + CHECKSUM_SIZE);
  bytes.set(payload);
  writeChecksum(payload, bytes, payload.length, CHECKSUM_SIZE);
  return encodeBase58(bytes);
}

const HASH_SIZE = 20;
/** Shared buffer for addresses, which are encoded synchronously. */
const addressBytes = new Uint8Array(1 + HASH_SIZE + CHECKSUM_SIZE);
const addressPayload = addressBytes.subarray(0, 1 + HASH_SIZE);

/** An address with the bytes that it encodes. */
interface EncodedHash {
  readonly prefix: number;
  readonly hash: Uint8Array;
  readonly text: string;
}

/** Addresses encoded recently, in the slot of the first bits of their hash: about half a megabyte. Comparing takes a tenth of encoding. */
const recentHashes: (EncodedHash | undefined)[] = new Array(2 ** 12).fill(undefined);

/** Base58Check of a prefix byte and a hash of 20 bytes, as for addresses. */
export function encodeBase58Hash(prefix: number, hash: Uint8Array): string {
  const slot = (((hash[0] as number) << 4) | ((hash[1] as number) >> 4)) & (recentHashes.length - 1);
  const recent = recentHashes[slot];
  if (recent?.prefix === prefix && equalBytes(recent.hash, hash)) return recent.text;
  const text = encodeHash(prefix, hash);
  recentHashes[slot] = { prefix, hash: Uint8Array.from(hash), text };
  return text;
}

function encodeHash(prefix: number, hash: Uint8Array): string {
  addressBytes[0] = prefix;
  addressBytes.set(hash, 1);
  writeChecksum(addressPayload, addressBytes, addressPayload.length, CHECKSUM_SIZE);
  return encodeBase58(addressBytes);
}

/** Payload of Base58Check text; undefined if the checksum is wrong. White space around the text is ignored, as in `defid`. */
export function decodeBase58Check(text: string): Uint8Array | undefined {
  // To `defid` the text ends at a NUL.
  const end = text.indexOf('\0');
  const digits = trimEnds(end < 0 ? text : text.slice(0, end), ' \f\n\r\t\v');
  if (digits.length > MAX_CHECKED_DIGITS) return undefined;
  const bytes = decodeBase58(digits);
  if (bytes === undefined || bytes.length < CHECKSUM_SIZE) return undefined;
  const payload = bytes.subarray(0, -CHECKSUM_SIZE);
  return equalBytes(sha256d(payload).subarray(0, CHECKSUM_SIZE), bytes.subarray(-CHECKSUM_SIZE)) ? payload : undefined;
}

/** Writes bytes as big-endian limbs; the first one is short if the length is not a multiple of three. */
function writeLimbs(bytes: Uint8Array, limbs: Float64Array, count: number): void {
  let at = bytes.length - 1;
  for (let i = count - 1; i > 0; i--, at -= LIMB_BYTES) {
    limbs[i] = (bytes[at] as number) | ((bytes[at - 1] as number) << 8) | ((bytes[at - 2] as number) << 16);
  }
  if (count > 0)
    limbs[0] = (bytes[at] as number) | ((at > 0 ? (bytes[at - 1] as number) : 0) << 8) | ((at > 1 ? (bytes[at - 2] as number) : 0) << 16);
}

function firstNonZero(limbs: Float64Array, from: number, count: number): number {
  let at = from;
  while (at < count && limbs[at] === 0) at += 1;
  return at;
}

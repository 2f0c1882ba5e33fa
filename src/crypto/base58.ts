import { equalBytes } from '../util/bytes.js';
import { sha256d } from './hash.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CHECKSUM_SIZE = 4;
/** Nothing that the network writes with a checksum is longer (an extended key has 111 digits); the work grows with the square. */
const MAX_CHECKED_DIGITS = 256;

/** Character codes of the digits. */
const CODES = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));

/** Value of a digit by its character code; 255 for other characters. */
const DIGITS = new Uint8Array(256).fill(255);
for (let i = 0; i < ALPHABET.length; i++) DIGITS[ALPHABET.charCodeAt(i)] = i;

// Long division works on 24-bit limbs and takes four digits a pass: remainder and limb together stay below 2^48, exact in a double.
const LIMB_BYTES = 3;
const LIMB = 2 ** (8 * LIMB_BYTES);
const PASS_DIGITS = 4;
const PASS = 58 ** PASS_DIGITS;

/** Base58 of the bytes; each leading zero byte is one `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (bytes[zeros] === 0) zeros += 1;
  const limbs = toLimbs(bytes);
  // Digits are written from the end: at most 4.1 of them a limb, and those of the last pass.
  const digits = Buffer.allocUnsafe(zeros + 5 * limbs.length + PASS_DIGITS);
  let at = digits.length;
  for (let first = firstNonZero(limbs, 0); first < limbs.length; first = firstNonZero(limbs, first)) {
    let remainder = 0;
    for (let i = first; i < limbs.length; i++) {
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

/** Bytes of Base58 text. @returns undefined if a character is no digit */
export function decodeBase58(text: string): Uint8Array | undefined {
  let zeros = 0;
  while (text[zeros] === '1') zeros += 1;
  // 58 is a little less than 2^6: six bits a digit are room enough.
  const limbs = new Float64Array(Math.ceil((text.length * 6) / (8 * LIMB_BYTES)));
  let used = limbs.length;
  for (let at = zeros; at < text.length; ) {
    const end = Math.min(at + PASS_DIGITS, text.length);
    let carry = 0;
    let factor = 1;
    for (; at < end; at++) {
      const digit = DIGITS[text.charCodeAt(at)] ?? 255;
      if (digit === 255) return undefined;
      carry = carry * 58 + digit;
      factor *= 58;
    }
    for (let i = limbs.length - 1; i >= used || carry > 0; i--) {
      const value = (limbs[i] as number) * factor + carry;
      carry = Math.floor(value / LIMB);
      limbs[i] = value - carry * LIMB;
      if (i < used) used = i;
    }
  }
  const digits = fromLimbs(limbs.subarray(used));
  let padding = 0;
  while (digits[padding] === 0) padding += 1;
  const bytes = new Uint8Array(zeros + digits.length - padding);
  bytes.set(digits.subarray(padding), zeros);
  return bytes;
}

/** Base58 of the payload and the first four bytes of its double SHA-256. */
export function encodeBase58Check(payload: Uint8Array): string {
  const bytes = new Uint8Array(payload.length + CHECKSUM_SIZE);
  bytes.set(payload);
  const checksum = sha256d(payload);
  for (let i = 0; i < CHECKSUM_SIZE; i++) bytes[payload.length + i] = checksum[i] as number;
  return encodeBase58(bytes);
}

/** Payload of Base58 text whose checksum is right; white space around it is ignored, as the reference does. */
export function decodeBase58Check(text: string): Uint8Array | undefined {
  const digits = text.replace(/^[ \f\n\r\t\v]+|[ \f\n\r\t\v]+$/g, '');
  if (digits.length > MAX_CHECKED_DIGITS) return undefined;
  const bytes = decodeBase58(digits);
  if (bytes === undefined || bytes.length < CHECKSUM_SIZE) return undefined;
  const payload = bytes.subarray(0, -CHECKSUM_SIZE);
  return equalBytes(sha256d(payload).subarray(0, CHECKSUM_SIZE), bytes.subarray(-CHECKSUM_SIZE)) ? payload : undefined;
}

/** Big-endian limbs; the first one is short where the length is no multiple of three. */
function toLimbs(bytes: Uint8Array): Float64Array {
  const limbs = new Float64Array(Math.ceil(bytes.length / LIMB_BYTES));
  for (let i = limbs.length - 1, at = bytes.length - 1; i >= 0; i--, at -= LIMB_BYTES) {
    limbs[i] = (bytes[at] as number) | ((bytes[at - 1] ?? 0) << 8) | ((bytes[at - 2] ?? 0) << 16);
  }
  return limbs;
}

function fromLimbs(limbs: Float64Array): Uint8Array {
  const bytes = new Uint8Array(limbs.length * LIMB_BYTES);
  for (let i = 0; i < limbs.length; i++) {
    const limb = limbs[i] as number;
    bytes[i * LIMB_BYTES] = limb >>> 16;
    bytes[i * LIMB_BYTES + 1] = limb >>> 8;
    bytes[i * LIMB_BYTES + 2] = limb;
  }
  return bytes;
}

function firstNonZero(limbs: Float64Array, from: number): number {
  let at = from;
  while (limbs[at] === 0) at += 1;
  return at;
}

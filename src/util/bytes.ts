/** Byte-array helpers. A byte array is a `Uint8Array`; `Buffer` is one. */

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** View of the bytes as a `Buffer`, with its native searches and encodings. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Maximum size encoded in JavaScript: below it, the call of `Buffer` and its encoder take two to four times as long. */
const ENCODED_HERE = 64;
/** Shared buffer for the digits of short values. */
const digits = Buffer.alloc(2 * ENCODED_HERE);
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/** Lower-case hex of the bytes in their order. */
export function toHex(bytes: Uint8Array): string {
  const size = bytes.length;
  if (size > ENCODED_HERE) return asBuffer(bytes).toString('hex');
  for (let i = 0; i < size; i++) writeDigits(bytes[i] as number, 2 * i);
  return digits.toString('latin1', 0, 2 * size);
}

/** Lower-case hex of the bytes in reversed order, as hashes are displayed. */
export function toReversedHex(bytes: Uint8Array): string {
  const size = bytes.length;
  if (size > ENCODED_HERE) return Buffer.from(bytes).reverse().toString('hex');
  for (let i = 0; i < size; i++) writeDigits(bytes[size - 1 - i] as number, 2 * i);
  return digits.toString('latin1', 0, 2 * size);
}

function writeDigits(byte: number, at: number): void {
  digits[at] = DIGITS[byte >> 4] as number;
  digits[at + 1] = DIGITS[byte & 15] as number;
}

/** Bytes as a text of one char per byte, to be compared or used as a key of maps. */
export function byteText(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1');
}

/** True for an even, non-zero number of hex digits, as `IsHex` of `defid`. */
export function isHex(text: string): boolean {
  return text.length > 0 && text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text);
}

/** Bytes of a hex string; empty text gives no bytes. @throws {TypeError} if the text is not hex of whole bytes */
export function fromHex(text: string): Uint8Array {
  const bytes = text.length > SHORT_HEX ? ownBytes(text) : Buffer.from(text, 'hex');
  if (bytes.length * 2 !== text.length) throw new TypeError('not hexadecimal');
  return bytes;
}

/** Maximum digits of hashes and keys. Longer hex is often a transaction, which may live long. */
const SHORT_HEX = 130;

/** Bytes outside of the pool of `Buffer`, all of whose 8 KiB would live as long as they do. */
function ownBytes(hex: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(hex.length >> 1);
  return bytes.subarray(0, bytes.write(hex, 'hex'));
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** Maximum size compared in JavaScript: below it, a call of `Buffer.equals` costs more than the comparison. */
const COMPARED_HERE = 64;

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  if (a.length > COMPARED_HERE) return asBuffer(a).equals(b);
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Byte-wise order; a prefix comes before longer arrays. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Order of texts by their UTF-8 bytes. */
export function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Order of scripts in `defid`: shorter ones first, then bytewise. */
export function compareByLength(a: Uint8Array, b: Uint8Array): number {
  return a.length - b.length || compareBytes(a, b);
}

/** A reversed copy; converts a hash between wire order and display order. */
export function reverseBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes).reverse();
}

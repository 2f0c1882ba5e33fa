/** Byte-array helpers. A byte array is a `Uint8Array`; `Buffer` is one. */

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Lower-case hex of the bytes in their order. */
export function toHex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex');
}

/** True for an even, non-zero number of hex digits, as `IsHex` of `defid`. */
export function isHex(text: string): boolean {
  return text.length > 0 && text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text);
}

/** Bytes of a hex string; empty text gives no bytes. @throws {TypeError} if the text is not hex of whole bytes */
export function fromHex(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'hex');
  if (bytes.length * 2 !== text.length) throw new TypeError('not hexadecimal');
  return bytes;
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

/** A reversed copy; converts a hash between wire order and display order. */
export function reverseBytes(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes).reverse();
}

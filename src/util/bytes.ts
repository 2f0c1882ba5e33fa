/** Byte-array helpers. A byte array is a `Uint8Array`; `Buffer` is one. */

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Lower-case hex of the bytes as they stand. */
export function toHex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex');
}

/** True for an even, non-zero number of hex digits: what the reference calls hex. */
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

/** Short ones are compared here: a call into the engine costs more than the comparison. */
const COMPARED_HERE = 64;

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  if (a.length > COMPARED_HERE) return asBuffer(a).equals(b);
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Order of bytes, shorter first where one is a prefix of the other. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** A reversed copy: between wire order and the order in which hashes are shown. */
export function reverseBytes(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes).reverse();
}

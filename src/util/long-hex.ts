import type { Steps } from './slicer.js';

/** Digits per step; a step takes a fraction of a millisecond. */
const DIGITS_AT_ONCE = 1 << 17;

/** Decodes hex of any length, in steps. @returns undefined unless the text is an even, non-zero number of hex digits */
export function* fromLongHex(text: string): Steps<Uint8Array | undefined> {
  if (text.length === 0 || text.length % 2 !== 0) return undefined;
  const bytes = Buffer.allocUnsafe(text.length / 2);
  for (let at = 0; at < text.length; at += DIGITS_AT_ONCE) {
    if (at > 0) yield;
    const part = text.slice(at, at + DIGITS_AT_ONCE);
    if (bytes.write(part, at / 2, 'hex') * 2 !== part.length) return undefined;
  }
  return bytes;
}

/** Encodes bytes of any length as lower-case hex, in steps. */
export function* toLongHex(bytes: Uint8Array): Steps<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = DIGITS_AT_ONCE / 2;
  if (buffer.length <= size) return buffer.toString('hex');
  const parts: string[] = [];
  for (let at = 0; at < buffer.length; at += size) {
    parts.push(buffer.toString('hex', at, at + size));
    yield;
  }
  return parts.join('');
}

import { decodeBase64, encodeBase64 } from './base64.js';
import type { Steps } from './slicer.js';

/** Digits per step, whole groups of four; a step takes a fraction of a millisecond. */
const DIGITS_AT_ONCE = 1 << 17;
const BYTES_AT_ONCE = (DIGITS_AT_ONCE / 4) * 3;

/** Decodes padded Base64 of any length, in steps. @returns undefined for malformed text, as `decodeBase64` */
export function* fromLongBase64(text: string): Steps<Uint8Array | undefined> {
  if (text.length <= DIGITS_AT_ONCE) return decodeBase64(text);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < text.length; at += DIGITS_AT_ONCE) {
    const part = decodeBase64(text.slice(at, at + DIGITS_AT_ONCE));
    // Only the last part may be padded.
    if (!part || (part.length < BYTES_AT_ONCE && at + DIGITS_AT_ONCE < text.length)) return undefined;
    parts.push(part);
    yield;
  }
  return Buffer.concat(parts);
}

/** Encodes bytes of any length as Base64, in steps. */
export function* toLongBase64(bytes: Uint8Array): Steps<string> {
  if (bytes.length <= BYTES_AT_ONCE) return encodeBase64(bytes);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    parts.push(encodeBase64(bytes.subarray(at, at + BYTES_AT_ONCE)));
    yield;
  }
  return parts.join('');
}

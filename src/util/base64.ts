/** Bits of the last sextet beyond the last byte, by number of sextets in the last group; they must be zero. */
const SPARE_BITS: Readonly<Record<number, number>> = { 0: 0, 2: 4, 3: 2 };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes bytes as Base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * Decodes padded Base64.
 * @returns undefined for other characters, white space included, wrong padding, and bits after the last byte that are not zero
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const [, digits = ''] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(text) ?? [];
  if (text.length % 4 !== 0 || (digits === '' && text !== '')) return undefined;
  const spare = SPARE_BITS[digits.length % 4];
  if (spare === undefined) return undefined;
  const last = ALPHABET.indexOf(digits.at(-1) ?? 'A');
  return (last & ((1 << spare) - 1)) === 0 ? Buffer.from(digits, 'base64') : undefined;
}

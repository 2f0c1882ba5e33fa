/** First index of hardened children (BIP32). */
export const HARDENED = 0x8000_0000;

/** Origin of a derived key. */
export interface KeyOrigin {
  /** First 4 bytes of the HASH160 of the key at the start of the path. */
  readonly fingerprint: Uint8Array;
  /** Indexes of the steps, hardened ones from `HARDENED` on. */
  readonly path: readonly number[];
}

/** Formats a path, e.g. `/44'/0`, with an apostrophe for hardened steps; empty text for an empty path. */
export function formatKeyPath(path: readonly number[]): string {
  return path.map((step) => (step >= HARDENED ? `/${step - HARDENED}'` : `/${step}`)).join('');
}

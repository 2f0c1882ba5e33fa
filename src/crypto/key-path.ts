/** First index of hardened children (BIP32). */
export const HARDENED = 0x8000_0000;

/** Where a derived key comes from. */
export interface KeyOrigin {
  /** First 4 bytes of the HASH160 of the key that the path starts from. */
  readonly fingerprint: Uint8Array;
  /** Indexes of the steps, hardened ones from `HARDENED` on. */
  readonly path: readonly number[];
}

/** Path as text, each step after a slash, hardened ones marked with an apostrophe: `/44'/0`; no steps give no text. */
export function formatKeyPath(path: readonly number[]): string {
  return path.map((step) => (step >= HARDENED ? `/${step - HARDENED}'` : `/${step}`)).join('');
}

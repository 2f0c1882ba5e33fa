import { fromHex } from './bytes.js';

/** Bits of the filter, a power of two: 32 KiB. With 10,000 hashes one of 700 others counts as added. */
const BITS = 1 << 18;
/**
 * Numbers per hash, each of which sets a bit, and bytes per number. With one number, wallets often mistook addresses of others for their
 * own.
 */
const NUMBERS = 3;
const BYTES = 4;

/**
 * Bloom filter of hashes, by their first twelve bytes: it knows for certain only which hashes were never added. Unlike a `Map` it needs no
 * text of the hash that is looked up. Nothing can be removed.
 */
export class MaybeSet {
  readonly #bits = new Uint8Array(BITS / 8);

  /** @param hex the hash, at least twelve bytes */
  add(hex: string): void {
    const hash = fromHex(hex);
    for (let n = 0; n < NUMBERS; n++) {
      const bit = bitAt(hash, n * BYTES);
      this.#bits[bit >> 3] = (this.#bits[bit >> 3] as number) | (1 << (bit & 7));
    }
  }

  /** @returns false if the hash that starts at `at` was not added */
  mayHave(bytes: Uint8Array, at = 0): boolean {
    for (let n = 0; n < NUMBERS; n++) {
      const bit = bitAt(bytes, at + n * BYTES);
      if (((this.#bits[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

function bitAt(bytes: Uint8Array, at: number): number {
  return (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) & (BITS - 1);
}

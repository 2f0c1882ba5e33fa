/** Bits of the filter, a power of two: 32 KiB. With 10,000 hashes one of 26 others counts as added. */
const BITS = 1 << 18;
const DIGITS = 8;

/**
 * Set of hashes that knows for sure only which ones were never added, by their first four bytes: no text is made of the hash that is
 * looked up, as a `Map` needs. Nothing can be removed.
 */
export class MaybeSet {
  readonly #bits = new Uint8Array(BITS / 8);

  /** @param hex the hash, at least four bytes */
  add(hex: string): void {
    const bit = Number.parseInt(hex.slice(0, DIGITS), 16) & (BITS - 1);
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] as number) | (1 << (bit & 7));
  }

  /** @returns false if the hash that starts at `at` was not added */
  mayHave(bytes: Uint8Array, at = 0): boolean {
    const bit = (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) & (BITS - 1);
    return ((this.#bits[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
  }
}

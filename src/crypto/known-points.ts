import { byteText } from '../util/bytes.js';
import { Lru } from '../util/lru.js';

/** Keys that are remembered: about half a megabyte. */
const MAX_KEYS = 2_048;

/**
 * Uncompressed forms of public keys that were used lately. A library computes y of a compressed key at each verification, an eighth of
 * its time, while most keys of the chain sign again and again.
 */
export class KnownPoints {
  /** By compressed key, one char per byte; without a form until the key is used again. */
  readonly #points = new Lru<string, { form: Uint8Array | undefined }>(MAX_KEYS);

  /** @param uncompressed the uncompressed form of a key; undefined if the key is invalid */
  constructor(private readonly uncompressed: (publicKey: Uint8Array) => Uint8Array | undefined) {}

  /** The form in which a compressed key is verified fastest; undefined if the key is known to be invalid. */
  formOf(publicKey: Uint8Array): Uint8Array | undefined {
    const key = byteText(publicKey);
    const known = this.#points.get(key);
    if (known) {
      known.form ??= this.uncompressed(publicKey);
      return known.form;
    }
    this.#points.set(key, { form: undefined });
    return publicKey;
  }
}

import { COMPRESSED_KEY_SIZE, uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { evmAddressOf } from '../../script/erc55.js';
import { toHex } from '../../util/bytes.js';

/**
 * Public keys by a hash that cannot be computed from the key id. The hash of an added key is computed when one is looked up, as it
 * costs more than anything else about a key.
 */
class KeyIndex {
  /** By the hash, in hex. */
  readonly #byHash = new Map<string, Uint8Array>();
  readonly #waiting: { readonly publicKey: Uint8Array; readonly isOwn: boolean }[] = [];

  /** @param hashOf undefined for a key that has none */
  constructor(private readonly hashOf: (publicKey: Uint8Array) => Uint8Array | undefined) {}

  add(publicKey: Uint8Array, isOwn: boolean): void {
    this.#waiting.push({ publicKey, isOwn });
  }

  /** As {@link add}, with the hash. */
  addHashed(hash: Uint8Array, publicKey: Uint8Array, isOwn: boolean): void {
    const key = toHex(hash);
    if (isOwn || !this.#byHash.has(key)) this.#byHash.set(key, publicKey);
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    for (const { publicKey, isOwn } of this.#waiting.splice(0)) {
      const own = this.hashOf(publicKey);
      if (own) this.addHashed(own, publicKey, isOwn);
    }
    return this.#byHash.get(toHex(hash));
  }

  /** Adds the keys of another index, all of them own ones. @returns the hashes that it had computed, in hex */
  adopt(other: KeyIndex): string[] {
    for (const { publicKey, isOwn } of other.#waiting) this.add(publicKey, isOwn);
    for (const [hash, publicKey] of other.#byHash) this.#byHash.set(hash, publicKey);
    return [...other.#byHash.keys()];
  }
}

/** Public keys by what the EVM side names them by. A key whose private key the wallet has comes before others with the same name. */
export class EvmKeys {
  readonly #byAddress = new KeyIndex(evmAddressOf);
  /** By the id of the uncompressed form. */
  readonly #byLongForm = new KeyIndex(longFormId);

  /** @param knowsLongForms computes the id of the uncompressed form when a key is added */
  constructor(readonly knowsLongForms: boolean) {}

  /**
   * @param isOwn the wallet has the private key
   * @returns the uncompressed form of an own compressed key, with `knowsLongForms`
   */
  add(publicKey: Uint8Array, isOwn: boolean): Uint8Array | undefined {
    this.#byAddress.add(publicKey, isOwn);
    const long = this.knowsLongForms ? uncompressed(publicKey) : undefined;
    if (!long) this.#byLongForm.add(publicKey, isOwn);
    else this.#byLongForm.addHashed(hash160(long), publicKey, isOwn);
    return isOwn && publicKey.length === COMPRESSED_KEY_SIZE ? long : undefined;
  }

  withAddress(address: Uint8Array): Uint8Array | undefined {
    return this.#byAddress.get(address);
  }

  withLongForm(keyId: Uint8Array): Uint8Array | undefined {
    return this.#byLongForm.get(keyId);
  }

  /** Adds own keys. @returns ids of their uncompressed forms in hex, with `knowsLongForms` */
  adopt(fresh: EvmKeys): string[] {
    this.#byAddress.adopt(fresh.#byAddress);
    return this.#byLongForm.adopt(fresh.#byLongForm);
  }
}

function longFormId(publicKey: Uint8Array): Uint8Array | undefined {
  const long = uncompressed(publicKey);
  return long && hash160(long);
}

import { COMPRESSED_KEY_SIZE, uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { erc55Script, evmScriptOf } from '../../script/erc55.js';
import { toHex } from '../../util/bytes.js';

/**
 * Public keys by a hash that cannot be computed from the key id. The hash of an added key is computed when one is looked up, as it
 * costs more than anything else about a key.
 */
class KeyIndex {
  /** By the hash, in hex. */
  readonly #byHash = new Map<string, Uint8Array>();
  readonly #waiting: Uint8Array[] = [];

  /** @param hashOf undefined for a key that has none */
  constructor(private readonly hashOf: (publicKey: Uint8Array) => Uint8Array | undefined) {}

  add(publicKey: Uint8Array): void {
    this.#waiting.push(publicKey);
  }

  /** As {@link add}, with the hash. */
  addHashed(hash: Uint8Array, publicKey: Uint8Array): void {
    this.#byHash.set(toHex(hash), publicKey);
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    for (const publicKey of this.#waiting.splice(0)) {
      const own = this.hashOf(publicKey);
      if (own) this.addHashed(own, publicKey);
    }
    return this.#byHash.get(toHex(hash));
  }

  /** All hashes in hex with their keys. Each step computes the hash of one key at most. */
  *entries(): Generator<readonly [string, Uint8Array]> {
    yield* [...this.#byHash];
    for (let publicKey = this.#waiting.pop(); publicKey; publicKey = this.#waiting.pop()) {
      const hash = this.hashOf(publicKey);
      if (!hash) continue;
      this.addHashed(hash, publicKey);
      yield [toHex(hash), publicKey];
    }
  }

  /** Adds the keys of another index. @returns the hashes that it had computed, in hex */
  adopt(other: KeyIndex): string[] {
    for (const publicKey of other.#waiting) this.add(publicKey);
    for (const [hash, publicKey] of other.#byHash) this.#byHash.set(hash, publicKey);
    return [...other.#byHash.keys()];
  }
}

/** Public keys by what the EVM side names them by. Watch-only keys have no such names, as in `defid`, but their scripts are known. */
export class EvmKeys {
  /** By the id of the output script of the EVM address. */
  readonly #own = new KeyIndex(evmScriptId);
  /** Watch-only keys, by the same. */
  readonly #watched = new KeyIndex(evmScriptId);
  /** By the id of the uncompressed form. */
  readonly #byLongForm = new KeyIndex(longFormId);

  /** @param metachain computes the id of the uncompressed form when a key is added */
  constructor(private readonly metachain: boolean) {}

  /** Adds a key whose private key the wallet has. @returns the uncompressed form of a compressed key, with `metachain` */
  add(publicKey: Uint8Array): Uint8Array | undefined {
    this.#own.add(publicKey);
    const long = this.metachain ? uncompressed(publicKey) : undefined;
    if (long) this.#byLongForm.addHashed(hash160(long), publicKey);
    else this.#byLongForm.add(publicKey);
    return publicKey.length === COMPRESSED_KEY_SIZE ? long : undefined;
  }

  addWatched(publicKey: Uint8Array): void {
    this.#watched.add(publicKey);
  }

  withAddress(address: Uint8Array): Uint8Array | undefined {
    return this.#own.get(hash160(erc55Script(address)));
  }

  /** Output script of the EVM address of a key, by the HASH160 of the script. */
  scriptWithId(scriptId: Uint8Array): Uint8Array | undefined {
    const publicKey = this.#own.get(scriptId) ?? this.#watched.get(scriptId);
    return publicKey && evmScriptOf(publicKey);
  }

  /** Output scripts of the EVM addresses of all keys, with their ids in hex. */
  *scripts(): Generator<readonly [string, Uint8Array]> {
    const seen = new Set<string>();
    for (const index of [this.#own, this.#watched]) {
      for (const [id, publicKey] of index.entries()) {
        const script = seen.has(id) ? undefined : evmScriptOf(publicKey);
        if (!script) continue;
        seen.add(id);
        yield [id, script];
      }
    }
  }

  withLongForm(keyId: Uint8Array): Uint8Array | undefined {
    return this.#byLongForm.get(keyId);
  }

  /** Adds own keys. @returns ids of their uncompressed forms in hex, with `metachain` */
  adopt(fresh: EvmKeys): string[] {
    this.#own.adopt(fresh.#own);
    return this.#byLongForm.adopt(fresh.#byLongForm);
  }
}

function longFormId(publicKey: Uint8Array): Uint8Array | undefined {
  const long = uncompressed(publicKey);
  return long && hash160(long);
}

function evmScriptId(publicKey: Uint8Array): Uint8Array | undefined {
  const script = evmScriptOf(publicKey);
  return script && hash160(script);
}

import { equalBytes, toHex } from '../../util/bytes.js';
import type { Metadata } from '../store/records.js';
import * as records from '../store/records.js';
import type { WalletStore } from '../store/store.js';
import { keyIdHex } from './key-scripts.js';

/** Metadata of a key about which nothing is known. */
export const NO_METADATA: Metadata = { createdAt: 0, origin: undefined, seedId: undefined };

/** Times and origins of the keys of a wallet, and times of its scripts. */
export class KeyMetadata {
  readonly #store: WalletStore;
  /** By key id. */
  readonly #keys = new Map<string, Metadata>();
  /** By script, in hex. */
  readonly #scripts = new Map<string, Metadata>();

  constructor(store: WalletStore) {
    this.#store = store;
    let last: Metadata | undefined;
    for (const [publicKey, meta] of store.rows(records.keyMetadata)) {
      last = sharing(meta, last);
      this.#keys.set(keyIdHex(publicKey), last);
    }
    for (const [script, meta] of store.rows(records.scriptMetadata)) this.#scripts.set(toHex(script), meta);
  }

  /** @param id key id, in hex */
  ofKey(id: string): Metadata | undefined {
    return this.#keys.get(id);
  }

  ofScript(script: Uint8Array): Metadata | undefined {
    return this.#scripts.get(toHex(script));
  }

  /**
   * Earliest creation time of a key or script, seconds since 1970; 1 if that of one is unknown.
   * @param keyIds ids of keys that must have metadata, in hex
   * @param scripts scripts that must have metadata, in hex
   */
  birthday(now: number, keyIds: Iterable<string>, scripts: Iterable<string>): number {
    for (const id of keyIds) if (!this.#keys.has(id)) return 1;
    for (const script of scripts) if (!this.#scripts.has(script)) return 1;
    let earliest = now;
    for (const meta of [...this.#keys.values(), ...this.#scripts.values()]) earliest = Math.min(earliest, meta.createdAt);
    return Math.max(earliest, 1);
  }

  setKey(publicKey: Uint8Array, meta: Metadata): void {
    this.#keys.set(keyIdHex(publicKey), meta);
    this.#store.put(records.keyMetadata, publicKey, meta);
  }

  /** @param createdAt seconds since 1970 */
  setScriptTime(script: Uint8Array, createdAt: number): void {
    const meta = { ...NO_METADATA, createdAt };
    this.#scripts.set(toHex(script), meta);
    this.#store.put(records.scriptMetadata, script, meta);
  }

  /** Adopts the metadata of keys that are in the file already. */
  adoptKeys(fresh: KeyMetadata): void {
    for (const [id, meta] of fresh.#keys) this.#keys.set(id, meta);
  }
}

/** Metadata that shares byte arrays with those of another key, where they are equal: the keys of a seed have them in common. */
function sharing({ createdAt, origin, seedId }: Metadata, other: Metadata | undefined): Metadata {
  const same = (own: Uint8Array | undefined, like: Uint8Array | undefined) => (own && like && equalBytes(own, like) ? like : own);
  return {
    createdAt,
    origin: origin && { path: origin.path, fingerprint: same(origin.fingerprint, other?.origin?.fingerprint) ?? origin.fingerprint },
    seedId: same(seedId, other?.seedId),
  };
}

import { randomBytes } from 'node:crypto';
import { isSecretKey, publicKeyOf } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { ExtendedKey, type ExtendedKeyPrefixes } from '../../crypto/hd.js';
import { HARDENED } from '../../crypto/key-path.js';
import type { PrivateKey } from '../../crypto/keys.js';
import type { RawChange } from '../../storage/view.js';
import { Slicer, type Steps } from '../../util/slicer.js';
import type { HdChain } from '../store/records.js';
import { WalletStore } from '../store/store.js';
import { KeyPool, type ReservedKey } from './key-pool.js';
import { Keys } from './keys.js';

export interface KeyChainParts {
  readonly keys: Keys;
  readonly pool: KeyPool;
  readonly prefixes: ExtendedKeyPrefixes;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Target number of keys in each pool, external and internal. */
  readonly poolSize: number;
  /** Writes pending changes; they are on disk when it returns. */
  readonly commit: () => void;
  /** Called when the pools lack more keys than are generated synchronously. */
  readonly onShort: () => void;
  /** True if the wallet has the key, for a chain with `keys` of its own. */
  readonly isTaken?: (publicKey: Uint8Array) => boolean;
}

/** A seed and keys derived from it that are not part of a wallet yet. */
export interface FreshSeed {
  readonly keys: Keys;
  /** Undefined if the wallet keeps its pool. */
  readonly pool: KeyPool | undefined;
  /** Rows for the wallet file. */
  readonly rows: readonly RawChange[];
  /** Output scripts whose ownership depends on the keys. */
  readonly scripts: readonly Uint8Array[];
}

export interface TopUpOptions {
  /** Target number of keys in each pool; `-keypool` by default. */
  readonly size?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Replaces `KeyChainParts.commit`, for a wallet that is being created. */
  readonly commit?: () => void;
}

export interface FreshSeedOptions {
  /** Seals the keys; undefined leaves them unencrypted. */
  readonly masterKey: Uint8Array | undefined;
  /** Fills a new pool with keys of the seed. */
  readonly withPool: boolean;
  readonly signal?: AbortSignal;
}

/** External or internal branch of the seed. */
interface Branch {
  readonly seedId: Uint8Array;
  readonly internal: boolean;
  readonly fingerprint: Uint8Array;
  readonly parent: ExtendedKey;
}

const EXTERNAL = [HARDENED, HARDENED];
const INTERNAL = [HARDENED, HARDENED + 1];
const BOTH = [false, true];
/** Keys that each pool has at least when one is reserved; they are generated synchronously, a fifth of a millisecond each. */
const KEYS_AT_ONCE = 8;
/** Keys written in one batch of a long top-up: encoding and syncing more would block the event loop. */
const COMMIT_KEYS = 50;

/** Derives new keys from the wallet's seed and keeps the key pool filled. @see docs/protocol/wallet.md 1.6, 1.7 */
export class KeyChain {
  constructor(private readonly parts: KeyChainParts) {}

  get hasSeed(): boolean {
    return this.parts.keys.hdChain !== undefined;
  }

  /** True if there is a seed to derive keys from, even if the wallet is locked. */
  canMakeKeys(): boolean {
    return this.hasSeed;
  }

  /** Sets the seed of all new keys; older keys stay. @throws {UnlockNeeded} */
  setSeed(seed: PrivateKey = newSeed()): void {
    const { keys, now } = this.parts;
    const seedId = hash160(publicKeyOf(seed.secret, seed.compressed));
    keys.addPrivateKey(seed, { createdAt: now(), origin: undefined, seedId });
    keys.setHdChain({ seedId, external: 0, internal: 0 });
  }

  /**
   * Fills both pools in slices, the external one first. Keys are written in batches; all are on disk when it resolves.
   * @returns false if no keys can be derived, or the wallet was locked in the meantime
   * @throws the signal's reason when it is aborted
   */
  topUp({ signal, ...options }: TopUpOptions = {}): Promise<boolean> {
    return new Slicer(signal).run(this.topUpSteps(options));
  }

  /** {@link topUp} in steps of one key each. */
  *topUpSteps({ size = this.parts.poolSize, commit = this.parts.commit }: Omit<TopUpOptions, 'signal'> = {}): Steps<boolean> {
    if (!this.#canFill()) return false;
    let made = 0;
    for (const internal of BOTH) {
      const branch = this.#branch(internal);
      try {
        while (this.#missing(internal, size) > 0) {
          if (!this.#canFill()) return false;
          this.#add(branch);
          made += 1;
          if (made % COMMIT_KEYS === 0) commit();
          yield;
        }
      } finally {
        branch.parent.wipe();
        commit();
      }
    }
    return true;
  }

  /** Fills both pools synchronously; the caller commits. */
  fill(): void {
    this.#addAtOnce(this.parts.poolSize);
  }

  /** Derives up to `limit` keys for each pool, or more for one that has fewer than KEYS_AT_ONCE. @returns false if a pool is still not full */
  #addAtOnce(limit: number): boolean {
    if (!this.#canFill()) return false;
    for (const internal of BOTH) {
      const few = KEYS_AT_ONCE - this.parts.pool.size(internal);
      this.#addSome(internal, Math.min(Math.max(limit, few), this.#missing(internal, this.parts.poolSize)));
    }
    return BOTH.every((internal) => this.#missing(internal, this.parts.poolSize) <= 0);
  }

  #addSome(internal: boolean, count: number): void {
    if (count <= 0) return;
    const branch = this.#branch(internal);
    for (let i = 0; i < count; i++) this.#add(branch);
    branch.parent.wipe();
  }

  #canFill(): boolean {
    return this.hasSeed && !this.parts.keys.isLocked;
  }

  #missing(internal: boolean, size: number): number {
    return Math.max(size, 1) - this.parts.pool.size(internal);
  }

  #add(branch: Branch): void {
    const publicKey = this.#make(branch);
    this.parts.pool.add({ publicKey, internal: branch.internal, createdAt: this.parts.now() });
  }

  /**
   * Reserves a key of the pool, after refilling it.
   * @returns undefined if the pool is empty and no key can be derived
   */
  reserve(internal: boolean): ReservedKey | undefined {
    this.refill();
    return this.parts.pool.reserve(internal);
  }

  /**
   * Derives some keys synchronously, and requests the rest by `onShort`.
   * @param used keys that are taken from a pool: as many are derived at once, because the next transaction may pay one of them
   */
  refill(used = 1): void {
    if (!this.#addAtOnce(used) && this.#canFill()) this.parts.onShort();
  }

  /**
   * Prepares a seed with its first keys, without changing the wallet.
   */
  async prepareSeed(seed: PrivateKey, { masterKey, withPool, signal }: FreshSeedOptions): Promise<FreshSeed> {
    const rows: RawChange[] = [];
    const write = (batch: readonly RawChange[]): void => {
      for (const row of batch) rows.push(row);
    };
    const store = new WalletStore({ rows: () => [], write });
    const keys = new Keys(store, { metachain: this.parts.keys.metachain });
    if (masterKey) keys.openWith(Uint8Array.from(masterKey));
    const scripts: Uint8Array[] = [];
    keys.onScripts((changed) => scripts.push(...changed));
    const pool = new KeyPool(store, this.parts.pool.claimIndexes(2 * this.parts.poolSize));
    const isTaken = (publicKey: Uint8Array): boolean => this.parts.keys.hasPrivateKey(hash160(publicKey));
    const chain = new KeyChain({ ...this.parts, keys, pool, isTaken, commit: () => store.commit() });
    chain.setSeed(seed);
    if (withPool) await chain.topUp(signal ? { signal } : {});
    store.commit();
    return { keys, pool: withPool ? pool : undefined, rows, scripts };
  }

  /** Derives the next child of the branch that the wallet does not have yet. @returns its public key */
  #make({ seedId, internal, fingerprint, parent }: Branch): Uint8Array {
    const { keys, now } = this.parts;
    for (;;) {
      const chain = keys.hdChain as HdChain;
      const index = internal ? chain.internal : chain.external;
      keys.setHdChain(internal ? { ...chain, internal: index + 1 } : { ...chain, external: index + 1 });
      const child = parent.derive([HARDENED + index]);
      const key = child?.privateKey;
      if (!child || !key) continue;
      const path = [...(internal ? INTERNAL : EXTERNAL), HARDENED + index];
      const { publicKey } = child;
      const metadata = { createdAt: now(), origin: { fingerprint, path }, seedId };
      const isNew = !this.parts.isTaken?.(publicKey) && keys.addPrivateKey(key, metadata, publicKey);
      child.wipe();
      if (isNew) return publicKey;
    }
  }

  #branch(internal: boolean): Branch {
    const chain = this.parts.keys.hdChain as HdChain;
    const master = this.masterKey();
    if (!master) throw new Error('the wallet has lost its seed');
    const parent = master.derive(internal ? INTERNAL : EXTERNAL);
    if (!parent) throw new Error('the seed has no such branch');
    const fingerprint = Uint8Array.from(master.fingerprint);
    master.wipe();
    return { seedId: chain.seedId, internal, fingerprint, parent };
  }

  /** Extended master key of the seed (BIP32), which the caller wipes; undefined without a seed or while the wallet is locked. */
  masterKey(): ExtendedKey | undefined {
    const { keys, prefixes } = this.parts;
    const { hdChain } = keys;
    return hdChain && keys.usePrivateKey(hdChain.seedId, ({ secret }) => ExtendedKey.fromSeed(secret, prefixes));
  }
}

/** A random private key. */
export function newSeed(): PrivateKey {
  for (;;) {
    const secret = randomBytes(32);
    if (isSecretKey(secret)) return { secret, compressed: true };
  }
}

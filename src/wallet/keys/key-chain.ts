import { randomBytes } from 'node:crypto';
import { isSecretKey, publicKeyOf } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { ExtendedKey, type ExtendedKeyPrefixes } from '../../crypto/hd.js';
import { HARDENED } from '../../crypto/key-path.js';
import type { PrivateKey } from '../../crypto/keys.js';
import type { RawChange } from '../../storage/view.js';
import { Slicer } from '../../util/slicer.js';
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
  /** Keys that the pool holds for each purpose. */
  readonly poolSize: number;
  /** Writes what was changed; on disk when it returns. */
  readonly commit: () => void;
  /** The pool lacks more keys than can be made at once. */
  readonly onShort: () => void;
  /** The wallet holds this key elsewhere. */
  readonly isTaken?: (publicKey: Uint8Array) => boolean;
}

/** A seed and keys derived from it that are not part of a wallet yet. */
export interface FreshSeed {
  readonly keys: Keys;
  /** Undefined where the wallet's pool stays. */
  readonly pool: KeyPool | undefined;
  /** All of it as rows of a wallet's file. */
  readonly rows: readonly RawChange[];
  /** Output scripts that the keys decide about. */
  readonly scripts: readonly Uint8Array[];
}

export interface TopUpOptions {
  /** Keys for each purpose; by default what the operator set. */
  readonly size?: number;
  readonly signal?: AbortSignal;
  /** Writes keys of a wallet that does not exist yet in its own way. */
  readonly commit?: () => void;
}

export interface FreshSeedOptions {
  readonly masterKey: Uint8Array | undefined;
  readonly withPool: boolean;
  readonly signal?: AbortSignal;
}

interface Branch {
  readonly seedId: Uint8Array;
  readonly internal: boolean;
  readonly fingerprint: Uint8Array;
  readonly parent: ExtendedKey;
}

const EXTERNAL = [HARDENED, HARDENED];
const INTERNAL = [HARDENED, HARDENED + 1];
const BOTH = [false, true];
/** Keys made at once for each purpose: a key takes about half a millisecond. */
const KEYS_AT_ONCE = 8;
/** Keys that are written together in a long top-up: encoding and syncing more of them would hold up other calls. */
const COMMIT_KEYS = 50;

/** Makes new keys from the wallet's seed, and keeps the pool filled with them. @see docs/protocol/wallet.md 1.6, 1.7 */
export class KeyChain {
  constructor(private readonly parts: KeyChainParts) {}

  get hasSeed(): boolean {
    return this.parts.keys.hdChain !== undefined;
  }

  /** New keys can be made: there is a seed. That the wallet may be locked is another question. */
  canMakeKeys(): boolean {
    return this.hasSeed;
  }

  /** Makes a seed the source of all new keys; older keys stay. @throws {UnlockNeeded} */
  setSeed(seed: PrivateKey = newSeed()): void {
    const { keys, now } = this.parts;
    const seedId = hash160(publicKeyOf(seed.secret, seed.compressed));
    keys.addPrivateKey(seed, { createdAt: now(), origin: undefined, seedId });
    keys.setHdChain({ seedId, external: 0, internal: 0 });
  }

  /**
   * Fills both pools in slices, the external one first. What was made is on disk when it resolves, and in portions before.
   * @returns false if no keys can be made now, or no more because the wallet was locked meanwhile
   * @throws the signal's reason once the keys are no longer wanted
   */
  async topUp({ size = this.parts.poolSize, signal, commit = this.parts.commit }: TopUpOptions = {}): Promise<boolean> {
    if (!this.#canFill()) return false;
    const slicer = new Slicer(signal);
    let made = 0;
    for (const internal of BOTH) {
      const branch = this.#branch(internal);
      try {
        while (this.#missing(internal, size) > 0) {
          if (!this.#canFill()) return false;
          this.#add(branch);
          made += 1;
          if (made % COMMIT_KEYS === 0) commit();
          const paused = slicer.pause();
          if (paused) await paused;
        }
      } finally {
        branch.parent.wipe();
        commit();
      }
    }
    return true;
  }

  /** Makes up to `limit` keys for each purpose at once; the caller commits. @returns false if the pools are not full after it */
  fill(limit: number): boolean {
    if (!this.#canFill()) return false;
    for (const internal of BOTH) this.#addSome(internal, Math.min(limit, this.#missing(internal, this.parts.poolSize)));
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
   * Takes a key off the pool. Keys that are missing in it are made on the spot as far as that takes no time, the others soon after.
   * @returns undefined if the pool is empty and no key can be made
   */
  reserve(internal: boolean): ReservedKey | undefined {
    this.refill();
    return this.parts.pool.reserve(internal);
  }

  /** Makes the next keys at once, and requests what more is missing. */
  refill(): void {
    if (!this.fill(KEYS_AT_ONCE) && this.#canFill()) this.parts.onShort();
  }

  /**
   * Prepares a seed with its first keys; the wallet is the same before and after.
   * @param masterKey seals the keys; undefined leaves them plain
   * @param withPool makes a pool of its keys too
   */
  async prepareSeed(seed: PrivateKey, { masterKey, withPool, signal }: FreshSeedOptions): Promise<FreshSeed> {
    const rows: RawChange[] = [];
    const write = (batch: readonly RawChange[]): void => {
      for (const row of batch) rows.push(row);
    };
    const store = new WalletStore({ rows: () => [], write });
    const keys = new Keys(store);
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

  /** The next child of the branch that the wallet does not have yet. */
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
      const isNew =
        !this.parts.isTaken?.(child.publicKey) && keys.addPrivateKey(key, { createdAt: now(), origin: { fingerprint, path }, seedId });
      child.wipe();
      if (isNew) return child.publicKey;
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

  /** The master key of the current seed, which the caller wipes; undefined while the wallet is locked. */
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

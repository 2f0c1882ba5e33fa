import { randomBytes } from 'node:crypto';
import { isSecretKey, publicKeyOf } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import { ExtendedKey, type ExtendedKeyPrefixes } from '../crypto/hd.js';
import { HARDENED } from '../crypto/key-path.js';
import type { PrivateKey } from '../crypto/keys.js';
import type { KeyPool, ReservedKey } from './key-pool.js';
import type { Keys } from './keys.js';
import type { HdChain } from './records.js';

export interface KeyChainParts {
  readonly keys: Keys;
  readonly pool: KeyPool;
  readonly prefixes: ExtendedKeyPrefixes;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Keys that the pool holds for each purpose. */
  readonly poolSize: number;
}

interface Branch {
  readonly seedId: Uint8Array;
  readonly internal: boolean;
  readonly fingerprint: Uint8Array;
  readonly parent: ExtendedKey;
}

const EXTERNAL = [HARDENED, HARDENED];
const INTERNAL = [HARDENED, HARDENED + 1];

/** Makes new keys from the wallet's seed, and keeps the pool filled with them. @see spec: wallet 1.6, 1.7 */
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

  /** Fills both pools, the external one first. @returns false if no keys can be made now */
  topUp(size = this.parts.poolSize): boolean {
    const { keys, pool } = this.parts;
    if (!this.hasSeed || keys.isLocked) return false;
    const target = Math.max(size, 1);
    for (const internal of [false, true]) {
      const missing = target - pool.size(internal);
      if (missing > 0) this.#fill(internal, missing);
    }
    return true;
  }

  #fill(internal: boolean, count: number): void {
    const branch = this.#branch(internal);
    for (let i = 0; i < count; i++) {
      const publicKey = this.#make(branch);
      this.parts.pool.add({ publicKey, internal, createdAt: this.parts.now() });
    }
  }

  /**
   * Takes a key off the pool; one is made on the spot where the pool is empty.
   * @returns undefined if the pool is empty and no key can be made
   */
  reserve(internal: boolean): ReservedKey | undefined {
    this.topUp();
    return this.parts.pool.reserve(internal);
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
      if (keys.addPrivateKey(key, { createdAt: now(), origin: { fingerprint, path }, seedId })) return child.publicKey;
    }
  }

  #branch(internal: boolean): Branch {
    const { keys, prefixes } = this.parts;
    const chain = keys.hdChain as HdChain;
    const seed = keys.privateKey(chain.seedId);
    if (!seed) throw new Error('the wallet has lost its seed');
    const master = ExtendedKey.fromSeed(seed.secret, prefixes);
    const parent = master.derive(internal ? INTERNAL : EXTERNAL);
    if (!parent) throw new Error('the seed has no such branch');
    return { seedId: chain.seedId, internal, fingerprint: Uint8Array.from(master.fingerprint), parent };
  }

  /** The master key of the current seed. @throws {UnlockNeeded} */
  masterKey(): ExtendedKey | undefined {
    const { keys, prefixes } = this.parts;
    const seed = keys.hdChain && keys.privateKey(keys.hdChain.seedId);
    return seed && ExtendedKey.fromSeed(seed.secret, prefixes);
  }
}

/** A random private key. */
export function newSeed(): PrivateKey {
  for (;;) {
    const secret = randomBytes(32);
    if (isSecretKey(secret)) return { secret, compressed: true };
  }
}

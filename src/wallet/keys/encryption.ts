import type { Clock } from '../../util/clock.js';
import { NodeError } from '../../util/errors.js';
import { newMasterKey, sealMasterKey } from '../store/seal.js';
import { type KeyChain, newSeed } from './key-chain.js';
import type { KeyChange } from './key-replacement.js';
import type { Keys } from './keys.js';

export interface EncryptionParts {
  readonly keys: Keys;
  readonly keyChain: KeyChain;
  readonly clock: Clock;
  readonly passphraseCost: number | undefined;
  /** Runs one change of keys after the other. */
  readonly changeKeys: <T>(change: (signal: AbortSignal) => Promise<T> | T) => Promise<T>;
  /** Changes all keys at once, on disk and then in memory. */
  readonly replaceKeys: (change: KeyChange) => Promise<void>;
  /** Leaves no plain keys beside the file. @throws if that cannot be done */
  readonly renewLeftovers: () => void;
}

/** Timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The wallet has a passphrase already. */
export class AlreadyEncrypted extends NodeError {
  constructor() {
    super('wallet-wrong-state', 'Error: running with an encrypted wallet, but encryptwallet was called.');
  }
}

/**
 * The passphrase of a wallet: what it seals, and how long it stays open. A passphrase is a string, which the engine gives no way to
 * wipe; everything that is derived from it is wiped after use. @see docs/protocol/wallet.md 1.12
 */
export class Encryption {
  #unlockedUntil = 0;
  #relock: NodeJS.Timeout | undefined;

  constructor(private readonly parts: EncryptionParts) {}

  /** When the wallet locks itself, seconds since 1970; 0 while it is locked. */
  get unlockedUntil(): number {
    return this.#unlockedUntil;
  }

  /**
   * Encrypts the private keys and makes a new seed, at once or not at all; the wallet is locked afterwards, and no plain key is left
   * in its file.
   * @throws {AlreadyEncrypted} also if another caller was quicker
   */
  encrypt(passphrase: string): Promise<void> {
    const { keys, keyChain, changeKeys, replaceKeys, passphraseCost } = this.parts;
    return changeKeys(async (signal) => {
      if (keys.isEncrypted) throw new AlreadyEncrypted();
      const masterKey = newMasterKey();
      try {
        const record = await sealMasterKey(masterKey, passphrase, passphraseCost);
        const fresh = keyChain.hasSeed ? await keyChain.prepareSeed(newSeed(), { masterKey, withPool: true, signal }) : undefined;
        await replaceKeys({ masterKey, passphrase: { text: passphrase, record }, fresh });
      } finally {
        masterKey.fill(0);
      }
      this.parts.renewLeftovers();
    });
  }

  /** Unlocks for a while. @returns false for a wrong passphrase */
  unlock(passphrase: string, seconds: number): Promise<boolean> {
    const { keys, keyChain, clock, changeKeys } = this.parts;
    return changeKeys(async (signal) => {
      if (!(await keys.unlock(passphrase))) return false;
      clearTimeout(this.#relock);
      try {
        await keyChain.topUp({ signal });
      } catch (error) {
        this.lockNow();
        throw error;
      }
      // Locked by another call in the meantime: it came later, so it counts.
      if (keys.isLocked) return true;
      this.#unlockedUntil = clock.seconds() + seconds;
      this.#lockLater(seconds * 1000);
      return true;
    });
  }

  #lockLater(leftMs: number): void {
    const step = Math.min(leftMs, LONGEST_TIMER_MS);
    this.#relock = setTimeout(() => (leftMs > step ? this.#lockLater(leftMs - step) : this.lockNow()), step);
    this.#relock.unref();
  }

  /** Locks at once, and again after an unlock that is under way. */
  lock(): Promise<void> {
    this.lockNow();
    return this.parts.changeKeys(() => this.lockNow());
  }

  lockNow(): void {
    clearTimeout(this.#relock);
    this.parts.keys.lock();
    this.#unlockedUntil = 0;
  }

  /** @returns false for a wrong old passphrase */
  changePassphrase(old: string, next: string): Promise<boolean> {
    const { keys, changeKeys, replaceKeys, passphraseCost } = this.parts;
    return changeKeys(async () => {
      const masterKey = await keys.openMasterKey(old);
      if (!masterKey) return false;
      try {
        const record = await sealMasterKey(masterKey, next, passphraseCost);
        await replaceKeys({ masterKey, passphrase: { text: next, record }, fresh: undefined });
      } finally {
        masterKey.fill(0);
      }
      return true;
    });
  }
}

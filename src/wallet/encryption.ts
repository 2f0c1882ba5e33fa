import type { Clock } from '../util/clock.js';
import type { WalletFile } from './file.js';
import type { KeyChain } from './key-chain.js';
import type { KeyPool } from './key-pool.js';
import type { Keys } from './keys.js';

export interface EncryptionParts {
  readonly keys: Keys;
  readonly keyPool: KeyPool;
  readonly keyChain: KeyChain;
  readonly clock: Clock;
  readonly file: Pick<WalletFile, 'rewrite'>;
  /** Writes what was changed; on disk when it returns. */
  readonly commit: () => void;
}

/** Timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The passphrase of a wallet: what it seals, and how long it stays open. @see spec: wallet 1.12 */
export class Encryption {
  #unlockedUntil = 0;
  #relock: NodeJS.Timeout | undefined;

  constructor(private readonly parts: EncryptionParts) {}

  /** When the wallet locks itself, seconds since 1970; 0 while it is locked. */
  get unlockedUntil(): number {
    return this.#unlockedUntil;
  }

  /** Encrypts the private keys and makes a new seed; the wallet is locked afterwards, and no plain key is left in its file. */
  async encrypt(passphrase: string): Promise<void> {
    const { keys, keyPool, keyChain, file, commit } = this.parts;
    await keys.encrypt(passphrase);
    commit();
    file.rewrite();
    if (keyChain.hasSeed) {
      keyPool.clear();
      keyChain.setSeed();
      keyChain.topUp();
      commit();
    }
    this.lock();
  }

  /** Unlocks for a while. @returns false for a wrong passphrase */
  async unlock(passphrase: string, seconds: number): Promise<boolean> {
    const { keys, keyChain, clock, commit } = this.parts;
    if (!(await keys.unlock(passphrase))) return false;
    keyChain.topUp();
    commit();
    clearTimeout(this.#relock);
    this.#unlockedUntil = clock.seconds() + seconds;
    this.#lockLater(seconds * 1000);
    return true;
  }

  #lockLater(leftMs: number): void {
    const step = Math.min(leftMs, LONGEST_TIMER_MS);
    this.#relock = setTimeout(() => (leftMs > step ? this.#lockLater(leftMs - step) : this.lock()), step);
    this.#relock.unref();
  }

  lock(): void {
    clearTimeout(this.#relock);
    this.parts.keys.lock();
    this.#unlockedUntil = 0;
  }

  /** @returns false for a wrong old passphrase */
  async changePassphrase(old: string, next: string): Promise<boolean> {
    const { keys, file, commit } = this.parts;
    if (!(await keys.changePassphrase(old, next))) return false;
    commit();
    // The old passphrase must not open what is left of the old record either.
    file.rewrite();
    return true;
  }
}

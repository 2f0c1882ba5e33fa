import type { Clock } from '../../util/clock.js';
import { NodeError } from '../../util/errors.js';
import type { DerivationCost } from '../store/records.js';
import { newMasterKey, sealMasterKey } from '../store/seal.js';
import { type KeyChain, newSeed } from './key-chain.js';
import type { KeyChanges } from './key-changes.js';
import type { Keys } from './keys.js';

/** Parts of the wallet that its encryption uses. */
export interface EncryptionParts {
  readonly keys: Keys;
  readonly keyChain: KeyChain;
  readonly clock: Clock;
  /** Cost of the derivation from a passphrase, an exponent of two; undefined for the default. */
  readonly passphraseCost: DerivationCost | undefined;
  readonly keyChanges: Pick<KeyChanges, 'run' | 'replace'>;
  /** Called when the time until which the wallet is unlocked has changed. */
  readonly onChange: () => void;
  /** Removes unencrypted keys from other files in the wallet's directory. @throws if that fails */
  readonly renewLeftovers: () => void;
}

/** Longest delay of a timer, ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The wallet has a passphrase already. */
export class AlreadyEncrypted extends NodeError {
  constructor() {
    super('wallet-wrong-state', 'Error: running with an encrypted wallet, but encryptwallet was called.');
  }
}

/**
 * Encryption of a wallet by a passphrase, locking and unlocking. A passphrase is a string, which JavaScript cannot wipe; everything
 * derived from it is wiped after use. @see docs/protocol/wallet.md 1.12
 */
export class Encryption {
  #unlockedUntil = 0;
  #relock: NodeJS.Timeout | undefined;

  constructor(private readonly parts: EncryptionParts) {}

  /** Time at which the wallet locks itself, seconds since 1970; 0 while it is locked. */
  get unlockedUntil(): number {
    return this.#unlockedUntil;
  }

  /**
   * Encrypts the private keys and sets a new seed, atomically; afterwards the wallet is locked, and its file contains no unencrypted
   * key.
   * @throws {AlreadyEncrypted} also if a concurrent call encrypts it first
   */
  encrypt(passphrase: string): Promise<void> {
    const { keys, keyChain, keyChanges, passphraseCost } = this.parts;
    return keyChanges.run(async (signal) => {
      if (keys.isEncrypted) throw new AlreadyEncrypted();
      const masterKey = newMasterKey();
      try {
        const record = await sealMasterKey(masterKey, passphrase, passphraseCost);
        const fresh = keyChain.hasSeed ? await keyChain.prepareSeed(newSeed(), { masterKey, withPool: true, signal }) : undefined;
        await keyChanges.replace({ masterKey, passphrase: { text: passphrase, record }, fresh });
      } finally {
        masterKey.fill(0);
      }
      this.parts.renewLeftovers();
    });
  }

  /** Unlocks the wallet for a time. @returns false for a wrong passphrase */
  unlock(passphrase: string, seconds: number): Promise<boolean> {
    const { keys, keyChain, clock, keyChanges } = this.parts;
    return keyChanges.run(async (signal) => {
      if (!(await keys.unlock(passphrase))) return false;
      clearTimeout(this.#relock);
      try {
        await keyChain.topUp({ signal });
      } catch (error) {
        this.lockNow();
        throw error;
      }
      // A later call has locked the wallet in the meantime.
      if (keys.isLocked) return true;
      this.#unlockedUntil = clock.seconds() + seconds;
      this.parts.onChange();
      this.#lockLater(seconds * 1000);
      return true;
    });
  }

  #lockLater(leftMs: number): void {
    const step = Math.min(leftMs, LONGEST_TIMER_MS);
    this.#relock = setTimeout(() => (leftMs > step ? this.#lockLater(leftMs - step) : this.lockNow()), step);
    this.#relock.unref();
  }

  /** Locks immediately, and again after an unlock in progress. */
  lock(): Promise<void> {
    this.lockNow();
    return this.parts.keyChanges.run(() => this.lockNow());
  }

  lockNow(): void {
    clearTimeout(this.#relock);
    this.parts.keys.lock();
    this.#unlockedUntil = 0;
    this.parts.onChange();
  }

  /** @returns false for a wrong old passphrase */
  changePassphrase(old: string, next: string): Promise<boolean> {
    const { keys, keyChanges, passphraseCost } = this.parts;
    return keyChanges.run(async () => {
      const masterKey = await keys.openMasterKey(old);
      if (!masterKey) return false;
      try {
        const record = await sealMasterKey(masterKey, next, passphraseCost);
        await keyChanges.replace({ masterKey, passphrase: { text: next, record }, fresh: undefined });
      } finally {
        masterKey.fill(0);
      }
      return true;
    });
  }
}

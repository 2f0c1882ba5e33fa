import { publicKeyOf } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import type { PrivateKey } from '../../crypto/keys.js';
import { NodeError } from '../../util/errors.js';
import { Exclusive } from '../../util/exclusive.js';
import { inBackground } from '../../util/slicer.js';
import { WalletUnloaded } from '../store/file-errors.js';
import type { Replacement } from '../store/replacement.js';
import { type KeyChain, newSeed } from './key-chain.js';
import type { KeyPool } from './key-pool.js';
import { type KeyChange, KeyReplacement } from './key-replacement.js';
import type { Keys } from './keys.js';

const BOTH_FORMS = [true, false];

export interface KeyChangesParts {
  readonly keys: Keys;
  readonly keyPool: KeyPool;
  readonly keyChain: Pick<KeyChain, 'topUp' | 'topUpSteps' | 'prepareSeed'>;
  /** Writes pending changes; they are on disk when it returns. */
  readonly commit: () => void;
  readonly file: { replaceWith(replacement: Replacement): Promise<void> };
  readonly onFailedTopUp: (error: unknown) => void;
}

/** Changes of a wallet's keys and of their encryption, which run one after the other until the wallet is unloaded. */
export class KeyChanges {
  readonly #queue = new Exclusive();
  readonly #life = new AbortController();
  /** Interrupts the top-up in the background, if there is one. */
  #toppingUp: AbortController | undefined;

  constructor(private readonly parts: KeyChangesParts) {}

  /**
   * Runs a change after those before it; a top-up in the background continues after it.
   * @param change receives a signal that is aborted when the wallet is unloaded
   */
  run<T>(change: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    this.#toppingUp?.abort();
    return this.#enqueue(change);
  }

  #enqueue<T>(change: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    const { signal } = this.#life;
    return this.#queue.run(() => {
      signal.throwIfAborted();
      return change(signal);
    });
  }

  /** Aborts all changes, as the wallet is unloaded. */
  abort(): void {
    this.#life.abort(new WalletUnloaded());
  }

  /** True once all changes are aborted. */
  get isAborted(): boolean {
    return this.#life.signal.aborted;
  }

  /** Resolves when no change runs. */
  finished(): Promise<void> {
    return this.#queue.run(() => {});
  }

  /** Replaces all keys at once, on disk and then in memory; part of a change that runs. */
  replace(change: KeyChange): Promise<void> {
    const { keys, keyPool, commit, file } = this.parts;
    return file.replaceWith(new KeyReplacement(change, { keys, keyPool, commit })).finally(() => change.fresh?.keys.lock());
  }

  /** Fills the key pool, in slices. @param size target size of each pool @returns false as `KeyChain.topUp` */
  topUp(size?: number, signal?: AbortSignal): Promise<boolean> {
    return this.run((unloaded) =>
      this.parts.keyChain.topUp({
        size,
        signal: signal ? AbortSignal.any([signal, unloaded]) : unloaded,
      }),
    );
  }

  /** Fills the key pool in the background. Resolves at the end; a failure is reported to `onFailedTopUp`. */
  async topUpSoon(): Promise<void> {
    if (this.#toppingUp) return;
    try {
      while (await this.#isInterrupted());
    } catch (error) {
      this.parts.onFailedTopUp(error);
    }
  }

  /** Tops up in the background. @returns true if another change came between */
  async #isInterrupted(): Promise<boolean> {
    const interruption = new AbortController();
    this.#toppingUp = interruption;
    const { signal } = interruption;
    try {
      await this.#enqueue((unloaded) => inBackground(this.parts.keyChain.topUpSteps(), { signal: AbortSignal.any([unloaded, signal]) }));
      return false;
    } catch (error) {
      if (signal.aborted && !this.isAborted) return true;
      throw error;
    } finally {
      this.#toppingUp = undefined;
    }
  }

  /**
   * Sets the seed of new keys.
   * @param seed undefined for a random one
   * @param newKeyPool replaces the key pool by keys of the new seed
   * @param onReplaced called when the file has the new seed
   * @throws {NodeError} if the wallet is locked, or has the seed as a key, compressed or not
   */
  setSeed(seed: PrivateKey | undefined, newKeyPool: boolean, onReplaced: () => void): Promise<void> {
    return this.run(async (signal) => {
      const { keys, keyChain } = this.parts;
      keys.requireUnlocked();
      if (seed && BOTH_FORMS.some((compressed) => keys.hasPrivateKey(hash160(publicKeyOf(seed.secret, compressed))))) {
        throw new NodeError('invalid-address', 'Already have this key (either as an HD seed or as a loose private key)');
      }
      const masterKey = keys.copyMasterKey();
      try {
        const fresh = await keyChain.prepareSeed(seed ?? newSeed(), { masterKey, withPool: newKeyPool, signal });
        await this.replace({ masterKey, passphrase: undefined, fresh });
      } finally {
        masterKey?.fill(0);
      }
      onReplaced();
      await keyChain.topUp({ signal });
    });
  }
}

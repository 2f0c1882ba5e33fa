import { isSecretKey } from '../../crypto/ecdsa.js';
import { NodeError } from '../../util/errors.js';
import { Slicer } from '../../util/slicer.js';
import type { SealedMasterKey, StoredKey } from '../store/records.js';
import { openMasterKey, seal, unseal } from '../store/seal.js';

/** A private key as it is stored. */
export interface OwnKey extends StoredKey {
  readonly publicKey: Uint8Array;
}

/** The operation needs private keys, but the wallet is locked. */
export class UnlockNeeded extends NodeError {
  constructor() {
    super('unlock-needed', 'Error: Please enter the wallet passphrase with walletpassphrase first.');
  }
}

/** Master key of an encrypted wallet: its record in the file and, while the wallet is unlocked, the key itself. */
export class MasterKey {
  /** Undefined if the wallet is not encrypted. */
  record: SealedMasterKey | undefined;
  #key: Uint8Array | undefined;
  /** All private keys were decrypted successfully at an unlock. */
  #allVerified = false;

  get isLocked(): boolean {
    return this.record !== undefined && this.#key === undefined;
  }

  /** Wipes the key. */
  lock(): void {
    this.#key?.fill(0);
    this.#key = undefined;
  }

  /** Sets the key, which `lock` wipes. */
  openWith(key: Uint8Array): void {
    this.lock();
    this.#key = key;
  }

  /** Decrypts the key, which the caller wipes. @returns undefined for a wrong passphrase */
  async decrypt(passphrase: string): Promise<Uint8Array | undefined> {
    return this.record && (await openMasterKey(this.record, passphrase));
  }

  /** A copy of the key, which the caller wipes; undefined while the wallet is locked or not encrypted. */
  copy(): Uint8Array | undefined {
    return this.#key && Uint8Array.from(this.#key);
  }

  /** A private key as it is stored: encrypted, if the wallet is. The wallet must not be locked. */
  seal(secret: Uint8Array, publicKey: Uint8Array): OwnKey {
    return this.#key
      ? { publicKey, secret: seal(secret, this.#key, publicKey), isSealed: true }
      : { publicKey, secret: Uint8Array.from(secret), isSealed: false };
  }

  /** @returns the stored secret itself if it is not encrypted; undefined if the wallet is locked @throws {NodeError} if it is damaged */
  unseal({ publicKey, secret, isSealed }: OwnKey): Uint8Array | undefined {
    if (!isSealed) return secret;
    if (!this.#key) return undefined;
    const opened = unseal(secret, this.#key, publicKey);
    if (!opened) throw new NodeError('wallet', 'Private key of the wallet is damaged');
    return opened;
  }

  /** Decrypts all private keys at the first unlock, and one of them at later ones. @throws {NodeError} if that fails */
  async verify(keys: readonly OwnKey[], masterKey: Uint8Array): Promise<void> {
    const slicer = new Slicer();
    for (const { publicKey, secret, isSealed } of keys) {
      const opened = isSealed ? unseal(secret, masterKey, publicKey) : undefined;
      const fits = opened !== undefined && isSecretKey(opened);
      opened?.fill(0);
      if (!fits) {
        throw new NodeError('misc', 'Error unlocking wallet: some keys decrypt but not all. Your wallet file may be corrupt.');
      }
      if (this.#allVerified) return;
      const paused = slicer.pause();
      if (paused) await paused;
    }
    this.#allVerified = true;
  }
}

import { COMPRESSED_KEY_SIZE, isPublicKey, isSecretKey, publicKeyOf, uncompressed } from '../../crypto/ecdsa.js';
import { hash160, sha256 } from '../../crypto/hash.js';
import type { KeyOrigin } from '../../crypto/key-path.js';
import type { PrivateKey } from '../../crypto/keys.js';
import { scriptOf } from '../../script/address.js';
import { evmAddressOf } from '../../script/erc55.js';
import type { KeySource } from '../../script/key-source.js';
import { classify } from '../../script/standard.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { Slicer } from '../../util/slicer.js';
import type { HdChain, Metadata, SealedMasterKey, StoredKey } from '../store/records.js';
import * as records from '../store/records.js';
import { openMasterKey, seal, unseal } from '../store/seal.js';
import type { WalletStore } from '../store/store.js';
import { keyIdsOf } from './ownership.js';

interface HeldKey extends StoredKey {
  readonly publicKey: Uint8Array;
}

const NO_METADATA: Metadata = { createdAt: 0, origin: undefined, seedId: undefined };

/** An operation needs private keys of a locked wallet. */
export class UnlockNeeded extends NodeError {
  constructor() {
    super('unlock-needed', 'Error: Please enter the wallet passphrase with walletpassphrase first.');
  }
}

/**
 * The keys and scripts of a wallet. Private keys of an encrypted wallet are opened one at a time while it is unlocked. What is
 * added is written with the batch that the caller commits.
 */
export class Keys implements KeySource {
  readonly #store: WalletStore;
  readonly #keys = new Map<string, HeldKey>();
  /** Public keys without secret, by key id. */
  readonly #watchedKeys = new Map<string, Uint8Array>();
  readonly #keyMetadata = new Map<string, Metadata>();
  readonly #scriptMetadata = new Map<string, Metadata>();
  /** Redeem and witness scripts by HASH160, those that follow from a key included. */
  readonly #scripts = new Map<string, Uint8Array>();
  readonly #ownScripts = new Map<string, Uint8Array>();
  readonly #watched = new Map<string, Uint8Array>();
  readonly #byEvm = new Map<string, Uint8Array>();
  /** By the id that the long form of the key would have. */
  readonly #byLongForm = new Map<string, Uint8Array>();
  readonly #evmNoted = new Set<string>();
  #masterKeyRecord: SealedMasterKey | undefined;
  #masterKey: Uint8Array | undefined;
  #allVerified = false;
  #hdChain: HdChain | undefined;
  /** Added scripts by the ids of the keys that they name. */
  readonly #scriptsByKey = new Map<string, Uint8Array[]>();
  #listener: ((scripts: readonly Uint8Array[]) => void) | undefined;

  constructor(store: WalletStore) {
    this.#store = store;
    for (const [, record] of store.rows(records.masterKeys)) this.#masterKeyRecord = record;
    for (const [publicKey, stored] of store.rows(records.keys)) this.#hold({ ...stored, publicKey });
    for (const [publicKey, meta] of store.rows(records.keyMetadata)) this.#keyMetadata.set(idOf(publicKey), meta);
    for (const [script, meta] of store.rows(records.scriptMetadata)) this.#scriptMetadata.set(toHex(script), meta);
    for (const [script] of store.rows(records.scripts)) this.#learn(script);
    for (const [script] of store.rows(records.watched)) this.#watch(script);
    this.#hdChain = store.single(records.hdChain);
  }

  /** Tells from now on of output scripts of which another may be the owner than before. */
  onScripts(listener: (scripts: readonly Uint8Array[]) => void): void {
    this.#listener = listener;
  }

  get isEncrypted(): boolean {
    return this.#masterKeyRecord !== undefined;
  }

  get isLocked(): boolean {
    return this.isEncrypted && this.#masterKey === undefined;
  }

  /** @throws {UnlockNeeded} */
  requireUnlocked(): void {
    if (this.isLocked) throw new UnlockNeeded();
  }

  get hdChain(): HdChain | undefined {
    return this.#hdChain;
  }

  setHdChain(chain: HdChain): void {
    this.#hdChain = chain;
    this.#store.put(records.hdChain, records.ONLY, chain);
  }

  publicKey(keyId: Uint8Array): Uint8Array | undefined {
    const id = toHex(keyId);
    return this.#keys.get(id)?.publicKey ?? this.#watchedKeys.get(id);
  }

  /** The key that has this address in the EVM. The first question looks at all keys, later ones at those that came since. */
  publicKeyOfEvm(address: Uint8Array): Uint8Array | undefined {
    this.#noteAllEvm();
    return this.#byEvm.get(toHex(address));
  }

  /** The key whose long form has this id: an address of the EVM stands for it on the native side too. */
  publicKeyOfLongForm(keyId: Uint8Array): Uint8Array | undefined {
    this.#noteAllEvm();
    return this.#byLongForm.get(toHex(keyId));
  }

  #noteAllEvm(): void {
    for (const [id, { publicKey }] of this.#keys) this.#noteEvm(id, publicKey);
    for (const [id, publicKey] of this.#watchedKeys) this.#noteEvm(id, publicKey);
  }

  #noteEvm(id: string, publicKey: Uint8Array): void {
    if (this.#evmNoted.has(id)) return;
    this.#evmNoted.add(id);
    const address = evmAddressOf(publicKey);
    if (address) this.#byEvm.set(toHex(address), publicKey);
    const long = uncompressed(publicKey);
    if (long) this.#byLongForm.set(idOf(long), publicKey);
  }

  origin(publicKey: Uint8Array): KeyOrigin | undefined {
    const id = idOf(publicKey);
    const known = this.#keyMetadata.get(id)?.origin;
    if (known) return known;
    // A key without history is its own origin.
    return { fingerprint: hash160(publicKey).subarray(0, 4), path: [] };
  }

  script(scriptId: Uint8Array): Uint8Array | undefined {
    return this.#scripts.get(toHex(scriptId));
  }

  /** Redeem and witness scripts that were added, without those that follow from keys. */
  addedScripts(): Iterable<Uint8Array> {
    return this.#ownScripts.values();
  }

  /** All redeem and witness scripts with their ids in hex. */
  scripts(): Iterable<readonly [string, Uint8Array]> {
    return this.#scripts;
  }

  /** The secret is held, though perhaps locked. */
  hasPrivateKey(keyId: Uint8Array): boolean {
    return this.#keys.has(toHex(keyId));
  }

  /** Public keys whose secrets are held. */
  *publicKeys(): Generator<Uint8Array> {
    for (const { publicKey } of this.#keys.values()) yield publicKey;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** @returns undefined for a key that is not held, and for any while the wallet is locked */
  privateKey(keyId: Uint8Array): PrivateKey | undefined {
    const held = this.#keys.get(toHex(keyId));
    if (!held) return undefined;
    const compressed = held.publicKey.length === COMPRESSED_KEY_SIZE;
    if (!held.isSealed) return { secret: held.secret, compressed };
    if (!this.#masterKey) return undefined;
    const secret = unseal(held.secret, this.#masterKey, held.publicKey);
    if (!secret) throw new NodeError('wallet', 'Private key of the wallet is damaged');
    return { secret, compressed };
  }

  /** Hands a private key to `use`, which keeps nothing of it: what was opened for it is wiped. @returns undefined as {@link privateKey} */
  usePrivateKey<T>(keyId: Uint8Array, use: (key: PrivateKey) => T): T | undefined {
    const key = this.privateKey(keyId);
    if (!key) return undefined;
    try {
      return use(key);
    } finally {
      // The secret of a plain wallet is the one that is held.
      if (this.#keys.get(toHex(keyId))?.isSealed) key.secret.fill(0);
    }
  }

  /** Knowledge of a key that it holds or watches; undefined for any other. */
  metadata(keyId: Uint8Array): Metadata | undefined {
    return this.#keyMetadata.get(toHex(keyId));
  }

  scriptMetadata(script: Uint8Array): Metadata | undefined {
    return this.#scriptMetadata.get(toHex(script));
  }

  /** Earliest time at which a key or script of the wallet can have been paid; 1 where that is unknown. */
  birthday(now: number): number {
    let earliest = now;
    for (const meta of [...this.#keyMetadata.values(), ...this.#scriptMetadata.values()]) earliest = Math.min(earliest, meta.createdAt);
    return Math.max(earliest, 1);
  }

  /**
   * Takes in a private key. Scripts that were only watched on its account are its own now.
   * @returns false if it was here
   * @throws {UnlockNeeded}
   */
  addPrivateKey({ secret, compressed }: PrivateKey, meta: Metadata = NO_METADATA): boolean {
    this.requireUnlocked();
    const publicKey = publicKeyOf(secret, compressed);
    if (this.#keys.has(idOf(publicKey))) return false;
    const held: HeldKey = this.#masterKey
      ? { publicKey, secret: seal(secret, this.#masterKey, publicKey), isSealed: true }
      : { publicKey, secret: Uint8Array.from(secret), isSealed: false };
    this.#hold(held);
    this.#store.put(records.keys, publicKey, { secret: held.secret, isSealed: held.isSealed });
    this.setMetadata(publicKey, meta);
    this.#unwatchKey(publicKey);
    return true;
  }

  #unwatchKey(publicKey: Uint8Array): void {
    for (const script of [scriptOf({ type: 'pkh', hash: hash160(publicKey) }), payToPublicKey(publicKey)]) this.unwatch(script);
  }

  setMetadata(publicKey: Uint8Array, meta: Metadata): void {
    this.#keyMetadata.set(idOf(publicKey), meta);
    this.#store.put(records.keyMetadata, publicKey, meta);
  }

  addScript(script: Uint8Array, createdAt = 0): boolean {
    const id = toHex(hash160(script));
    if (createdAt !== 0) this.#setScriptTime(script, createdAt);
    if (this.#ownScripts.has(id)) return false;
    this.#learn(script);
    this.#store.put(records.scripts, script, new Uint8Array(0));
    return true;
  }

  /** Looks out for an output script. A bare public key makes its key known too. */
  addWatched(script: Uint8Array, createdAt: number): void {
    this.#setScriptTime(script, createdAt);
    if (this.#watched.has(toHex(script))) return;
    this.#watch(script);
    this.#store.put(records.watched, script, new Uint8Array(0));
  }

  /** Makes a public key known without its secret: its bare script is watched. */
  addPublicKey(publicKey: Uint8Array, meta: Metadata): void {
    this.addWatched(payToPublicKey(publicKey), meta.createdAt);
    this.setMetadata(publicKey, meta);
  }

  unwatch(script: Uint8Array): void {
    if (!this.#watched.delete(toHex(script))) return;
    this.#store.delete(records.watched, script);
    this.#watchChanged(script);
  }

  /** Tells of a script and those that hold it. */
  #watchChanged(script: Uint8Array): void {
    if (!this.#listener) return;
    const { type, solutions } = classify(script);
    const [hash] = solutions;
    const programs = type === 'pubkeyhash' && hash ? scriptsAround(scriptOf({ type: 'wpkh', hash })) : [];
    this.#listener([...scriptsAround(script), ...programs]);
  }

  isWatched(script: Uint8Array): boolean {
    return this.#watched.has(toHex(script));
  }

  get watchesAnything(): boolean {
    return this.#watched.size > 0;
  }

  #setScriptTime(script: Uint8Array, createdAt: number): void {
    const meta = { ...NO_METADATA, createdAt };
    this.#scriptMetadata.set(toHex(script), meta);
    this.#store.put(records.scriptMetadata, script, meta);
  }

  #hold(held: HeldKey): void {
    const id = idOf(held.publicKey);
    this.#keys.set(id, held);
    this.#watchedKeys.delete(id);
    this.#learnOfKey(held.publicKey);
    this.#keyChanged(held.publicKey);
  }

  #learn(script: Uint8Array): void {
    const id = toHex(hash160(script));
    this.#scripts.set(id, script);
    this.#ownScripts.set(id, script);
    for (const keyId of keyIdsOf(script, this)) {
      const known = this.#scriptsByKey.get(toHex(keyId));
      if (known) known.push(script);
      else this.#scriptsByKey.set(toHex(keyId), [script]);
    }
    this.#listener?.(scriptsAround(script));
  }

  /** The witness program of a key is known wherever the key is. */
  #learnOfKey(publicKey: Uint8Array): void {
    if (publicKey.length !== COMPRESSED_KEY_SIZE) return;
    const script = scriptOf({ type: 'wpkh', hash: hash160(publicKey) });
    this.#scripts.set(toHex(hash160(script)), script);
  }

  #watch(script: Uint8Array): void {
    this.#watched.set(toHex(script), script);
    const { type, solutions } = classify(script);
    const [key] = solutions;
    this.#watchChanged(script);
    if (type !== 'pubkey' || !key || !isPublicKey(key)) return;
    if (!this.#keys.has(idOf(key))) this.#watchedKeys.set(idOf(key), key);
    this.#learnOfKey(key);
    this.#keyChanged(key);
  }

  /** Tells of the scripts that a key decides about: its own, and those that name it. */
  #keyChanged(publicKey: Uint8Array): void {
    if (!this.#listener) return;
    const hash = hash160(publicKey);
    const named = this.#scriptsByKey.get(toHex(hash)) ?? [];
    this.#listener([
      payToPublicKey(publicKey),
      scriptOf({ type: 'pkh', hash }),
      ...scriptsAround(scriptOf({ type: 'wpkh', hash })),
      ...named.flatMap(scriptsAround),
    ]);
  }

  /** Forgets what opens the private keys. */
  lock(): void {
    this.#masterKey?.fill(0);
    this.#masterKey = undefined;
  }

  /** @returns false for a wrong passphrase. @throws {NodeError} if keys do not belong to the passphrase's master key */
  async unlock(passphrase: string): Promise<boolean> {
    const masterKey = await this.openMasterKey(passphrase);
    if (!masterKey) return false;
    await this.#verifyKeys(masterKey);
    this.openWith(masterKey);
    return true;
  }

  /** The master key, which the caller wipes. @returns undefined for a wrong passphrase */
  async openMasterKey(passphrase: string): Promise<Uint8Array | undefined> {
    return this.#masterKeyRecord && (await openMasterKey(this.#masterKeyRecord, passphrase));
  }

  /** Opens and seals private keys with this master key from now on; `lock` wipes it. */
  openWith(masterKey: Uint8Array): void {
    this.lock();
    this.#masterKey = masterKey;
  }

  /** A copy of the master key, which the caller wipes; undefined while the wallet is locked or not encrypted. */
  copyMasterKey(): Uint8Array | undefined {
    return this.#masterKey && Uint8Array.from(this.#masterKey);
  }

  /** The first time all keys, later one. */
  async #verifyKeys(masterKey: Uint8Array): Promise<void> {
    const slicer = new Slicer();
    for (const { publicKey, secret, isSealed } of [...this.#keys.values()]) {
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

  /** A copy of a key's secret, which the caller wipes; undefined for a key that is not held or does not open. */
  secretOf(publicKey: Uint8Array, masterKey: Uint8Array | undefined): Uint8Array | undefined {
    const held = this.#keys.get(idOf(publicKey));
    if (!held?.isSealed) return held && Uint8Array.from(held.secret);
    return masterKey && unseal(held.secret, masterKey, publicKey);
  }

  /** Makes a wallet that has no keys yet an encrypted one. */
  beginSealed(record: SealedMasterKey, masterKey: Uint8Array): void {
    if (this.isEncrypted || this.#keys.size > 0) throw new Error('the wallet has keys already');
    this.#masterKeyRecord = record;
    this.#store.put(records.masterKeys, records.ONLY, record);
    this.openWith(masterKey);
  }

  /** The file holds these keys sealed, and another record of the master key: their plain forms are wiped. */
  sealed(record: SealedMasterKey, secrets: ReadonlyMap<string, StoredKey>): void {
    this.#masterKeyRecord = record;
    for (const [id, stored] of secrets) {
      const held = this.#keys.get(id);
      if (!held) continue;
      held.secret.fill(0);
      this.#keys.set(id, { ...stored, publicKey: held.publicKey });
    }
  }

  /**
   * Takes over keys that the file holds already, and the seed that they come from.
   * @param scripts output scripts that these keys decide about
   */
  adopt(fresh: Keys, scripts: readonly Uint8Array[]): void {
    for (const [id, held] of fresh.#keys) {
      this.#keys.set(id, held);
      this.#watchedKeys.delete(id);
    }
    for (const [id, script] of fresh.#scripts) this.#scripts.set(id, script);
    for (const [id, meta] of fresh.#keyMetadata) this.#keyMetadata.set(id, meta);
    this.#hdChain = fresh.#hdChain;
    const named = [...fresh.#keys.keys()].flatMap((id) => this.#scriptsByKey.get(id) ?? []);
    this.#listener?.([...scripts, ...named.flatMap(scriptsAround)]);
    if (!this.watchesAnything) return;
    for (const { publicKey } of fresh.#keys.values()) this.#unwatchKey(publicKey);
  }
}

/** Output script of a bare public key. */
export function payToPublicKey(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.of(publicKey.length, ...publicKey, 0xac);
}

/** Output scripts that a redeem or witness script decides about. */
function scriptsAround(script: Uint8Array): Uint8Array[] {
  const witness = scriptOf({ type: 'wsh', hash: sha256(script) });
  return [script, scriptOf({ type: 'sh', hash: hash160(script) }), witness, scriptOf({ type: 'sh', hash: hash160(witness) })];
}

function idOf(publicKey: Uint8Array): string {
  return toHex(hash160(publicKey));
}

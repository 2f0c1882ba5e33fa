import { COMPRESSED_KEY_SIZE, compressed, isPublicKey, publicKeyOf } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import type { KeyOrigin } from '../../crypto/key-path.js';
import type { PrivateKey } from '../../crypto/keys.js';
import { scriptOf } from '../../script/address.js';
import type { ImpersonatedOwners } from '../../script/impersonation.js';
import type { KeySource } from '../../script/key-source.js';
import { type ClassifyOptions, classify } from '../../script/standard.js';
import { toHex } from '../../util/bytes.js';
import { MaybeSet } from '../../util/maybe-set.js';
import type { HdChain, Metadata, SealedMasterKey, StoredKey } from '../store/records.js';
import * as records from '../store/records.js';
import { unseal } from '../store/seal.js';
import type { WalletStore } from '../store/store.js';
import { EvmKeys } from './evm-keys.js';
import { KeyMetadata, NO_METADATA } from './key-metadata.js';
import { keyIdHex, payToPublicKey, scriptsAround, scriptsOfKey, scriptsWatchedWith } from './key-scripts.js';
import { KnownScripts } from './known-scripts.js';
import { MasterKey, type OwnKey, UnlockNeeded } from './master-key.js';
import { hashAt, keyIdsOf } from './ownership.js';

/**
 * Options of the keys. With `metachain`, a private key also counts under the id of its uncompressed form and under its EVM address, as in
 * `defid` from 4.0 on.
 */
export interface KeysOptions extends ClassifyOptions {
  readonly impersonated?: Pick<ImpersonatedOwners, 'has'> | undefined;
}

/**
 * Keys and scripts of a wallet. While an encrypted wallet is unlocked, a private key is decrypted each time it is used. Additions are
 * written with the batch that the caller commits.
 */
export class Keys implements KeySource {
  readonly #store: WalletStore;
  readonly #keys = new Map<string, OwnKey>();
  /** Public keys without private key, by key id. */
  readonly #watchedKeys = new Map<string, Uint8Array>();
  readonly #metadata: KeyMetadata;
  readonly #scripts = new KnownScripts();
  /** Ids of the private keys, of their uncompressed forms, the added scripts and the programs, and hashes in watched scripts. */
  readonly #known = new MaybeSet();
  /** Watch-only output scripts, by hex. */
  readonly #watched = new Map<string, Uint8Array>();
  readonly #evmKeys: EvmKeys;
  readonly metachain: boolean;
  readonly #impersonated: KeysOptions['impersonated'];
  readonly #master = new MasterKey();
  /** True if the key of the wallet's seed is missing: no new keys can be derived until another seed is set. */
  readonly lostSeed: boolean;
  #hdChain: HdChain | undefined;
  #listener: ((scripts: readonly Uint8Array[]) => void) | undefined;

  constructor(store: WalletStore, { impersonated, metachain = false }: KeysOptions = {}) {
    this.#store = store;
    this.#impersonated = impersonated;
    this.metachain = metachain;
    this.#evmKeys = new EvmKeys(metachain);
    for (const [, record] of store.rows(records.masterKeys)) this.#master.record = record;
    for (const [publicKey, stored] of store.rows(records.keys)) this.#add({ ...stored, publicKey });
    this.#metadata = new KeyMetadata(store);
    for (const [script] of store.rows(records.scripts)) this.#addScriptToMemory(script);
    for (const [script] of store.rows(records.watched)) this.#watch(script);
    const hdChain = store.single(records.hdChain);
    // Salvage may have recovered the other keys of a damaged file.
    this.lostSeed = hdChain !== undefined && !this.#keys.has(toHex(hdChain.seedId));
    if (!this.lostSeed) this.#hdChain = hdChain;
  }

  /** Sets the listener that receives output scripts whose ownership may have changed. */
  onScripts(listener: (scripts: readonly Uint8Array[]) => void): void {
    this.#listener = listener;
  }

  get isEncrypted(): boolean {
    return this.#master.record !== undefined;
  }

  /** True if private keys are encrypted and the master key that decrypts them is missing. */
  get lacksMasterKey(): boolean {
    if (this.isEncrypted) return false;
    for (const { isSealed } of this.#keys.values()) if (isSealed) return true;
    return false;
  }

  get isLocked(): boolean {
    return this.#master.isLocked;
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

  impersonates(scriptPubKey: Uint8Array): boolean {
    return this.#impersonated?.has(scriptPubKey) === true;
  }

  /**
   * Public key with this id. For the id of the uncompressed form it is the key in the form that the wallet has. Signatures for the P2PKH
   * address of that id are therefore not valid, as in `defid` from 4.0 on.
   */
  publicKey(keyId: Uint8Array): Uint8Array | undefined {
    return this.exactKey(keyId) ?? this.#keyOf(keyId)?.publicKey;
  }

  /** Public key whose HASH160 is the id. */
  exactKey(keyId: Uint8Array): Uint8Array | undefined {
    const id = toHex(keyId);
    return this.#keys.get(id)?.publicKey ?? this.#watchedKeys.get(id);
  }

  /** Private key with this id, or whose uncompressed form has it. */
  #keyOf(keyId: Uint8Array): OwnKey | undefined {
    const own = this.#keys.get(toHex(keyId));
    if (own || !this.metachain) return own;
    const publicKey = this.#evmKeys.withLongForm(keyId);
    return publicKey && this.#keys.get(keyIdHex(publicKey));
  }

  /** Key with this EVM address whose private key the wallet has. The first call indexes all keys, later ones those that were added since. */
  publicKeyOfEvm(address: Uint8Array): Uint8Array | undefined {
    return this.#evmKeys.withAddress(address);
  }

  /** Public key whose uncompressed form has this id: the DVM account of its EVM address. */
  publicKeyOfLongForm(keyId: Uint8Array): Uint8Array | undefined {
    return this.#evmKeys.withLongForm(keyId);
  }

  origin(publicKey: Uint8Array): KeyOrigin | undefined {
    const id = keyIdHex(publicKey);
    const known = this.#metadata.ofKey(id)?.origin;
    if (known) return known;
    // A key without recorded origin is its own master key.
    return { fingerprint: hash160(publicKey).subarray(0, 4), path: [] };
  }

  script(scriptId: Uint8Array): Uint8Array | undefined {
    return this.#scripts.script(toHex(scriptId)) ?? (this.metachain ? this.#evmKeys.scriptWithId(scriptId) : undefined);
  }

  /** Redeem and witness scripts that were added, without the witness programs of keys. */
  addedScripts(): Iterable<Uint8Array> {
    return this.#scripts.added();
  }

  /** All redeem and witness scripts with their ids in hex, and those that the keys imply. */
  *scripts(): Generator<readonly [string, Uint8Array]> {
    yield* this.#scripts.all();
    if (!this.metachain) return;
    for (const [id, script] of this.#evmKeys.scripts()) if (!this.#scripts.hasAdded(id)) yield [id, script];
  }

  /** True if the wallet has the private key, encrypted or not. */
  hasPrivateKey(keyId: Uint8Array): boolean {
    return this.#keyOf(keyId) !== undefined;
  }

  /** @returns false if the hash at that place is neither the id of a key of the wallet, nor that of a script that it has, nor watched */
  mayKnow(bytes: Uint8Array, at: number): boolean {
    return this.#known.mayHave(bytes, at);
  }

  /** Public keys of all private keys. */
  *publicKeys(): Generator<Uint8Array> {
    for (const { publicKey } of this.#keys.values()) yield publicKey;
  }

  /** Number of private keys. */
  get size(): number {
    return this.#keys.size;
  }

  /** @returns undefined if the wallet does not have the key, or is locked */
  privateKey(keyId: Uint8Array): PrivateKey | undefined {
    const own = this.#keyOf(keyId);
    if (!own) return undefined;
    const secret = this.#master.unseal(own);
    return secret && { secret, compressed: own.publicKey.length === COMPRESSED_KEY_SIZE };
  }

  /** Passes a private key to `use`, and wipes the decrypted secret afterwards. @returns undefined as {@link privateKey} */
  usePrivateKey<T>(keyId: Uint8Array, use: (key: PrivateKey) => T): T | undefined {
    const key = this.privateKey(keyId);
    if (!key) return undefined;
    try {
      return use(key);
    } finally {
      // In an unencrypted wallet the secret is the stored one, not a copy.
      if (this.#keyOf(keyId)?.isSealed) key.secret.fill(0);
    }
  }

  /** Metadata of a key of the wallet, with or without private key; undefined for others. */
  metadata(keyId: Uint8Array): Metadata | undefined {
    const known = this.#metadata.ofKey(toHex(keyId));
    if (known) return known;
    const own = this.#keyOf(keyId);
    return own && this.#metadata.ofKey(keyIdHex(own.publicKey));
  }

  /** Metadata of a key that is imported: the origin that an earlier import named stays. @param createdAt seconds since 1970 */
  datedMetadata(publicKey: Uint8Array, createdAt: number): Metadata {
    return { ...(this.metadata(hash160(publicKey)) ?? NO_METADATA), createdAt };
  }

  scriptMetadata(script: Uint8Array): Metadata | undefined {
    return this.#metadata.ofScript(script);
  }

  /** Earliest creation time of a key or script, seconds since 1970; 1 if that of one is unknown. */
  birthday(now: number): number {
    return this.#metadata.birthday(now, this.#keys.keys(), this.#watched.keys());
  }

  /**
   * Adds a private key. P2PKH and P2PK scripts of it are no longer watched.
   * @param publicKey that of the private key, if the caller has computed it
   * @returns false if the wallet had it
   * @throws {UnlockNeeded}
   */
  addPrivateKey({ secret, compressed }: PrivateKey, meta: Metadata = NO_METADATA, publicKey = publicKeyOf(secret, compressed)): boolean {
    this.requireUnlocked();
    if (this.#keys.has(keyIdHex(publicKey))) return false;
    const own = this.#master.seal(secret, publicKey);
    this.#add(own);
    this.#store.put(records.keys, publicKey, { secret: own.secret, isSealed: own.isSealed });
    this.setMetadata(publicKey, meta);
    this.#unwatchKey(publicKey);
    return true;
  }

  #unwatchKey(publicKey: Uint8Array): void {
    if (this.#watched.size === 0) return;
    for (const script of [scriptOf({ type: 'pkh', hash: hash160(publicKey) }), payToPublicKey(publicKey)]) this.unwatch(script);
  }

  setMetadata(publicKey: Uint8Array, meta: Metadata): void {
    this.#metadata.setKey(publicKey, meta);
  }

  /** Adds a redeem or witness script. @param createdAt seconds since 1970; 0 if unknown @returns false if the wallet had it */
  addScript(script: Uint8Array, createdAt = 0): boolean {
    const id = toHex(hash160(script));
    if (createdAt !== 0) this.#metadata.setScriptTime(script, createdAt);
    if (this.#scripts.hasAdded(id)) return false;
    this.#addScriptToMemory(script);
    this.#store.put(records.scripts, script, new Uint8Array(0));
    return true;
  }

  /** Adds a watch-only output script. That of a bare public key adds the key too. */
  addWatched(script: Uint8Array, createdAt: number): void {
    this.#metadata.setScriptTime(script, createdAt);
    if (this.#watched.has(toHex(script))) return;
    this.#watch(script);
    this.#store.put(records.watched, script, new Uint8Array(0));
  }

  /** Adds a public key without private key, by watching its P2PK script. @param createdAt seconds since 1970 */
  addPublicKey(publicKey: Uint8Array, createdAt: number): void {
    this.addWatched(payToPublicKey(publicKey), createdAt);
    this.setMetadata(publicKey, this.datedMetadata(publicKey, createdAt));
  }

  unwatch(script: Uint8Array): void {
    if (!this.#watched.delete(toHex(script))) return;
    this.#store.delete(records.watched, script);
    this.#watchChanged(script);
  }

  #watchChanged(script: Uint8Array): void {
    this.#listener?.(scriptsWatchedWith(script));
  }

  isWatched(script: Uint8Array): boolean {
    return this.#watched.has(toHex(script));
  }

  get watchesAnything(): boolean {
    return this.#watched.size > 0;
  }

  #add(own: OwnKey): void {
    const id = keyIdHex(own.publicKey);
    this.#keys.set(id, own);
    this.#known.add(id);
    this.#watchedKeys.delete(id);
    this.#addProgramOf(own.publicKey, id);
    const long = this.#evmKeys.add(own.publicKey);
    this.#keyChanged(own.publicKey, this);
    if (!long) return;
    this.#known.add(keyIdHex(long));
    this.#keyChanged(long);
  }

  #addScriptToMemory(script: Uint8Array): void {
    this.#known.add(this.#scripts.add(script, keyIdsOf(script, this)));
    this.#listener?.(scriptsAround(script));
  }

  /** Adds the witness program of a compressed key, which the key implies. */
  #addProgramOf(publicKey: Uint8Array, id: string): void {
    const programId = this.#scripts.addProgramOf(publicKey, id);
    if (programId !== undefined) this.#known.add(programId);
  }

  #watch(script: Uint8Array): void {
    this.#watched.set(toHex(script), script);
    const at = hashAt(script);
    if (at !== undefined) this.#known.add(toHex(script.subarray(at)));
    const { type, solutions } = classify(script);
    const [key] = solutions;
    this.#watchChanged(script);
    if (type !== 'pubkey' || !key || !isPublicKey(key)) return;
    if (!this.#keys.has(keyIdHex(key))) {
      this.#watchedKeys.set(keyIdHex(key), key);
      this.#evmKeys.addWatched(key);
    }
    const short = this.metachain ? (compressed(key) ?? key) : key;
    this.#addProgramOf(short, keyIdHex(short));
    this.#keyChanged(key, this);
  }

  /** Notifies of the scripts whose ownership depends on a key: its own, and added ones that pay it. */
  #keyChanged(publicKey: Uint8Array, options: ClassifyOptions = {}): void {
    this.#listener?.([...scriptsOfKey(publicKey, options), ...this.#scripts.withKey(keyIdHex(publicKey))]);
  }

  /** Wipes the master key. */
  lock(): void {
    this.#master.lock();
  }

  /** @returns false for a wrong passphrase @throws {NodeError} if the master key does not decrypt the private keys */
  async unlock(passphrase: string): Promise<boolean> {
    const masterKey = await this.openMasterKey(passphrase);
    if (!masterKey) return false;
    await this.#master.verify([...this.#keys.values()], masterKey);
    this.openWith(masterKey);
    return true;
  }

  /** The master key, which the caller wipes. @returns undefined for a wrong passphrase */
  openMasterKey(passphrase: string): Promise<Uint8Array | undefined> {
    return this.#master.decrypt(passphrase);
  }

  /** Sets the master key that decrypts and encrypts private keys; `lock` wipes it. */
  openWith(masterKey: Uint8Array): void {
    this.#master.openWith(masterKey);
  }

  /** A copy of the master key, which the caller wipes; undefined while the wallet is locked or not encrypted. */
  copyMasterKey(): Uint8Array | undefined {
    return this.#master.copy();
  }

  /** Copy of a private key's secret, which the caller wipes; undefined if the wallet does not have it, or it cannot be decrypted. */
  secretOf(publicKey: Uint8Array, masterKey: Uint8Array | undefined): Uint8Array | undefined {
    const own = this.#keys.get(keyIdHex(publicKey));
    if (!own?.isSealed) return own && Uint8Array.from(own.secret);
    return masterKey && unseal(own.secret, masterKey, publicKey);
  }

  /** Encrypts a wallet that has no keys yet. */
  beginSealed(record: SealedMasterKey, masterKey: Uint8Array): void {
    if (this.isEncrypted || this.#keys.size > 0) throw new Error('the wallet has keys already');
    this.#master.record = record;
    this.#store.put(records.masterKeys, records.ONLY, record);
    this.openWith(masterKey);
  }

  /** Adopts the sealed forms of keys and the record of the master key that are in the file now; wipes the unencrypted secrets. */
  adoptSealed(record: SealedMasterKey, secrets: ReadonlyMap<string, StoredKey>): void {
    this.#master.record = record;
    this.#store.noteChange();
    for (const [id, stored] of secrets) {
      const own = this.#keys.get(id);
      if (!own) continue;
      own.secret.fill(0);
      this.#keys.set(id, { ...stored, publicKey: own.publicKey });
    }
  }

  /**
   * Adopts keys and the seed that are in the file already.
   * @param scripts output scripts whose ownership depends on these keys
   */
  adopt(fresh: Keys, scripts: readonly Uint8Array[]): void {
    for (const [id, own] of fresh.#keys) {
      this.#keys.set(id, own);
      this.#known.add(id);
      this.#watchedKeys.delete(id);
    }
    for (const id of this.#scripts.adoptPrograms(fresh.#scripts)) this.#known.add(id);
    this.#metadata.adoptKeys(fresh.#metadata);
    this.#hdChain = fresh.#hdChain;
    this.#store.noteChange();
    const longForms = this.#evmKeys.adopt(fresh.#evmKeys);
    for (const id of longForms) this.#known.add(id);
    this.#listener?.([...scripts, ...[...fresh.#keys.keys(), ...longForms].flatMap((id) => this.#scripts.withKey(id))]);
    if (!this.watchesAnything) return;
    for (const { publicKey } of fresh.#keys.values()) this.#unwatchKey(publicKey);
  }
}

import { randomBytes } from 'node:crypto';
import { publicKeyOf } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import type { PrivateKey } from '../crypto/keys.js';
import { knowsEvm } from '../params/network.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { TxOut } from '../primitives/transaction.js';
import { type Destination, scriptOf } from '../script/address.js';
import { NodeError } from '../util/errors.js';
import type { WalletDeps } from './deps.js';
import { destinationIn } from './destination.js';
import { Follower } from './follower.js';
import { AddressBook } from './keys/address-book.js';
import { destinationOfKey, type KeyAddressType, namedWithKey } from './keys/address-type.js';
import { Encryption } from './keys/encryption.js';
import { hasUnknownFlag, UnknownWalletFlag, WalletFlag } from './keys/flags.js';
import { KeyChain } from './keys/key-chain.js';
import { KeyChanges } from './keys/key-changes.js';
import { KeyPool } from './keys/key-pool.js';
import { payToPublicKey } from './keys/key-scripts.js';
import { Keys } from './keys/keys.js';
import { isSolvable, keyIdsOf, mayOwn, Ownership, ownershipOf } from './keys/ownership.js';
import { DEFAULT_LOAD, type LoadOptions } from './options.js';
import { Rescan } from './rescan.js';
import { WalletFile } from './store/file.js';
import { isReplaced } from './store/file-errors.js';
import { MasterKeyLost } from './store/file-format.js';
import { Leftovers } from './store/leftovers.js';
import * as records from './store/records.js';
import { newMasterKey, sealMasterKey } from './store/seal.js';
import { WalletStore } from './store/store.js';
import { OutputLocks } from './txs/output-locks.js';
import { type TrackedWallet, Tracker } from './txs/tracker.js';
import { Transactions } from './txs/transactions.js';
import { UnspentIndex } from './txs/unspent.js';
import type { WalletTx } from './txs/wallet-tx.js';

/** Properties of a new wallet. */
export interface NewWallet {
  readonly disablePrivateKeys: boolean;
  readonly blank: boolean;
  readonly avoidReuse: boolean;
  /** Undefined leaves the private keys unencrypted. */
  readonly passphrase: string | undefined;
}

/**
 * A wallet: keys, address book and transactions, updated from the chain from `start` to `stop`. All changes of a call are on disk
 * before it returns.
 */
export class Wallet implements TrackedWallet {
  readonly keys: Keys;
  readonly keyPool: KeyPool;
  readonly keyChain: KeyChain;
  readonly book: AddressBook;
  readonly txs: Transactions;
  readonly unspent: UnspentIndex;
  readonly tracker: Tracker;
  readonly rescan: Rescan;
  readonly keyChanges: KeyChanges;
  readonly encryption: Encryption;
  readonly outputLocks: OutputLocks;
  readonly #file: WalletFile;
  readonly #store: WalletStore;
  readonly #follower: Follower;
  readonly #leftovers: Leftovers;
  #flags: bigint;
  #isCompacting = false;
  #stopped: Promise<void> | undefined;
  #payFeeRate: bigint;
  readonly #warnings: string[] = [];

  constructor(
    readonly name: string,
    file: WalletFile,
    readonly deps: WalletDeps,
  ) {
    const { chain, clock, settings } = deps;
    this.#file = file;
    this.#store = new WalletStore(file);
    const noteChange = () => this.#store.noteChange();
    this.#flags = this.#store.single(records.flags) ?? 0n;
    if (hasUnknownFlag(this.#flags)) throw new UnknownWalletFlag(file.path);
    this.keys = new Keys(this.#store, { impersonated: deps.impersonated, metachain: knowsEvm(chain.params) });
    this.keyPool = new KeyPool(this.#store);
    const now = () => clock.seconds();
    const commit = () => this.commit();
    this.keyChain = new KeyChain({
      keys: this.keys,
      pool: this.keyPool,
      prefixes: chain.params.address,
      now,
      poolSize: settings.keypoolSize,
      commit,
      onShort: () => void this.keyChanges.topUpSoon(),
    });
    const { keys, keyPool, keyChain } = this;
    this.keyChanges = new KeyChanges({ keys, keyPool, keyChain, commit, file, onFailedTopUp: (error) => this.#logFailedTopUp(error) });
    this.book = new AddressBook(this.#store);
    this.txs = new Transactions({ store: this.#store, format: chain.params.txFormat, entry: (hash) => chain.entry(hash) });
    this.outputLocks = new OutputLocks(noteChange);
    this.unspent = new UnspentIndex(this);
    this.txs.follow(this.unspent);
    this.keys.onScripts((scripts) => {
      noteChange();
      this.unspent.scriptsChanged(scripts);
    });
    this.tracker = new Tracker(this, { chain, clock });
    this.rescan = new Rescan(chain, this.tracker, () => this.#store.commitLazily(), {
      log: deps.log,
      terminal: deps.terminal,
      report: deps.report,
      wallet: name,
    });
    this.#payFeeRate = settings.payFeeRate;
    const { keyChanges } = this;
    const { passphraseCost } = deps;
    this.#leftovers = new Leftovers(this, file, this.#store);
    const renewLeftovers = () => this.#leftovers.renew();
    this.encryption = new Encryption({ keys, keyChain, clock, keyChanges, renewLeftovers, onChange: noteChange, passphraseCost });
    this.#follower = new Follower(this, this.#store);
  }

  /**
   * Opens a wallet, and removes unencrypted keys that remain from an interrupted encryption or one by an earlier version.
   * @throws {MasterKeyLost} or {@link UnknownWalletFlag}
   */
  static open(name: string, file: WalletFile, deps: WalletDeps): Wallet {
    const wallet = new Wallet(name, file, deps);
    const { path, cutTo } = file;
    // Its addresses would be given out, although no coin on them could ever be spent.
    if (wallet.keys.lacksMasterKey) {
      throw new MasterKeyLost(
        `${path} has encrypted private keys, but not the master key that decrypts them. Another copy of it is needed.`,
      );
    }
    if (cutTo !== undefined) {
      wallet.#warnings.push(`The last record of ${path} was incomplete. It was removed and is kept in ${cutTo}.`);
    }
    if (wallet.keys.lostSeed) {
      wallet.#warnings.push(`The seed of ${path} is missing. Its other keys are usable; sethdseed sets a seed for new ones.`);
    }
    const remaining = wallet.keys.isEncrypted ? wallet.#leftovers.removeAll() : undefined;
    if (remaining !== undefined) wallet.#warnings.push(remaining);
    for (const warning of wallet.#warnings) deps.log.error(warning, { wallet: name });
    return wallet;
  }

  /** Warnings for the client that loads the wallet; empty if there are none. */
  get warning(): string {
    return this.#warnings.join(' ');
  }

  /** Creates a wallet in a new file; it is locked if it has a passphrase. */
  static async create(name: string, path: string, kind: NewWallet, deps: WalletDeps, how: LoadOptions = DEFAULT_LOAD): Promise<Wallet> {
    const file = WalletFile.create(path, randomBytes(16));
    try {
      return await new Wallet(name, file, deps).#initialise(kind, how);
    } catch (error) {
      file.destroy();
      throw error;
    }
  }

  async #initialise(kind: NewWallet, { fillsLater }: LoadOptions): Promise<Wallet> {
    let flags = WalletFlag.keyOriginMetadata;
    if (kind.disablePrivateKeys) flags |= WalletFlag.disablePrivateKeys;
    if (kind.blank) flags |= WalletFlag.blank;
    if (kind.avoidReuse) flags |= WalletFlag.avoidReuse;
    this.#setFlags(flags);
    if (kind.passphrase !== undefined) {
      const masterKey = newMasterKey();
      this.keys.beginSealed(await sealMasterKey(masterKey, kind.passphrase, this.deps.passphraseCost), masterKey);
    }
    if (!kind.disablePrivateKeys && !kind.blank) {
      this.keyChain.setSeed();
      // Without a sync the file keeps its temporary name until the commit below.
      if (!fillsLater) await this.keyChain.topUp({ commit: () => this.#store.commitLazily() });
    }
    this.#follower.notePlace(this.deps.chain.tip);
    this.commit();
    this.keys.lock();
    return this;
  }

  get path(): string {
    return this.#file.path;
  }

  get id(): Uint8Array {
    return this.#file.id;
  }

  // Properties

  /** Number of changes so far of anything that answers depend on, except the progress of a rescan. */
  get changes(): number {
    return this.#store.changes;
  }

  /** Rate set by `settxfee` or `-paytxfee`, satoshis per 1,000 virtual bytes; 0 for an estimate. */
  get payFeeRate(): bigint {
    return this.#payFeeRate;
  }

  setPayFeeRate(rate: bigint): void {
    this.#payFeeRate = rate;
    this.#store.noteChange();
  }

  hasFlag(flag: bigint): boolean {
    return (this.#flags & flag) !== 0n;
  }

  setFlag(flag: bigint, on: boolean): void {
    this.#setFlags(on ? this.#flags | flag : this.#flags & ~flag);
    this.commit();
  }

  #setFlags(flags: bigint): void {
    this.#flags = flags;
    this.#store.put(records.flags, records.ONLY, flags);
  }

  get avoidsReuse(): boolean {
    return this.hasFlag(WalletFlag.avoidReuse);
  }

  get privateKeysDisabled(): boolean {
    return this.hasFlag(WalletFlag.disablePrivateKeys);
  }

  /** Writes and syncs pending changes. @throws {WalletNotWritten}, or {@link WalletUnloaded} once the wallet is stopped */
  commit(): void {
    this.#store.commit();
  }

  // Keys and addresses

  /** Fills the key pool, in slices, with one sync at the end: no client has an address yet. A failure is logged. */
  fillKeyPool(): Promise<void> {
    const fill = async (signal: AbortSignal): Promise<void> => {
      await this.keyChain.topUp({ signal, commit: () => this.#store.commitLazily() });
      this.commit();
    };
    return this.keyChanges.run(fill).catch((error) => this.#logFailedTopUp(error));
  }

  /** True if the key pool has keys, or there is a seed to derive them from. */
  canGiveAddresses(internal: boolean): boolean {
    return this.keyChain.canMakeKeys() || this.keyPool.size(internal) > 0;
  }

  /** Generates a receiving address. @throws {NodeError} `keypool-ran-out` */
  newAddress(label: string, type: KeyAddressType): Destination {
    const publicKey = this.#takeKey(false);
    const destination = destinationOfKey(publicKey, type);
    const others = this.keys.metachain ? namedWithKey(publicKey) : [];
    for (const each of [destination, ...others]) this.book.set(each, label, 'receive');
    this.commit();
    return destination;
  }

  /** Generates a change address, which is not added to the address book. @throws {NodeError} `keypool-ran-out` */
  newChangeAddress(type: KeyAddressType): Destination {
    const publicKey = this.#takeKey(true);
    this.commit();
    return destinationOfKey(publicKey, type);
  }

  #takeKey(internal: boolean): Uint8Array {
    const reserved = this.keyChain.reserve(internal);
    if (!reserved) throw new NodeError('keypool-ran-out', 'Error: Keypool ran out, please call keypoolrefill first');
    this.keyPool.keep(reserved);
    return reserved.entry.publicKey;
  }

  /**
   * Adds a private key and the scripts that it implies, unless the wallet has it. On networks with an EVM an uncompressed key is added in
   * both forms: from 4.0 on `defid` knows a key by both. @param createdAt seconds since 1970
   */
  addPrivateKey(key: PrivateKey, createdAt: number): void {
    const { keys } = this;
    const publicKey = publicKeyOf(key.secret, key.compressed);
    if (keys.hasPrivateKey(hash160(publicKey))) return;
    const meta = keys.datedMetadata(publicKey, createdAt);
    keys.addPrivateKey(key, meta, publicKey);
    if (keys.metachain && !key.compressed) keys.addPrivateKey({ secret: Uint8Array.from(key.secret), compressed: true }, meta);
    this.#noLongerBlank();
  }

  #noLongerBlank(): void {
    if (this.hasFlag(WalletFlag.blank)) this.#setFlags(this.#flags & ~WalletFlag.blank);
  }

  /** Sets the seed of new keys. @see KeyChanges.setSeed */
  async setSeed(seed: PrivateKey | undefined, newKeyPool: boolean): Promise<void> {
    // The flag is cleared in the new file already.
    await this.keyChanges.setSeed(seed, newKeyPool, () => {
      this.#flags &= ~WalletFlag.blank;
      this.#store.noteChange();
    });
  }

  /** Adds a watch-only output script. @param createdAt seconds since 1970 */
  addWatched(script: Uint8Array, createdAt: number): void {
    this.keys.addWatched(script, createdAt);
    this.#noLongerBlank();
  }

  /** Adds a public key without private key: its outputs are watch-only. @param createdAt seconds since 1970 */
  addPublicKey(publicKey: Uint8Array, createdAt: number): void {
    this.keys.addPublicKey(publicKey, createdAt);
    this.#noLongerBlank();
  }

  ownershipOf(script: Uint8Array): Ownership {
    return ownershipOf(script, this.keys);
  }

  mayOwn(script: Uint8Array): boolean {
    return mayOwn(script, this.keys);
  }

  /** Ownership of each output of a transaction of the wallet. */
  outputOwnership(wtx: WalletTx): readonly Ownership[] {
    return wtx.ownership((script) => this.ownershipOf(script));
  }

  isSolvable(script: Uint8Array): boolean {
    return isSolvable(script, this.keys);
  }

  /**
   * True for an own script whose address is not in the address book.
   * @param ownership of the script, if the caller has it already
   * @see docs/protocol/wallet.md 1.9
   */
  isChange(script: Uint8Array, ownership = this.ownershipOf(script)): boolean {
    if (ownership === Ownership.None) return false;
    const destination = destinationIn(this, script);
    return destination === undefined || this.book.get(destination) === undefined;
  }

  // Transactions

  isInMempool({ tx }: WalletTx): boolean {
    return this.deps.mempool.pool.get(tx.txid) !== undefined;
  }

  markKeysUsed(script: Uint8Array): void {
    if (this.ownershipOf(script) === Ownership.None) return;
    let used = 0;
    for (const keyId of keyIdsOf(script, this.keys)) {
      const publicKey = this.keys.publicKey(keyId);
      if (publicKey) used += this.keyPool.markUsed(publicKey);
    }
    if (used > 0) this.keyChain.refill(used);
  }

  markUsedAddress(script: Uint8Array): void {
    const destination = destinationIn(this, script);
    if (!destination || this.ownershipOf(script) === Ownership.None || this.book.isUsed(destination)) return;
    this.book.markUsed(destination);
    this.unspent.markUsed(this.#scriptsOf(destination));
  }

  /** Output scripts that pay a destination, including P2PK for a P2PKH one. */
  #scriptsOf(destination: Destination): Uint8Array[] {
    const publicKey = destination.type === 'pkh' ? this.keys.exactKey(destination.hash) : undefined;
    return [scriptOf(destination), ...(publicKey ? [payToPublicKey(publicKey)] : [])];
  }

  /** True in a wallet that avoids reuse if the output's address was spent from. */
  isUsedAddress(out: Pick<TxOut, 'scriptPubKey'>): boolean {
    return this.avoidsReuse && this.isUsedScript(out.scriptPubKey);
  }

  /** True if the script's address is marked as used. */
  isUsedScript(script: Uint8Array): boolean {
    if (!this.book.hasUsed) return false;
    const destination = destinationIn(this, script);
    return destination !== undefined && this.book.isUsed(destination);
  }

  changed(wtx: WalletTx): void {
    this.#follower.noteChange();
    this.deps.notify?.(wtx.tx.txid);
    this.deps.onTransaction?.(this, wtx);
  }

  releaseOutput(point: OutPoint): void {
    this.outputLocks.release(point);
  }

  #logFailedTopUp(error: unknown): void {
    // Not a failure: the next load continues.
    if (this.keyChanges.isAborted) return;
    this.deps.log.warn('failed to refill the key pool', { wallet: this.name, error: String(error) });
  }

  // Start and stop

  /** Catches up with the chain, then follows it and the mempool. */
  start(how: LoadOptions = DEFAULT_LOAD): Promise<void> {
    return this.#follower.start(how);
  }

  /** Submits the wallet's unconfirmed transactions to the mempool again, unless `-walletbroadcast=0` holds them back. */
  resubmit(): void {
    this.#follower.resubmit();
  }

  /** Compacts the file, in slices, if most of it is history. */
  compactIfDue(): void {
    if (this.#isCompacting || !this.#file.isWasteful) return;
    this.#isCompacting = true;
    this.#file
      .compact()
      .catch((error) => this.deps.log.warn('failed to compact the wallet file', { path: this.path, error: String(error) }))
      .finally(() => {
        this.#isCompacting = false;
      });
  }

  /** Writes a copy of the wallet's file. @throws {WalletNotWritten} */
  backUp(path: string): void {
    this.commit();
    this.#file.copyTo(path);
  }

  /**
   * As {@link backUp}, in slices, between changes of the keys.
   * @param beforeRename called when the copy is complete, before it gets its name; an error drops the copy
   * @throws {WalletNotWritten} or {@link WalletUnloaded}
   */
  backUpInSlices(path: string, beforeRename: () => void): Promise<void> {
    return this.keyChanges.run((signal) => {
      this.commit();
      return this.#file.copyInSlices(path, { signal, beforeRename });
    });
  }

  /**
   * Aborts a rescan, locks the wallet, stores its position in the chain and closes its file. Calls that still run cannot change the wallet
   * any more. Later calls of this method have no effect.
   * @throws {WalletNotWritten} when closed
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.keyChanges.abort();
    this.rescan.abort();
    await this.rescan.finished();
    await this.keyChanges.finished();
    this.#follower.stop();
    this.encryption.lockNow();
    try {
      this.commit();
      this.#file.close();
    } catch (error) {
      this.#file.discard();
      // Clients got this error for their own changes; a rescan restores the others.
      if (!isReplaced(error)) throw error;
      this.deps.log.error('last changes of a wallet not written', { path: this.path, error: error.message });
    }
  }
}

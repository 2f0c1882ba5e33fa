import { randomBytes, randomInt } from 'node:crypto';
import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain, ChainEvent } from '../chain/chain.js';
import type { PrivateKey } from '../crypto/keys.js';
import { customTxPayload } from '../dfi/tx/payload.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Hash256 } from '../primitives/hash.js';
import type { OutPoint } from '../primitives/outpoint.js';
import type { Transaction, TxOut } from '../primitives/transaction.js';
import { type Destination, destinationOf } from '../script/address.js';
import type { AddressType } from '../script/multisig.js';
import type { Clock } from '../util/clock.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { AddressBook } from './address-book.js';
import { destinationOfKey } from './address-type.js';
import { WalletFile } from './file.js';
import { hasUnknownFlag, WalletFlag } from './flags.js';
import { KeyChain } from './key-chain.js';
import { KeyPool } from './key-pool.js';
import { Keys } from './keys.js';
import { type LoadOptions, USUAL_LOAD, type WalletSettings } from './options.js';
import { isSolvable, keyIdsOf, Ownership, ownershipOf } from './ownership.js';
import * as records from './records.js';
import { Rescan } from './rescan.js';
import { Resender } from './resend.js';
import { WalletStore } from './store.js';
import { type TrackedWallet, Tracker } from './tracker.js';
import { pointKey, Transactions } from './transactions.js';
import type { WalletTx } from './wallet-tx.js';

export type WalletChain = Pick<
  Chain,
  | 'params'
  | 'tip'
  | 'genesis'
  | 'entry'
  | 'entryAt'
  | 'isActive'
  | 'confirmations'
  | 'forkPoint'
  | 'block'
  | 'header'
  | 'coin'
  | 'state'
  | 'isInitialDownload'
  | 'on'
>;

/** Tells peers of a transaction. */
export interface Relay {
  announce(tx: Transaction): void;
}

export interface WalletDeps {
  readonly chain: WalletChain;
  readonly mempool: Mempool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: WalletSettings;
  /** Blocks take what pays most first, so that what was paid tells what to pay. */
  readonly feesDecide: boolean;
  /** Absent without peers. */
  readonly relay?: Relay | undefined;
}

/** What kind of wallet to make. */
export interface NewWallet {
  readonly disablePrivateKeys: boolean;
  readonly blank: boolean;
  readonly avoidReuse: boolean;
  /** Undefined leaves the private keys in the clear. */
  readonly passphrase: string | undefined;
}

/** Blocks without news for the wallet after which its place in the chain is noted all the same. */
const PLACE_INTERVAL = 144;
const TICK_MS = 1_000;

/** A later program set a property of the wallet that this one does not know. */
export class UnknownWalletFlag extends Error {
  override name = 'UnknownWalletFlag';
}

/**
 * One wallet: its keys, its address book and its transactions, in step with the chain from `start` to `stop`. All changes of one
 * call are on disk before it returns.
 */
export class Wallet implements TrackedWallet {
  readonly keys: Keys;
  readonly keyPool: KeyPool;
  readonly keyChain: KeyChain;
  readonly book: AddressBook;
  readonly txs: Transactions;
  readonly tracker: Tracker;
  readonly rescan: Rescan;
  /** Rate set with `settxfee`. */
  payFeeRate: bigint;
  /** When the wallet locks itself, seconds since 1970; 0 while it is locked. */
  unlockedUntil = 0;
  readonly #file: WalletFile;
  readonly #store: WalletStore;
  readonly #lockedOutputs = new Map<string, OutPoint>();
  readonly #unsubscribe: (() => void)[] = [];
  #flags: bigint;
  readonly #resender: Resender;
  #relock: NodeJS.Timeout | undefined;
  #blocksUnnoted = 0;
  #hasNews = false;
  /** Nothing before the tip was missed. */
  #caughtUp = false;

  constructor(
    readonly name: string,
    file: WalletFile,
    readonly deps: WalletDeps,
  ) {
    const { chain, clock, settings } = deps;
    this.#file = file;
    this.#store = new WalletStore(file);
    this.#flags = this.#store.single(records.flags) ?? 0n;
    if (hasUnknownFlag(this.#flags)) throw new UnknownWalletFlag(file.path);
    this.keys = new Keys(this.#store);
    this.keyPool = new KeyPool(this.#store);
    const prefixes = chain.params.address;
    const now = () => clock.seconds();
    this.keyChain = new KeyChain({ keys: this.keys, pool: this.keyPool, prefixes, now, poolSize: settings.keypoolSize });
    this.book = new AddressBook(this.#store);
    this.txs = new Transactions({ store: this.#store, format: chain.params.txFormat, entry: (hash) => chain.entry(hash) });
    this.tracker = new Tracker(this, { chain, clock });
    this.rescan = new Rescan(chain, this.tracker, () => this.#store.commitLazily());
    this.payFeeRate = settings.payFeeRate;
    this.#resender = new Resender(this, (below) => randomInt(below));
  }

  /** Makes a wallet in a new file; it is locked afterwards if it has a passphrase. */
  static async create(name: string, path: string, kind: NewWallet, deps: WalletDeps): Promise<Wallet> {
    const wallet = new Wallet(name, WalletFile.create(path, randomBytes(16)), deps);
    let flags = WalletFlag.keyOriginMetadata;
    if (kind.disablePrivateKeys) flags |= WalletFlag.disablePrivateKeys;
    if (kind.blank) flags |= WalletFlag.blank;
    if (kind.avoidReuse) flags |= WalletFlag.avoidReuse;
    wallet.#setFlags(flags);
    if (kind.passphrase !== undefined) await wallet.keys.encrypt(kind.passphrase);
    if (!kind.disablePrivateKeys && !kind.blank) {
      wallet.keyChain.setSeed();
      wallet.keyChain.topUp();
    }
    wallet.#notePlace(deps.chain.tip);
    wallet.commit();
    wallet.keys.lock();
    return wallet;
  }

  get path(): string {
    return this.#file.path;
  }

  get id(): Uint8Array {
    return this.#file.id;
  }

  // Properties

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

  /** Writes what was changed; on disk when it returns. */
  commit(): void {
    this.#store.commit();
  }

  // Keys and addresses

  /** New addresses can be given out: there are keys in the pool, or a seed to make them from. */
  canGiveAddresses(internal: boolean): boolean {
    return this.keyChain.canMakeKeys() || this.keyPool.size(internal) > 0;
  }

  /** A new address to receive at. @throws {NodeError} `keypool-ran-out` */
  newAddress(label: string, type: AddressType): Destination {
    const destination = this.#takeKey(false, type);
    this.book.set(destination, label, 'receive');
    this.commit();
    return destination;
  }

  /** A new address for change, which is in no address book. @throws {NodeError} `keypool-ran-out` */
  newChangeAddress(type: AddressType): Destination {
    const destination = this.#takeKey(true, type);
    this.commit();
    return destination;
  }

  #takeKey(internal: boolean, type: AddressType): Destination {
    const reserved = this.keyChain.reserve(internal);
    if (!reserved) throw new NodeError('keypool-ran-out', 'Error: Keypool ran out, please call keypoolrefill first');
    this.keyPool.keep(reserved);
    return destinationOfKey(reserved.entry.publicKey, type);
  }

  /** Takes in a private key and the scripts that follow from it. @returns false if the wallet had it */
  addPrivateKey(key: PrivateKey, meta: records.Metadata): boolean {
    const added = this.keys.addPrivateKey(key, meta);
    if (added) this.#noLongerBlank();
    return added;
  }

  #noLongerBlank(): void {
    if (this.hasFlag(WalletFlag.blank)) this.#setFlags(this.#flags & ~WalletFlag.blank);
  }

  /** Makes a seed the source of new keys. @param newKeyPool drops the keys made in advance */
  setSeed(seed: PrivateKey | undefined, newKeyPool: boolean): void {
    this.keyChain.setSeed(seed);
    this.#noLongerBlank();
    if (newKeyPool) this.keyPool.clear();
    this.keyChain.topUp();
    this.commit();
  }

  addWatched(script: Uint8Array, createdAt: number): void {
    this.keys.addWatched(script, createdAt);
    this.#noLongerBlank();
  }

  addPublicKey(publicKey: Uint8Array, meta: records.Metadata): void {
    this.keys.addPublicKey(publicKey, meta);
    this.#noLongerBlank();
  }

  ownershipOf(script: Uint8Array): Ownership {
    return ownershipOf(script, this.keys);
  }

  /** Whose each output of a transaction of the wallet is. */
  outputsOf(wtx: WalletTx): readonly Ownership[] {
    return wtx.ownership(this.keys.changes, (script) => this.ownershipOf(script));
  }

  isSolvable(script: Uint8Array): boolean {
    return isSolvable(script, this.keys);
  }

  /** An output of the wallet that no one was told the address of. @see spec: wallet 1.9 */
  isChange(script: Uint8Array): boolean {
    if (this.ownershipOf(script) === Ownership.None) return false;
    const destination = destinationOf(script);
    return destination === undefined || this.book.get(destination) === undefined;
  }

  // Encryption

  /** Encrypts the private keys and makes a new seed; the wallet is locked afterwards, and no plain key is left in its file. */
  async encrypt(passphrase: string): Promise<void> {
    await this.keys.encrypt(passphrase);
    this.commit();
    this.#file.rewrite();
    if (this.keyChain.hasSeed) {
      this.keyPool.clear();
      this.keyChain.setSeed();
      this.keyChain.topUp();
      this.commit();
    }
    this.lock();
  }

  /** Unlocks for a while. @returns false for a wrong passphrase */
  async unlock(passphrase: string, seconds: number): Promise<boolean> {
    if (!(await this.keys.unlock(passphrase))) return false;
    this.keyChain.topUp();
    this.commit();
    clearTimeout(this.#relock);
    this.unlockedUntil = this.deps.clock.seconds() + seconds;
    this.#lockLater(seconds * 1000);
    return true;
  }

  /** Timers take no more than 2^31 ms. */
  #lockLater(leftMs: number): void {
    const step = Math.min(leftMs, 2 ** 31 - 1);
    this.#relock = setTimeout(() => (leftMs > step ? this.#lockLater(leftMs - step) : this.lock()), step);
    this.#relock.unref();
  }

  lock(): void {
    clearTimeout(this.#relock);
    this.keys.lock();
    this.unlockedUntil = 0;
  }

  /** @returns false for a wrong old passphrase */
  async changePassphrase(old: string, next: string): Promise<boolean> {
    if (!(await this.keys.changePassphrase(old, next))) return false;
    this.commit();
    // The old passphrase must not open what is left of the old record either.
    this.#file.rewrite();
    return true;
  }

  // Transactions

  isInMempool({ tx }: WalletTx): boolean {
    return this.deps.mempool.pool.get(tx.txid) !== undefined;
  }

  notePaid(script: Uint8Array): void {
    if (this.ownershipOf(script) === Ownership.None) return;
    let topUp = false;
    for (const keyId of keyIdsOf(script, this.keys)) {
      if (this.keyPool.markUsed(keyId)) topUp = true;
    }
    if (topUp) this.keyChain.topUp();
  }

  markUsedAddress(script: Uint8Array): void {
    const destination = destinationOf(script);
    if (destination && this.ownershipOf(script) !== Ownership.None) this.book.markUsed(destination);
  }

  /** True in a wallet that avoids reuse if the output's address was spent from. */
  isUsedAddress(out: Pick<TxOut, 'scriptPubKey'>): boolean {
    const destination = this.avoidsReuse ? destinationOf(out.scriptPubKey) : undefined;
    return destination !== undefined && this.book.isUsed(destination);
  }

  changed(_wtx: WalletTx): void {
    this.#hasNews = true;
  }

  // Outputs set aside

  lockOutput(point: OutPoint): void {
    this.#lockedOutputs.set(pointKey(point), point);
  }

  releaseOutput(point: OutPoint): void {
    this.#lockedOutputs.delete(pointKey(point));
  }

  releaseAllOutputs(): void {
    this.#lockedOutputs.clear();
  }

  isLockedOutput(point: OutPoint): boolean {
    return this.#lockedOutputs.has(pointKey(point));
  }

  /** By raw txid, then index. */
  lockedOutputs(): OutPoint[] {
    const sorted = [...this.#lockedOutputs].sort(([a, p], [b, q]) => {
      const [left, right] = [a.slice(0, 64), b.slice(0, 64)];
      return left === right ? p.vout - q.vout : left < right ? -1 : 1;
    });
    return sorted.map(([, point]) => point);
  }

  // Life

  /** Catches up with the chain, then follows it and the mempool. */
  async start({ rescan, forgets }: LoadOptions = USUAL_LOAD): Promise<void> {
    const { chain, mempool } = this.deps;
    if (this.keyChain.topUp()) this.commit();
    this.#unsubscribe.push(
      chain.on('connected', (event) => this.#blockConnected(event)),
      chain.on('disconnected', ({ entry }) => this.#notePlace(entry.parent ?? entry)),
      mempool.pool.on('added', ({ tx }) => this.#heard(tx)),
    );
    const ticking = setInterval(() => this.#resender.tick(this.deps.clock.seconds()), TICK_MS);
    ticking.unref();
    this.#unsubscribe.push(() => clearInterval(ticking));
    const forgotten = forgets === undefined ? [] : this.txs.clear();
    await this.#catchUp(rescan || forgets !== undefined);
    if (forgets === 'transactions') this.#remember(forgotten);
    this.resubmit();
    for (const { tx } of mempool.pool.entries()) this.tracker.seen(tx);
    this.commit();
  }

  /** Gives transactions that were found again what the chain cannot tell of them. */
  #remember(forgotten: readonly WalletTx[]): void {
    for (const { tx, notes, smartTime, receivedAt, isFromMe } of forgotten) {
      const found = this.txs.get(tx.txid);
      if (!found) continue;
      Object.assign(found, { smartTime, receivedAt, isFromMe });
      for (const [name, text] of notes) found.notes.set(name, text);
      this.txs.save(found);
    }
  }

  async #catchUp(fromTheStart: boolean): Promise<void> {
    const { chain } = this.deps;
    const start = fromTheStart ? chain.genesis : this.#firstMissed();
    this.#caughtUp = start === undefined;
    if (!start) return;
    const release = this.rescan.reserve();
    try {
      const { status, last } = await this.rescan.run(start);
      this.#caughtUp = status === 'success';
      if (this.#caughtUp) this.#notePlace(last ?? chain.tip);
    } finally {
      release();
    }
  }

  /** The first block that the wallet has not seen and that can concern it. */
  #firstMissed(): BlockIndexEntry | undefined {
    const { chain, clock } = this.deps;
    const place = this.#place();
    const known = place && chain.entry(place);
    const fork = known ? chain.forkPoint(known) : undefined;
    if (fork === chain.tip) return undefined;
    const born = this.rescan.startFor(this.keys.birthday(clock.seconds()));
    const next = chain.entryAt((fork?.height ?? -1) + 1);
    if (!born || !next) return undefined;
    return born.height > next.height ? born : next;
  }

  #place(): Hash256 | undefined {
    return this.#store.single(records.syncedTo);
  }

  #blockConnected(event: ChainEvent): void {
    this.tracker.blockConnected(event);
    this.#resender.blockConnected(this.deps.clock.seconds());
    this.#blocksUnnoted += 1;
    if (!this.#hasNews && this.#blocksUnnoted < PLACE_INTERVAL) return;
    // Before the wallet has caught up, its place is where it was.
    if (this.#caughtUp) this.#notePlace(event.entry);
    this.#hasNews = false;
    this.#store.commitLazily();
  }

  #notePlace(entry: BlockIndexEntry): void {
    this.#blocksUnnoted = 0;
    this.#hasNews = false;
    this.#store.put(records.syncedTo, records.ONLY, entry.hash);
  }

  #heard(tx: Transaction): void {
    this.tracker.seen(tx);
    this.#store.commitLazily();
  }

  /**
   * Hands the wallet's unconfirmed transactions to the mempool again. Those that carry an operation of the chain and are refused
   * are given up. @see spec: wallet 2.6
   */
  resubmit(): void {
    const { chain, mempool, settings } = this.deps;
    for (const wtx of this.txs.inOrder()) {
      if (wtx.isCoinbase || wtx.depth(chain) !== 0 || wtx.isAbandoned || this.isInMempool(wtx)) continue;
      const { status } = mempool.accept(wtx.tx, { absurdFee: settings.maxFee });
      if (status === 'rejected' && customTxPayload(wtx.tx)) this.tracker.abandon(wtx, (each) => this.isInMempool(each));
    }
    this.#store.commitLazily();
  }

  /** Copies the wallet as it is now to a file that opens elsewhere. */
  backUp(path: string): void {
    this.commit();
    this.#file.copyTo(path);
  }

  /** Ends it: waits for a scan to notice, locks it, notes its place and closes its file. */
  async stop(): Promise<void> {
    this.rescan.abort();
    await this.rescan.finished();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.lock();
    if (this.#caughtUp) this.#notePlace(this.deps.chain.tip);
    this.commit();
    this.#file.close();
  }
}

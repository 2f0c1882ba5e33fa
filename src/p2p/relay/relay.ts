import type { Chain } from '../../chain/chain.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import type { Mempool, Rejection } from '../../mempool/mempool.js';
import { isMoneyRange } from '../../primitives/amount.js';
import type { Block } from '../../primitives/block.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { hasWitness, type Transaction } from '../../primitives/transaction.js';
import type { Clock } from '../../util/clock.js';
import type { Logger } from '../../util/logger.js';
import { RecentSet } from '../../util/recent-set.js';
import { SCORES } from '../net/misbehaviour/scores.js';
import type { Peer } from '../net/peer.js';
import { rejectTransaction } from '../net/rejection.js';
import { BloomFilter, FilterTooLarge } from '../sync/bloom.js';
import type { SyncPeer } from '../sync/sync-peer.js';
import type { FilterLoad } from '../wire/filterload.js';
import { type InventoryItem, InvType, itemsOf, WITNESS_FLAG } from '../wire/inventory.js';
import { LIMITS } from '../wire/limits.js';
import { withoutWitness } from '../wire/tx.js';
import { FeeFilterTimer, FeeRounder } from './fee-filter.js';
import { TrickleTimer, TxInventory } from './inventory.js';
import { OrphanTransactions } from './orphans.js';
import { RejectedTransactions, shortKey } from './recent-rejects.js';
import type { RelayClock } from './relay-clock.js';
import { RelayedTransactions } from './relayed.js';
import { RequestTimes, TxRequests } from './tx-requests.js';

/** A larger one is not kept for compact blocks. */
const MAX_EXTRA_BYTES = 100_000;
/** Above this an answer of `notfound` is about something else than our requests. */
const MAX_NOT_FOUND = 116;
/** Announcements beyond the bound that cost a peer points. One message of the largest size costs less than the connection, two do not. */
const SURPLUS_STEP = 10_000;
/** Confirmed transactions that are remembered, so that they are not requested again: those of the last hours. */
const MAX_CONFIRMED = 48_000;
/** Scripts that only a witness satisfies: what was stripped of it says nothing about the transaction. */
const STRIPPED = 'Witness program was passed an empty witness';

export interface RelayOptions {
  /** -blocksonly: peers are to send none. */
  readonly blocksOnly: boolean;
  /** Tell peers the lowest fee rate. */
  readonly feeFilter: boolean;
  readonly bloomFilters: boolean;
  readonly maxOrphans: number;
  /** Transactions kept beside the pool for compact blocks. */
  readonly extraTransactions: number;
}

export type RelayChain = Pick<Chain, 'params' | 'coin' | 'isInitialDownload'>;

export interface RelayDeps {
  readonly chain: RelayChain;
  readonly mempool: Pick<Mempool, 'accept' | 'pool' | 'policy' | 'rollingFeeRate'>;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly relayClock: RelayClock;
  readonly log: Logger;
  readonly random: () => number;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
  readonly later: (task: () => void) => void;
  /** Whether the day's upload is used up. */
  readonly uploadUsedUp: () => boolean;
}

interface TxPeer {
  readonly peer: Peer;
  readonly inventory: TxInventory;
  readonly requests: TxRequests;
  readonly feeFilter: FeeFilterTimer;
  /** Witness flag of what is asked of it. */
  readonly fetchFlag: number;
  /** Announcements ignored because it has too many, since it was last charged for them. */
  surplus: number;
}

/** Takes transactions from peers and tells others of them. */
export class TransactionRelay {
  readonly orphans: OrphanTransactions;
  readonly rejected = new RejectedTransactions();
  readonly #options: RelayOptions;
  readonly #deps: RelayDeps;
  readonly #peers = new Map<number, TxPeer>();
  readonly #relayed = new RelayedTransactions();
  readonly #confirmed = new RecentSet(MAX_CONFIRMED);
  readonly #times = new RequestTimes();
  readonly #trickle: TrickleTimer;
  readonly #rounder: FeeRounder;
  /** Refused and replaced transactions, the latest last: a block may hold them all the same. */
  readonly #extra: Transaction[] = [];

  constructor(options: RelayOptions, deps: RelayDeps) {
    this.#options = options;
    this.#deps = deps;
    this.orphans = new OrphanTransactions(options.maxOrphans, deps.random);
    this.#trickle = new TrickleTimer(deps.random);
    this.#rounder = new FeeRounder(deps.mempool.policy.minRelayFeeRate, deps.random);
  }

  add({ peer, preferred, hasWitness }: SyncPeer): void {
    const requests = new TxRequests({ preferred, random: this.#deps.random }, this.#times);
    const fetchFlag = hasWitness ? WITNESS_FLAG : 0;
    this.#peers.set(peer.id, { peer, inventory: new TxInventory(), requests, feeFilter: new FeeFilterTimer(), fetchFlag, surplus: 0 });
  }

  remove({ peer }: SyncPeer): void {
    this.#peers.delete(peer.id);
    this.orphans.deleteFrom(peer.id);
  }

  /** Tells all peers that want transactions of one, each in its turn. */
  announce(tx: Pick<Transaction, 'txid'>): void {
    for (const { peer, inventory } of this.#peers.values()) if (peer.relaysTransactions) inventory.queue(tx.txid);
  }

  /** True if there is no need to request it. Answered from memory: peers can have it asked 50,000 times with one message. */
  has(txid: Hash256): boolean {
    return (
      this.orphans.has(txid) ||
      this.rejected.has(txid) ||
      this.#deps.mempool.pool.get(txid) !== undefined ||
      this.#confirmed.has(shortKey(txid))
    );
  }

  /** True if its first outputs are unspent on the chain, as they mostly are for a while after it was confirmed. */
  #hasCoins(txid: Hash256): boolean {
    const { chain } = this.#deps;
    return chain.coin({ txid, vout: 0 }) !== undefined || chain.coin({ txid, vout: 1 }) !== undefined;
  }

  /** Transactions that a peer announced. */
  takeInventory({ peer: { id } }: SyncPeer, txids: readonly Hash256[]): void {
    const from = this.#require(id);
    const { peer, inventory, requests } = from;
    const unwanted = this.#isUnwanted(peer);
    const ignored = this.#deps.chain.isInitialDownload();
    const now = this.#deps.relayClock.now();
    let surplus = 0;
    for (const txid of txids) {
      inventory.know(txid);
      if (unwanted) this.#deps.log.debug(`transaction (${formatHash(txid)}) inv sent in violation of protocol peer=${id}`);
      else if (ignored) continue;
      else if (requests.isFull) surplus += 1;
      else if (!this.has(txid)) requests.announce(txid, now);
    }
    this.#chargeSurplus(from, surplus);
    this.#ask(from, now);
  }

  /** Charges a peer that goes on announcing more than it will ever be asked for. */
  #chargeSurplus(from: TxPeer, surplus: number): void {
    from.surplus += surplus;
    if (from.surplus < SURPLUS_STEP) return;
    from.surplus -= SURPLUS_STEP;
    from.peer.misbehave(SCORES.announcementFlood, 'too many transactions announced');
  }

  #isUnwanted(peer: Peer): boolean {
    return this.#options.blocksOnly && !peer.permissions.has('relay');
  }

  takeNotFound({ peer: { id } }: SyncPeer, items: readonly InventoryItem[]): void {
    if (items.length > MAX_NOT_FOUND) return;
    const { requests } = this.#require(id);
    for (const { hash } of items) if (requests.isInFlight(hash)) requests.forget(hash);
  }

  takeTransaction({ peer: { id } }: SyncPeer, tx: Transaction): void {
    const from = this.#require(id);
    const { log, mempool } = this.#deps;
    if (this.#isUnwanted(from.peer)) {
      log.debug(`transaction sent in violation of protocol peer=${id}`);
      return;
    }
    from.inventory.know(tx.txid);
    from.requests.forget(tx.txid);
    this.#times.delete(shortKey(tx.txid));
    if (this.has(tx.txid) || this.#hasCoins(tx.txid)) {
      this.#relayForced(from.peer, tx);
      return;
    }
    const verdict = mempool.accept(tx);
    if (verdict.status === 'accepted') {
      from.peer.lastTransactionMs = this.#deps.nowMs();
      this.#accepted(tx, from);
    } else if (verdict.status === 'missing-inputs') {
      this.#takeOrphan(from, tx, verdict.parents);
    } else {
      from.peer.reject(rejectTransaction(tx.txid, verdict));
      this.#refused(tx, verdict, from.peer);
      this.#relayForced(from.peer, tx);
    }
  }

  #accepted(tx: Transaction, from: TxPeer): void {
    this.#deps.log.debug('accepted a transaction', { peer: from.peer.id, txid: formatHash(tx.txid) });
    this.announce(tx);
    if (this.orphans.childrenOf(tx).length > 0) this.#adoptChildren(tx, from.peer.hold());
  }

  /** Tries orphans whose parent came, one a turn; the peer that sent it waits meanwhile. */
  #adoptChildren(first: Transaction, release: () => void): void {
    const work = this.orphans.childrenOf(first);
    const step = (): void => {
      const orphan = work.shift();
      if (!orphan) {
        release();
        return;
      }
      if (this.orphans.has(orphan.tx.txid)) work.push(...this.#retry(orphan.tx, orphan.peer));
      this.#deps.later(step);
    };
    this.#deps.later(step);
  }

  /** @returns orphans that may enter now */
  #retry(tx: Transaction, sender: number): readonly { readonly tx: Transaction; readonly peer: number }[] {
    const verdict = this.#deps.mempool.accept(tx);
    if (verdict.status === 'missing-inputs') return [];
    this.orphans.delete(tx.txid);
    if (verdict.status === 'accepted') {
      this.announce(tx);
      return this.orphans.childrenOf(tx);
    }
    this.#refused(tx, verdict, this.#peers.get(sender)?.peer);
    return [];
  }

  #takeOrphan(from: TxPeer, tx: Transaction, parents: readonly Hash256[]): void {
    // Nothing that stands on a refused transaction gets in before the next block.
    if (parents.some((parent) => this.rejected.has(parent))) {
      this.rejected.add(tx.txid);
      return;
    }
    const now = this.#deps.relayClock.now();
    for (const parent of parents) {
      from.inventory.know(parent);
      if (!this.has(parent)) from.requests.announce(parent, now);
    }
    this.orphans.add(tx, from.peer.id, now);
    this.#keepExtra(tx);
    this.#ask(from, now);
  }

  #refused(tx: Transaction, { reason, debug, misbehaviour }: Rejection, sender: Peer | undefined): void {
    const text = debug === '' ? reason : `${reason}, ${debug}`;
    this.#deps.log.debug(`${formatHash(tx.txid)} from peer=${sender?.id ?? -1} was not accepted: ${text}`);
    // Anyone can change the witness without changing the txid, so the txid is not to blame.
    if (!hasWitness(tx) && !text.includes(STRIPPED)) this.rejected.add(tx.txid);
    this.#keepExtra(tx);
    if (misbehaviour > 0) sender?.misbehave(SCORES.invalidTransaction, text);
  }

  /** The operator wants everything of this peer passed on. */
  #relayForced(peer: Peer, tx: Transaction): void {
    if (!peer.permissions.has('forcerelay') || !this.#deps.mempool.pool.get(tx.txid)) return;
    this.announce(tx);
  }

  #keepExtra(tx: Transaction): void {
    if (tx.raw.length > MAX_EXTRA_BYTES) return;
    this.#extra.push(tx);
    if (this.#extra.length > this.#options.extraTransactions) this.#extra.shift();
  }

  /** Left the pool for another, which a block may not follow. */
  replaced({ tx }: MempoolEntry): void {
    this.#keepExtra(tx);
  }

  /** Transactions beside the pool that a block may hold. */
  extra(): Iterable<Transaction> {
    return this.#extra;
  }

  blockConnected({ transactions }: Block): void {
    for (const { txid } of transactions) this.#confirmed.add(shortKey(txid));
    this.orphans.blockConnected(transactions);
  }

  /** Its transactions may be unconfirmed again. */
  blockDisconnected(): void {
    this.#confirmed.clear();
  }

  tipChanged(): void {
    this.rejected.tipChanged();
  }

  /** The transaction that an item of `getdata` names, if the peer may have it. */
  find({ peer: { id } }: SyncPeer, { type, hash }: InventoryItem): Transaction | undefined {
    const { inventory } = this.#require(id);
    const tx = this.#relayed.get(hash) ?? this.#toldOfPool(inventory, hash);
    if (!tx) return undefined;
    this.#deps.log.debug(`received getdata for: tx ${formatHash(hash)} peer=${id}`);
    return (type & WITNESS_FLAG) === 0 ? withoutWitness(tx, this.#deps.chain.params.txFormat) : tx;
  }

  #toldOfPool({ poolSentSec }: TxInventory, txid: Hash256): Transaction | undefined {
    const entry = poolSentSec === undefined ? undefined : this.#deps.mempool.pool.get(txid);
    return entry && poolSentSec !== undefined && entry.time <= poolSentSec ? entry.tx : undefined;
  }

  takePoolRequest({ peer }: SyncPeer): void {
    const { permissions } = peer;
    const allowed = permissions.has('mempool');
    const served = this.#options.bloomFilters && !this.#deps.uploadUsedUp();
    if (allowed || served) this.#require(peer.id).inventory.poolRequested = true;
    else if (!permissions.has('noban')) peer.disconnect('asks for the pool, which is not served');
  }

  takeFeeFilter({ peer }: SyncPeer, feeRate: bigint): void {
    if (isMoneyRange(feeRate)) this.#require(peer.id).inventory.feeFilter = feeRate;
  }

  loadFilter({ peer }: SyncPeer, filter: FilterLoad): void {
    if (!this.#mayFilter(peer)) return;
    try {
      this.#require(peer.id).inventory.bloom = new BloomFilter(filter);
    } catch (error) {
      if (!(error instanceof FilterTooLarge)) throw error;
      peer.misbehave(SCORES.oversizedFilter, error.message);
      return;
    }
    peer.relaysTransactions = true;
    peer.hasFilter = true;
  }

  addToFilter({ peer }: SyncPeer, data: Uint8Array): void {
    if (!this.#mayFilter(peer)) return;
    const { bloom } = this.#require(peer.id).inventory;
    if (bloom) bloom.insert(data);
    else peer.misbehave(SCORES.oversizedFilter, 'filteradd without a filter');
  }

  clearFilter({ peer }: SyncPeer): void {
    if (!this.#options.bloomFilters && !peer.permissions.has('bloomfilter')) return;
    this.#require(peer.id).inventory.bloom = undefined;
    peer.relaysTransactions = true;
    peer.hasFilter = false;
  }

  #mayFilter(peer: Peer): boolean {
    if (this.#options.bloomFilters || peer.permissions.has('bloomfilter')) return true;
    peer.misbehave(SCORES.bloomWithoutService, 'bloom filter without the service');
    return false;
  }

  bloomOf({ peer }: SyncPeer): BloomFilter | undefined {
    return this.#peers.get(peer.id)?.inventory.bloom;
  }

  /** Sends what is due: inventories, requests, the fee filter. */
  tick(peer: SyncPeer, nowMs: number): void {
    const own = this.#peers.get(peer.peer.id);
    if (!own || own.peer.congested) return;
    this.#sendInventory(own, nowMs);
    this.#ask(own, this.#deps.relayClock.now());
    this.#sendFeeFilter(own, nowMs);
  }

  #sendInventory({ peer, inventory }: TxPeer, nowMs: number): void {
    const isTime = inventory.nextSendMs < nowMs;
    if (isTime) inventory.nextSendMs = this.#trickle.next(peer.inbound, nowMs);
    if (!isTime && !peer.permissions.has('noban')) return;
    const { pool } = this.#deps.mempool;
    if (!peer.relaysTransactions) inventory.clear();
    const all = inventory.poolRequested ? inventory.takePool(pool, this.#deps.clock.seconds()) : [];
    for (let at = 0; at < all.length; at += LIMITS.inv) this.#sendItems(peer, all.slice(at, at + LIMITS.inv));
    const batch = inventory.takeBatch(pool);
    for (const { tx } of batch) this.#relayed.add(tx, this.#deps.relayClock.now());
    this.#sendItems(peer, batch);
  }

  #sendItems(peer: Peer, entries: readonly MempoolEntry[]): void {
    if (entries.length === 0) return;
    const hashes = entries.map(({ tx }) => tx.txid);
    peer.send({ command: 'inv', payload: itemsOf(InvType.tx, hashes) });
  }

  #ask({ peer, requests, fetchFlag }: TxPeer, now: number): void {
    const due = requests.due(now, (txid) => this.has(txid));
    if (due.length > 0) peer.send({ command: 'getdata', payload: itemsOf(InvType.tx | fetchFlag, due) });
  }

  #sendFeeFilter({ peer, feeFilter }: TxPeer, nowMs: number): void {
    if (!this.#options.feeFilter || peer.permissions.has('forcerelay')) return;
    const { mempool, random } = this.#deps;
    const least = mempool.policy.minRelayFeeRate;
    const feeRate = feeFilter.due(mempool.rollingFeeRate(), nowMs, { rounder: this.#rounder, least, random });
    if (feeRate !== undefined) peer.send({ command: 'feefilter', payload: { feeRate } });
  }

  /** What a peer wants at least, satoshis per kB; for answers about peers. */
  feeFilterOf(id: number): bigint {
    return this.#peers.get(id)?.inventory.feeFilter ?? 0n;
  }

  #require(id: number): TxPeer {
    const peer = this.#peers.get(id);
    if (!peer) throw new Error(`no peer ${id}`);
    return peer;
  }
}

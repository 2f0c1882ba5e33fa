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
import type { FilterLoad } from '../wire/filterload.js';
import { type InventoryItem, InvType, itemsOf, WITNESS_FLAG } from '../wire/inventory.js';
import { LIMITS } from '../wire/limits.js';
import { withoutWitness } from '../wire/tx.js';
import { FeeRounder } from './fee-filter.js';
import { TrickleTimer, type TxInventory } from './inventory.js';
import { type Orphan, OrphanTransactions } from './orphans.js';
import { RejectedTransactions, shortKey } from './recent-rejects.js';
import type { RelayClock } from './relay-clock.js';
import { RelayedTransactions } from './relayed.js';
import type { TxPeer } from './tx-peer.js';
import type { RequestTimes } from './tx-requests.js';

/** Larger transactions are not kept for compact blocks. */
const MAX_EXTRA_BYTES = 100_000;
/** A longer `notfound` cannot be an answer to our requests and is ignored. */
const MAX_NOT_FOUND = 116;
/** Announcements beyond the limit after which a peer is charged. One `inv` of the largest size must not reach -banscore, two may. */
const SURPLUS_STEP = 10_000;
/** Number of confirmed transactions that are remembered, so that they are not requested again: those of the last hours. */
const MAX_CONFIRMED = 48_000;
/** Script error of a transaction whose witness was stripped: its txid is not known to be invalid. */
const STRIPPED = 'Witness program was passed an empty witness';

/** Options of transaction relay. */
export interface RelayOptions {
  /** -blocksonly: peers must not send transactions. */
  readonly blocksOnly: boolean;
  /** -feefilter: send peers the lowest fee rate that the mempool accepts. */
  readonly feeFilter: boolean;
  readonly bloomFilters: boolean;
  readonly maxOrphans: number;
  /** Transactions kept outside the mempool for compact blocks. */
  readonly extraTransactions: number;
}

export type RelayChain = Pick<Chain, 'params' | 'coin' | 'isInitialDownload'>;

/** Parts of the node that `TransactionRelay` uses. */
export interface RelayDeps {
  readonly chain: RelayChain;
  readonly mempool: Pick<Mempool, 'accept' | 'pool' | 'policy' | 'rollingFeeRate'>;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly relayClock: RelayClock;
  readonly log: Logger;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
  /** Runs a task in another turn of the event loop. */
  readonly later: (task: () => void) => void;
  readonly peers: () => readonly TxPeer[];
  /** Requests to all peers. */
  readonly requestTimes: RequestTimes;
  /** Returns true if -maxuploadtarget is reached. */
  readonly uploadTargetReached: () => boolean;
}

/** Receives transactions from peers and announces them to others. */
export class TransactionRelay {
  readonly orphans: OrphanTransactions;
  readonly rejected = new RejectedTransactions();
  readonly #options: RelayOptions;
  readonly #deps: RelayDeps;
  readonly #relayed = new RelayedTransactions();
  readonly #confirmed = new RecentSet(MAX_CONFIRMED);
  readonly #trickle: TrickleTimer;
  readonly #rounder: FeeRounder;
  /** Rejected and replaced transactions, the latest last. A block may contain them all the same. */
  readonly #extra: Transaction[] = [];

  constructor(options: RelayOptions, deps: RelayDeps) {
    this.#options = options;
    this.#deps = deps;
    this.orphans = new OrphanTransactions(options.maxOrphans, deps.random);
    this.#trickle = new TrickleTimer(deps.random);
    this.#rounder = new FeeRounder(deps.random);
  }

  /** Drops the orphans of a peer whose connection has ended. */
  forget(peer: Peer): void {
    this.orphans.deleteFrom(peer);
  }

  /** Queues a transaction for announcement to all peers that want transactions; each is sent its `inv` at a time of its own. */
  announce(tx: Pick<Transaction, 'txid'>): void {
    const entry = this.#deps.mempool.pool.get(tx.txid);
    if (!entry) return;
    for (const { peer, inventory } of this.#deps.peers()) if (peer.relaysTransactions) inventory.queue(entry);
  }

  /** True if the transaction need not be requested. Reads memory only, because one message of a peer can ask 50,000 times. */
  has(txid: Hash256): boolean {
    return (
      this.orphans.has(txid) ||
      this.rejected.has(txid) ||
      this.#deps.mempool.pool.get(txid) !== undefined ||
      this.#confirmed.has(shortKey(txid))
    );
  }

  /** True if output 0 or 1 is an unspent coin, as is likely for some time after the transaction was confirmed. */
  #hasCoins(txid: Hash256): boolean {
    const { chain } = this.#deps;
    return chain.coin({ txid, vout: 0 }) !== undefined || chain.coin({ txid, vout: 1 }) !== undefined;
  }

  /** Processes transactions that a peer announced. */
  processInventory(from: TxPeer, txids: readonly Hash256[]): void {
    const { peer, inventory, requests } = from;
    const unwanted = this.#isUnwanted(peer);
    const ignored = this.#deps.chain.isInitialDownload();
    const now = this.#deps.relayClock.now();
    let surplus = 0;
    for (const txid of txids) {
      inventory.know(txid);
      if (unwanted) this.#deps.log.debug(`transaction (${formatHash(txid)}) inv sent in violation of protocol peer=${peer.id}`);
      else if (ignored) continue;
      else if (requests.isFull) surplus += 1;
      else if (!this.has(txid)) requests.announce(txid, now);
    }
    this.#chargeSurplus(from, surplus);
    this.#request(from, now);
  }

  /** Charges a peer that keeps announcing more than will be requested from it. */
  #chargeSurplus(from: TxPeer, surplus: number): void {
    from.surplus += surplus;
    if (from.surplus < SURPLUS_STEP) return;
    from.surplus -= SURPLUS_STEP;
    from.peer.misbehave(SCORES.announcementFlood, 'too many transactions announced');
  }

  #isUnwanted(peer: Peer): boolean {
    return this.#options.blocksOnly && !peer.permissions.has('relay');
  }

  processNotFound({ requests }: TxPeer, items: readonly InventoryItem[]): void {
    if (items.length > MAX_NOT_FOUND) return;
    for (const { hash } of items) if (requests.isInFlight(hash)) requests.forget(hash);
  }

  processTransaction(from: TxPeer, tx: Transaction): void {
    const { log, mempool, requestTimes } = this.#deps;
    if (this.#isUnwanted(from.peer)) {
      log.debug(`transaction sent in violation of protocol peer=${from.peer.id}`);
      return;
    }
    from.inventory.know(tx.txid);
    from.requests.forget(tx.txid);
    requestTimes.delete(shortKey(tx.txid));
    if (this.has(tx.txid) || this.#hasCoins(tx.txid)) {
      this.#relayForced(from.peer, tx);
      return;
    }
    const verdict = mempool.accept(tx);
    if (verdict.status === 'accepted') {
      from.peer.lastTransactionMs = this.#deps.nowMs();
      this.#onAccepted(tx, from);
    } else if (verdict.status === 'missing-inputs') {
      this.#processOrphan(from, tx, verdict.parents);
    } else {
      from.peer.reject(rejectTransaction(tx.txid, verdict));
      this.#onRejected(tx, verdict, from.peer);
      this.#relayForced(from.peer, tx);
    }
  }

  #onAccepted(tx: Transaction, from: TxPeer): void {
    this.#deps.log.debug('accepted a transaction', { peer: from.peer.id, txid: formatHash(tx.txid) });
    this.announce(tx);
    if (this.orphans.childrenOf(tx).length > 0) this.#adoptChildren(tx, from.peer.hold());
  }

  /** Retries orphans of an accepted parent, one per turn. The next message of the parent's sender is processed after them. */
  #adoptChildren(first: Transaction, release: () => void): void {
    const work = this.orphans.childrenOf(first);
    const step = (): void => {
      const orphan = work.shift();
      if (!orphan) {
        release();
        return;
      }
      // The sender is not held for good by a failure of the node, which `later` logs.
      this.#deps.later(step);
      if (this.orphans.has(orphan.tx.txid)) work.push(...this.#retry(orphan));
    };
    this.#deps.later(step);
  }

  /** @returns orphans that spend outputs of the transaction, if it was accepted */
  #retry({ tx, peer }: Orphan): readonly Orphan[] {
    const verdict = this.#deps.mempool.accept(tx);
    if (verdict.status === 'missing-inputs') return [];
    this.orphans.delete(tx.txid);
    if (verdict.status === 'accepted') {
      this.announce(tx);
      return this.orphans.childrenOf(tx);
    }
    this.#onRejected(tx, verdict, peer.disconnected ? undefined : peer);
    return [];
  }

  #processOrphan(from: TxPeer, tx: Transaction, parents: readonly Hash256[]): void {
    // A child of a rejected transaction cannot be accepted before the next block.
    if (parents.some((parent) => this.rejected.has(parent))) {
      this.rejected.add(tx.txid);
      return;
    }
    const now = this.#deps.relayClock.now();
    for (const parent of parents) {
      from.inventory.know(parent);
      if (!this.has(parent)) from.requests.announce(parent, now);
    }
    this.orphans.add(tx, from.peer, now);
    this.#keepExtra(tx);
    this.#request(from, now);
  }

  #onRejected(tx: Transaction, { reason, debug, misbehaviour }: Rejection, sender: Peer | undefined): void {
    const text = debug === '' ? reason : `${reason}, ${debug}`;
    this.#deps.log.debug(`${formatHash(tx.txid)} from peer=${sender?.id ?? -1} was not accepted: ${text}`);
    // The witness is not part of the txid: another transaction with this txid may be valid.
    if (!hasWitness(tx) && !text.includes(STRIPPED)) this.rejected.add(tx.txid);
    this.#keepExtra(tx);
    if (misbehaviour > 0) sender?.misbehave(SCORES.invalidTransaction, text);
  }

  /** Announces a known transaction again if the peer has the permission `forcerelay`. */
  #relayForced(peer: Peer, tx: Transaction): void {
    if (!peer.permissions.has('forcerelay') || !this.#deps.mempool.pool.get(tx.txid)) return;
    this.announce(tx);
  }

  #keepExtra(tx: Transaction): void {
    if (tx.raw.length > MAX_EXTRA_BYTES) return;
    this.#extra.push(tx);
    if (this.#extra.length > this.#options.extraTransactions) this.#extra.shift();
  }

  /** Keeps a transaction that was replaced in the mempool: a minter may not have seen the replacement. */
  replaced({ tx }: MempoolEntry): void {
    this.#keepExtra(tx);
  }

  /** Transactions outside the mempool that a block may contain. */
  extra(): Iterable<Transaction> {
    return this.#extra;
  }

  blockConnected({ transactions }: Block): void {
    for (const { txid } of transactions) this.#confirmed.add(shortKey(txid));
    this.orphans.blockConnected(transactions);
  }

  /** Forgets all confirmed transactions, because some may be unconfirmed again. */
  blockDisconnected(): void {
    this.#confirmed.clear();
  }

  tipChanged(): void {
    this.rejected.tipChanged();
  }

  /** Transaction of an item of `getdata`; undefined if it is unknown or was not announced. */
  find({ peer, inventory }: TxPeer, { type, hash }: InventoryItem): Transaction | undefined {
    const tx = this.#relayed.get(hash) ?? this.#sentWithMempool(inventory, hash);
    if (!tx) return undefined;
    this.#deps.log.debug(`received getdata for: tx ${formatHash(hash)} peer=${peer.id}`);
    return (type & WITNESS_FLAG) === 0 ? withoutWitness(tx, this.#deps.chain.params.txFormat) : tx;
  }

  /** Transaction that was in the mempool when the peer was sent all of it (BIP35). */
  #sentWithMempool({ poolSentSec }: TxInventory, txid: Hash256): Transaction | undefined {
    const entry = poolSentSec === undefined ? undefined : this.#deps.mempool.pool.get(txid);
    return entry && poolSentSec !== undefined && entry.time <= poolSentSec ? entry.tx : undefined;
  }

  processMempoolRequest({ peer, inventory }: TxPeer): void {
    const { permissions } = peer;
    const allowed = permissions.has('mempool');
    const served = this.#servesFilters(peer) && !this.#deps.uploadTargetReached();
    if (allowed || served) inventory.poolRequested = true;
    else if (!permissions.has('noban')) peer.disconnect('mempool request without permission');
  }

  setFeeFilter({ inventory }: TxPeer, feeRate: bigint): void {
    if (isMoneyRange(feeRate)) inventory.feeFilter = feeRate;
  }

  loadFilter({ peer, inventory }: TxPeer, filter: FilterLoad): void {
    if (!this.#mayFilter(peer)) return;
    try {
      inventory.bloom = new BloomFilter(filter);
    } catch (error) {
      if (!(error instanceof FilterTooLarge)) throw error;
      peer.misbehave(SCORES.oversizedFilter, error.message);
      return;
    }
    peer.relaysTransactions = true;
  }

  addToFilter({ peer, inventory }: TxPeer, data: Uint8Array): void {
    // Without a filter everything matches, as in a full one.
    if (this.#mayFilter(peer)) inventory.bloom?.insert(data);
  }

  clearFilter({ peer, inventory }: TxPeer): void {
    if (this.#servesFilters(peer)) inventory.bloom = undefined;
    // Without the service too, as with defid: the message says that the peer wants transactions.
    peer.relaysTransactions = true;
  }

  /** Returns true if the service of bloom filters is offered to the peer. */
  #servesFilters({ permissions }: Peer): boolean {
    return this.#options.bloomFilters || permissions.has('bloomfilter');
  }

  #mayFilter(peer: Peer): boolean {
    if (this.#servesFilters(peer)) return true;
    peer.misbehave(SCORES.bloomWithoutService, 'bloom filter without the service');
    return false;
  }

  /** Sends the inventories, requests and fee filters that are due. */
  tick(to: TxPeer, nowMs: number): void {
    if (to.peer.congested) return;
    this.#sendInventory(to, nowMs);
    this.#request(to, this.#deps.relayClock.now());
    this.#sendFeeFilter(to, nowMs);
  }

  #sendInventory({ peer, inventory }: TxPeer, nowMs: number): void {
    const isTime = inventory.nextSendMs < nowMs;
    if (isTime) inventory.nextSendMs = this.#trickle.next(peer.inbound, nowMs);
    if (!isTime && !peer.permissions.has('noban')) return;
    const { pool } = this.#deps.mempool;
    if (!peer.relaysTransactions) inventory.clear();
    const all = inventory.poolRequested ? inventory.wholePool(pool, this.#deps.clock.seconds()) : [];
    for (let at = 0; at < all.length; at += LIMITS.inv) this.#sendItems(peer, all.slice(at, at + LIMITS.inv));
    const batch = inventory.nextBatch(pool);
    for (const { tx } of batch) this.#relayed.add(tx, this.#deps.relayClock.now());
    this.#sendItems(peer, batch);
  }

  #sendItems(peer: Peer, entries: readonly MempoolEntry[]): void {
    if (entries.length === 0) return;
    const hashes = entries.map(({ tx }) => tx.txid);
    peer.send({ command: 'inv', payload: itemsOf(InvType.tx, hashes) });
  }

  #request({ peer, requests, fetchFlag }: TxPeer, now: number): void {
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
}

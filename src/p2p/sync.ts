import type { BlockIndexEntry } from '../chain/block-index.js';
import type { HeaderHolder } from '../chain/header-drops.js';
import type { Transaction } from '../primitives/transaction.js';
import type { MaybePromise } from '../util/slicer.js';
import type { PeerMessage } from './net/events.js';
import type { Peer } from './net/peer.js';
import type { PeerSession } from './relay/session.js';
import { drain } from './sync/drain.js';
import type { PeerProgress } from './sync/peer-progress.js';
import type { SyncProgress } from './sync/progress.js';
import type { SyncPeer } from './sync/sync-peer.js';
import { makeSyncParts, type SyncDeps, type SyncOptions, type SyncParts } from './sync-parts.js';
import { isTransaction } from './wire/inventory.js';
import type { Payloads } from './wire/messages.js';

const TICK_MS = 100;
/** Headers whose blocks are no longer wanted are dropped after one to two of these intervals. */
const SWEEP_MS = 10 * 60_000;
/** Time that a round over all sessions may take per turn of the event loop. */
const TICK_SLICE_MS = 5;

/** Handler of each message. */
type Handlers = { readonly [C in PeerMessage['command']]: (session: PeerSession, payload: Payloads[C]) => void };

/** Synchronises the chain with peers, relays blocks and transactions, and serves both. Dispatches messages to the parts that do so. */
export class Sync {
  readonly #deps: SyncDeps;
  readonly #parts: SyncParts;
  /** By peer id. */
  readonly #sessions = new Map<number, PeerSession>();
  readonly #handlers: Handlers;
  readonly #stops: (() => void)[] = [];
  readonly #pending = new Set<NodeJS.Immediate | NodeJS.Timeout>();
  readonly #stopping = new AbortController();
  #tip: BlockIndexEntry;
  /** Height of the last block that was announced before it was connected. */
  #highBandwidthHeight = 0;
  #nextSweepMs = 0;
  /** Sessions that the current round has not visited yet. */
  #unvisited: PeerSession[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing = false;

  constructor(options: SyncOptions, deps: SyncDeps) {
    this.#deps = deps;
    this.#tip = deps.chain.tip;
    this.#parts = makeSyncParts(options, deps, {
      sessions: () => [...this.#sessions.values()],
      later: (task, delayMs = 0) => this.#later(task, delayMs),
      onHeaders: (peer, last) => this.#headersAccepted(peer, last),
      finish: (work) => this.#finish(work),
      signal: this.#stopping.signal,
    });
    this.#handlers = handlersOf(this.#parts);
  }

  /** Subscribes to the events of peers, chain and mempool. */
  start(): void {
    const { chain, mempool, peers } = this.#deps;
    const { relay, intake } = this.#parts;
    this.#tip = chain.tip;
    this.#stops.push(
      peers.on('ready', (peer) => this.#open(peer)),
      peers.on('message', ({ peer, message }) => this.#dispatch(peer, message)),
      peers.on('disconnected', (peer) => this.#close(peer)),
      chain.on('connected', ({ block }) => relay.blockConnected(block)),
      chain.on('disconnected', () => relay.blockDisconnected()),
      chain.on('arrived', (entry) => this.#guard(() => this.#arrived(entry))),
      chain.on('tip', (tip) => this.#tipChanged(tip)),
      mempool.pool.on('removed', ({ entry, reason }) => {
        if (reason === 'replaced') relay.replaced(entry);
      }),
      intake.start(),
    );
    this.#timer = setInterval(() => this.#guard(() => this.#tick()), TICK_MS);
    this.#timer.unref();
  }

  /**
   * Waits for blocks that peers are sending or about to send, at most 200 ms. Must be awaited before a stop, after which these blocks
   * would have to be requested again. Does not wait during initial download, when there are always more to come.
   */
  async drain(): Promise<void> {
    const { chain, peers } = this.#deps;
    const { intake, downloads } = this.#parts;
    if (chain.isInitialDownload()) return;
    await drain(() => peers.idle && !intake.busy && downloads.size === 0);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopping.abort();
    for (const stop of this.#stops.splice(0)) stop();
    for (const handle of this.#pending) {
      clearImmediate(handle as NodeJS.Immediate);
      clearTimeout(handle as NodeJS.Timeout);
    }
    this.#pending.clear();
  }

  /** Announces a transaction of the mempool to peers. */
  announce(tx: Pick<Transaction, 'txid'>): void {
    this.#parts.relay.announce(tx);
  }

  /** State of headers, blocks and fee filter of a peer; undefined before its handshake is complete. */
  progressOf({ id }: Pick<Peer, 'id'>): PeerProgress | undefined {
    const session = this.#sessions.get(id);
    if (!session) return undefined;
    const { best, lastCommon, requested } = session.sync;
    return {
      syncedHeaders: best?.height ?? -1,
      syncedBlocks: lastCommon?.height ?? -1,
      inFlight: [...requested.values()].map(({ hash }) => this.#deps.chain.entry(hash)?.height ?? -1),
      minFeeRate: session.txs.inventory.feeFilter,
    };
  }

  /** Number of blocks that were requested and have not arrived. */
  get blocksInFlight(): number {
    return this.#parts.downloads.size;
  }

  get orphanBlocks(): number {
    return this.#parts.intake.orphans;
  }

  get orphanTransactions(): number {
    return this.#parts.relay.orphans.size;
  }

  get progress(): Pick<SyncProgress, 'headersShare' | 'blocksShare'> {
    return this.#parts.progress;
  }

  /** Runs a task in another turn of the event loop. Errors are logged. */
  #later(task: () => void, delayMs: number): void {
    const run = () => {
      this.#pending.delete(handle);
      this.#guard(task);
    };
    const handle = delayMs > 0 ? setTimeout(run, delayMs) : setImmediate(run);
    this.#pending.add(handle);
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Logs the error of sliced work, unless the stop ended it. */
  #finish(work: MaybePromise<void>): void {
    if (!(work instanceof Promise)) return;
    work.catch((error) => {
      if (!this.#stopping.signal.aborted) this.#failed(error);
    });
  }

  #failed(error: unknown): void {
    this.#deps.log.error('unhandled error in sync', { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }

  #open(peer: Peer): void {
    const { anchors, relay, openSession } = this.#parts;
    const session = openSession(peer);
    this.#sessions.set(peer.id, session);
    anchors.greet(peer);
    this.#flush(session.sync);
    // Sends the fee filter before the peer announces transactions below it.
    relay.tick(session.txs, this.#deps.peers.monotonic());
  }

  #close({ id }: Peer): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    const { downloads, compact, intake, relay } = this.#parts;
    this.#sessions.delete(id);
    downloads.forget(session.sync);
    this.#finish(this.#deps.chain.dropHeadersOf(id, () => this.#holders(), this.#stopping.signal));
    compact.forget(session.sync);
    intake.forget(session.sync);
    relay.forget(session.peer);
    this.#flushAllLater();
  }

  /** Best blocks of all peers. */
  *#holders(): Iterable<HeaderHolder> {
    for (const { peer, sync } of this.#sessions.values()) if (sync.best) yield { owner: peer.id, best: sync.best };
  }

  /**
   * Height of the best header that counts for readiness: one whose blocks are all stored, or that two peers have. One peer alone could
   * invent headers without end.
   */
  get sharedHeight(): number {
    const { chain } = this.#deps;
    const seen = new Set<BlockIndexEntry>();
    let height = chain.heldHeight;
    for (const { sync } of this.#sessions.values()) {
      let at = sync.best;
      while (at && at.chainWork > chain.tip.chainWork && !seen.has(at)) {
        seen.add(at);
        at = at.parent;
      }
      while (at?.failed) at = at.parent;
      if (at && at.chainWork > chain.tip.chainWork) height = Math.max(height, at.height);
    }
    return height;
  }

  #dispatch(peer: Peer, message: PeerMessage): void {
    const session = this.#sessions.get(peer.id);
    if (!session) return;
    // The table pairs each name with the handler of its payload, which the type system cannot follow here.
    const handle = this.#handlers[message.command] as (session: PeerSession, payload: unknown) => void;
    handle(session, message.payload);
    if (!peer.disconnected) this.#flush(session.sync);
  }

  #headersAccepted(peer: SyncPeer, last: BlockIndexEntry): void {
    const { progress, fetcher, intake } = this.#parts;
    progress.update();
    fetcher.fetchAnnounced(peer, last);
    intake.adoptOrphans();
    this.#flush(peer);
  }

  #arrived(entry: BlockIndexEntry): void {
    // One block per height, so that a masternode that mints several at a height cannot make the node send them all.
    if (entry.height <= this.#highBandwidthHeight || this.#deps.chain.isInitialDownload()) return;
    this.#highBandwidthHeight = entry.height;
    for (const { sync } of this.#sessions.values()) this.#parts.announcer.announceHighBandwidth(sync, entry);
  }

  #tipChanged(tip: BlockIndexEntry): void {
    const { chain, peers } = this.#deps;
    const { staleTip, relay, progress, announcer } = this.#parts;
    const before = this.#tip;
    this.#tip = tip;
    staleTip.tipChanged(peers.monotonic());
    relay.tipChanged();
    progress.update();
    if (chain.isInitialDownload()) return;
    const blocks = announcer.newBlocks(tip, before);
    for (const { sync } of this.#sessions.values()) announcer.add(sync, blocks);
    this.#flushAllLater();
  }

  #flushAllLater(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.#later(() => {
      this.#flushing = false;
      for (const { sync } of [...this.#sessions.values()]) this.#flush(sync);
    }, 0);
  }

  /** Announces new blocks to a peer, and requests headers and blocks from it that are missing here. */
  #flush(peer: SyncPeer): void {
    if (peer.peer.disconnected) return;
    const { announcer, headers, fetcher } = this.#parts;
    announcer.flush(peer);
    if (!peer.syncStarted) headers.start(peer, fetcher.isSource(peer), this.#deps.peers.monotonic());
    // The blocks of an announcement are left to its sender.
    if (headers.isAccepting) this.#flushAllLater();
    else fetcher.fill(peer);
  }

  #tick(): void {
    const nowMs = this.#deps.peers.monotonic();
    this.#parts.staleTip.tick(nowMs);
    this.#parts.headers.makeRoom();
    if (nowMs >= this.#nextSweepMs) {
      this.#nextSweepMs = nowMs + SWEEP_MS;
      this.#finish(this.#deps.chain.sweepHeaders(() => this.#holders(), this.#stopping.signal));
    }
    if (this.#unvisited.length > 0) return;
    this.#unvisited = [...this.#sessions.values()];
    this.#visitSome();
  }

  /** Visits sessions of the round for one slice, so that many busy peers do not block the event loop. */
  #visitSome(): void {
    const end = performance.now() + TICK_SLICE_MS;
    try {
      do {
        const session = this.#unvisited.shift();
        if (session && !session.peer.disconnected) this.#visit(session);
      } while (this.#unvisited.length > 0 && performance.now() < end);
    } finally {
      if (this.#unvisited.length > 0) this.#later(() => this.#visitSome(), 0);
    }
  }

  #visit({ peer, sync, txs }: PeerSession): void {
    const { downloads, fetcher, headers, relay } = this.#parts;
    const nowMs = this.#deps.peers.monotonic();
    const reason = sync.pendingWork > 0 ? undefined : downloads.timeout(sync, nowMs, fetcher.sources);
    if (reason !== undefined) peer.disconnect(reason);
    else headers.tick(sync, nowMs);
    if (peer.disconnected) return;
    this.#flush(sync);
    relay.tick(txs, nowMs);
  }
}

function handlersOf({ headers, intake, compact, server, relay, anchors, inventories, requests }: SyncParts): Handlers {
  return {
    inv: (session, items) => inventories.process(session, items),
    getdata: (session, items) => requests.process(session, items),
    notfound: ({ txs }, items) => relay.processNotFound(txs, items.filter(isTransaction)),
    headers: ({ sync }, received) => headers.process(sync, received),
    block: ({ sync }, block) => intake.process(sync, block),
    tx: ({ txs }, tx) => relay.processTransaction(txs, tx),
    getheaders: ({ sync }, request) => server.getHeaders(sync, request),
    getblocks: ({ sync }, request) => server.getBlocks(sync, request),
    getblocktxn: ({ sync }, request) => server.getBlockTransactions(sync, request),
    cmpctblock: ({ sync }, block) => compact.process(sync, block),
    blocktxn: ({ sync }, transactions) => compact.processTransactions(sync, transactions),
    sendheaders: ({ sync }) => {
      sync.wantsHeaders = true;
    },
    sendcmpct: ({ sync }, offer) => compact.processOffer(sync, offer),
    feefilter: ({ txs }, { feeRate }) => relay.setFeeFilter(txs, feeRate),
    mempool: ({ txs }) => relay.processMempoolRequest(txs),
    filterload: ({ txs }, filter) => relay.loadFilter(txs, filter),
    filteradd: ({ txs }, { data }) => relay.addToFilter(txs, data),
    filterclear: ({ txs }) => relay.clearFilter(txs),
    anchorauth: (session, auth) => anchors.processAuth(session, auth),
    anchorconf: (session, confirm) => anchors.processConfirm(session, confirm),
    getauths: ({ peer }, request) => anchors.getAuths(peer, request),
  };
}

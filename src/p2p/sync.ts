import { randomBytes } from 'node:crypto';
import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import type { HeaderHolder } from '../chain/headers.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Transaction } from '../primitives/transaction.js';
import type { Clock } from '../util/clock.js';
import type { Logger } from '../util/logger.js';
import { systemRandom } from '../util/random.js';
import { hasServices, Service } from './addresses/services.js';
import type { PeerMessage } from './net/events.js';
import { MAX_OUTBOUND } from './net/options.js';
import type { Peer } from './net/peer.js';
import type { Peers } from './net/peers.js';
import { AnchorRelay } from './relay/anchors.js';
import { InventoryIntake } from './relay/inventory-intake.js';
import { type RelayOptions, TransactionRelay } from './relay/relay.js';
import { RelayClock } from './relay/relay-clock.js';
import { BlockAnnouncer } from './sync/announce.js';
import { BlockFetcher } from './sync/block-fetcher.js';
import { BlockIntake } from './sync/block-intake.js';
import { CompactRelay } from './sync/compact-relay.js';
import { DataRequests } from './sync/data-requests.js';
import { BlockDownloads } from './sync/download.js';
import { settle } from './sync/drain.js';
import { HeadersSync } from './sync/headers-sync.js';
import type { PeerProgress } from './sync/peer-progress.js';
import { SyncProgress, type Terminal } from './sync/progress.js';
import { BlockServer } from './sync/serve.js';
import { StaleTip } from './sync/stale-tip.js';
import { SyncPeer } from './sync/sync-peer.js';
import { type InventoryItem, isTransaction } from './wire/inventory.js';
import type { Payloads, WireMessage } from './wire/messages.js';

const TICK_MS = 100;
/** Headers whose blocks are no longer wanted are dropped after one to two times this. */
const SWEEP_MS = 10 * 60_000;
/** Time that a round over all peers may take per turn of the event loop. */
const TICK_SLICE_MS = 5;
/** A tip not older than so many blocks take is near enough to fetch what is announced at once. */
const NEAR_TIP_BLOCKS = 20;

export interface SyncOptions extends RelayOptions {
  /** Old blocks are deleted here. */
  readonly pruned: boolean;
}

/** Values of an option table without a word from the operator: for tests and tools. */
export const defaultSyncOptions: SyncOptions = {
  pruned: false,
  blocksOnly: false,
  feeFilter: true,
  bloomFilters: false,
  maxOrphans: 100,
  extraTransactions: 100,
};

export interface SyncDeps {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly peers: Pick<Peers, 'on' | 'options' | 'monotonic' | 'tryExtraOutbound' | 'adjustedTime' | 'totals' | 'idle'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1); for tests. */
  readonly random?: () => number;
  /** Where a progress bar is drawn while the node catches up; without one the log has a line for every 5 %. */
  readonly terminal?: Terminal | undefined;
}

/** What is done with each message. */
type Handlers = { readonly [C in PeerMessage['command']]: (peer: SyncPeer, payload: Payloads[C]) => void };

/** Keeps this node level with the network: learns headers and blocks, passes blocks and transactions on, and serves both. */
export class Sync {
  readonly relay: TransactionRelay;
  readonly #deps: SyncDeps;
  readonly #log: Logger;
  readonly #ownWitness: boolean;
  readonly #peers = new Map<number, SyncPeer>();
  readonly #downloads: BlockDownloads;
  readonly #headers: HeadersSync;
  readonly #fetcher: BlockFetcher;
  readonly #intake: BlockIntake;
  readonly #compact: CompactRelay;
  readonly #announcer: BlockAnnouncer;
  readonly #server: BlockServer;
  readonly #requests: DataRequests;
  readonly #inventories: InventoryIntake;
  readonly #anchors: AnchorRelay;
  readonly #staleTip: StaleTip;
  readonly #progress: SyncProgress;
  readonly #handlers = this.#makeHandlers();
  readonly #stops: (() => void)[] = [];
  readonly #pending = new Set<NodeJS.Immediate | NodeJS.Timeout>();
  #tip: BlockIndexEntry;
  /** Height of the last block that was sent on before it was connected. */
  #hurriedHeight = 0;
  #nextSweepMs = 0;
  /** Peers that the round under way has still to visit. */
  #unvisited: SyncPeer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing = false;

  constructor(options: SyncOptions, deps: SyncDeps) {
    const { chain, mempool, peers, clock, log, terminal, random = systemRandom } = deps;
    const nowMs = () => peers.monotonic();
    const later = (task: () => void, delayMs = 0) => this.#later(task, delayMs);
    const isNearTip = () => chain.tip.time > peers.adjustedTime() - chain.params.pos.targetSpacing * NEAR_TIP_BLOCKS;
    this.#ownWitness = hasServices(peers.options.services, Service.witness);
    const sendCompact = (peer: SyncPeer, entry: BlockIndexEntry) => this.#compact.send(peer, entry);
    this.#deps = deps;
    this.#log = log;
    this.#tip = chain.tip;
    const shared = { chain, mempool, clock, log, random, nowMs, later, isNearTip, sendCompact, peers: this.#peers };
    this.#downloads = new BlockDownloads(chain);
    this.#headers = new HeadersSync({ ...shared, onHeaders: (peer, last) => this.#headersTaken(peer, last) });
    const parts = { ...shared, downloads: this.#downloads, headers: this.#headers };
    this.#fetcher = new BlockFetcher(parts);
    this.#intake = new BlockIntake({ ...parts, onFirst: (peer) => this.#compact.prefer(peer) });
    this.#compact = new CompactRelay({
      ...parts,
      ownWitness: this.#ownWitness,
      nonce: () => randomBytes(8).readBigUInt64LE(),
      extra: () => this.relay.extra(),
      deliver: (peer, hash, bytes) => void this.#intake.deliver(peer, { hash, bytes, requested: true, compact: true }),
      fetch: (peer, hash) => this.#fetcher.refetch(peer, hash),
    });
    this.#announcer = new BlockAnnouncer(parts);
    this.relay = new TransactionRelay(options, {
      ...parts,
      relayClock: new RelayClock(clock, nowMs),
      uploadUsedUp: () => peers.totals.targetReached,
    });
    this.#server = new BlockServer({
      ...parts,
      pruned: options.pruned,
      servesHistorical: () => peers.totals.servesHistoricalBlocks,
      bloomOf: (peer) => this.relay.bloomOf(peer),
    });
    this.#requests = new DataRequests({
      later,
      block: (peer, item) => this.#server.getBlock(peer, item),
      other: (peer, item) => this.#find(peer, item),
    });
    this.#anchors = new AnchorRelay(parts);
    this.#inventories = new InventoryIntake({
      chain,
      later,
      transactions: (peer, txids) => this.relay.takeInventory(peer, txids),
      anchors: (peer, items) => this.#anchors.announced(peer, items),
      isRequested: (hash) => this.#downloads.request(hash) !== undefined,
      // Its header arrives with all those below it, and then the block is requested.
      unknownBlock: (peer, hash) => this.#headers.request(peer, chain.bestHeader, hash),
    });
    this.#staleTip = new StaleTip(
      {
        peers: this.#peers,
        usualOutbound: MAX_OUTBOUND,
        isIdle: () => this.#downloads.size === 0,
        tryExtraOutbound: (on) => peers.tryExtraOutbound(on),
      },
      nowMs(),
    );
    this.#progress = new SyncProgress({ chain, clock, log, nowMs, terminal });
  }

  /** Begins to follow peers, chain and pool. */
  start(): void {
    const { chain, mempool, peers } = this.#deps;
    this.#tip = chain.tip;
    this.#stops.push(
      peers.on('ready', (peer) => this.#ready(peer)),
      peers.on('message', ({ peer, message }) => this.#take(peer, message)),
      peers.on('gone', (peer) => this.#gone(peer)),
      chain.on('connected', ({ block }) => this.relay.blockConnected(block)),
      chain.on('disconnected', () => this.relay.blockDisconnected()),
      chain.on('arrived', (entry) => this.#guard(() => this.#arrived(entry))),
      chain.on('tip', (tip) => this.#tipChanged(tip)),
      mempool.pool.on('removed', ({ entry, reason }) => {
        if (reason === 'replaced') this.relay.replaced(entry);
      }),
      this.#intake.start(),
    );
    this.#timer = setInterval(() => this.#guard(() => this.#tick()), TICK_MS);
    this.#timer.unref();
  }

  /**
   * To be awaited before a stop: takes the new blocks that peers have sent or are about to send, which would else have to be asked for
   * after the next start. While there are many to catch up with, another one is always on its way, and there is no waiting.
   */
  async settle(): Promise<void> {
    const { chain, peers } = this.#deps;
    if (chain.isInitialDownload()) return;
    await settle(() => peers.idle && !this.#intake.busy && this.#downloads.size === 0);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const stop of this.#stops.splice(0)) stop();
    for (const handle of this.#pending) {
      clearImmediate(handle as NodeJS.Immediate);
      clearTimeout(handle as NodeJS.Timeout);
    }
    this.#pending.clear();
  }

  /** Tells peers of a transaction of the pool. */
  announce(tx: Pick<Transaction, 'txid'>): void {
    this.relay.announce(tx);
  }

  /** What is known about a peer's blocks; undefined for one that is not ready. */
  progressOf({ id }: Pick<Peer, 'id'>): PeerProgress | undefined {
    const peer = this.#peers.get(id);
    if (!peer) return undefined;
    const inFlight = [...peer.requested.values()].map(({ hash }) => this.#deps.chain.entry(hash)?.height ?? -1);
    return {
      syncedHeaders: peer.best?.height ?? -1,
      syncedBlocks: peer.lastCommon?.height ?? -1,
      inFlight,
      minFeeRate: this.relay.feeFilterOf(id),
    };
  }

  /** Blocks that were asked for and have not come. */
  get blocksInFlight(): number {
    return this.#downloads.size;
  }

  get orphanBlocks(): number {
    return this.#intake.orphans;
  }

  get orphanTransactions(): number {
    return this.relay.orphans.size;
  }

  get progress(): Pick<SyncProgress, 'headersShare' | 'blocksShare'> {
    return this.#progress;
  }

  /** Runs a task in another turn. What it throws is our fault, and told. */
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

  #failed(error: unknown): void {
    this.#log.error('sync failed at a step', { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }

  #ready(peer: Peer): void {
    const own = new SyncPeer(peer, this.#ownWitness);
    this.#peers.set(peer.id, own);
    this.relay.add(own);
    this.#anchors.greet(own);
    this.#flush(own);
    // Before it announces anything it should know what is too cheap for us.
    this.relay.tick(own, this.#deps.peers.monotonic());
  }

  #gone({ id }: Peer): void {
    const own = this.#peers.get(id);
    if (!own) return;
    this.#peers.delete(id);
    this.#downloads.forget(own);
    this.#deps.chain.dropHeadersOf(id, this.#holders());
    for (const part of [this.#compact, this.#intake, this.#anchors]) part.forget(own);
    this.relay.remove(own);
    this.#flushAllLater();
  }

  /** Best blocks of all peers. */
  *#holders(): Iterable<HeaderHolder> {
    for (const { peer, best } of this.#peers.values()) if (best) yield { owner: peer.id, best };
  }

  /**
   * Height of the best header that counts for readiness: its block and all below it are stored, or two peers have it. One peer alone
   * could make up headers without end.
   */
  get sharedHeight(): number {
    const { chain } = this.#deps;
    const seen = new Set<BlockIndexEntry>();
    let height = chain.heldHeight;
    for (const { best } of this.#peers.values()) {
      let at = best;
      while (at && at.chainWork > chain.tip.chainWork && !seen.has(at)) {
        seen.add(at);
        at = at.parent;
      }
      while (at?.failed) at = at.parent;
      if (at && at.chainWork > chain.tip.chainWork) height = Math.max(height, at.height);
    }
    return height;
  }

  #take(from: Peer, message: PeerMessage): void {
    const peer = this.#peers.get(from.id);
    if (!peer) return;
    // The table pairs each name with the handler of its payload, which is more than the type system can follow here.
    const handle = this.#handlers[message.command] as (peer: SyncPeer, payload: unknown) => void;
    handle(peer, message.payload);
    if (!from.disconnected) this.#flush(peer);
  }

  #makeHandlers(): Handlers {
    return {
      inv: (peer, items) => this.#inventories.take(peer, items),
      getdata: (peer, items) => this.#requests.take(peer, items),
      notfound: (peer, items) => this.relay.takeNotFound(peer, items.filter(isTransaction)),
      headers: (peer, headers) => this.#headers.take(peer, headers),
      block: (peer, block) => this.#intake.take(peer, block),
      tx: (peer, tx) => this.relay.takeTransaction(peer, tx),
      getheaders: (peer, request) => this.#server.getHeaders(peer, request),
      getblocks: (peer, request) => this.#server.getBlocks(peer, request),
      getblocktxn: (peer, request) => this.#server.getBlockTransactions(peer, request),
      cmpctblock: (peer, block) => this.#compact.take(peer, block),
      blocktxn: (peer, transactions) => this.#compact.takeTransactions(peer, transactions),
      sendheaders: (peer) => {
        peer.wantsHeaders = true;
      },
      sendcmpct: (peer, offer) => this.#compact.takeOffer(peer, offer),
      feefilter: (peer, { feeRate }) => this.relay.takeFeeFilter(peer, feeRate),
      mempool: (peer) => this.relay.takePoolRequest(peer),
      filterload: (peer, filter) => this.relay.loadFilter(peer, filter),
      filteradd: (peer, { data }) => this.relay.addToFilter(peer, data),
      filterclear: (peer) => this.relay.clearFilter(peer),
      // Nobody asks for it here.
      merkleblock: () => {},
      anchorauth: (peer, auth) => this.#anchors.takeAuth(peer, auth),
      anchorconf: (peer, confirm) => this.#anchors.takeConfirm(peer, confirm),
      getauths: (peer, request) => this.#anchors.getAuths(peer, request),
    };
  }

  #find(peer: SyncPeer, item: InventoryItem): WireMessage | undefined {
    if (!isTransaction(item)) return this.#anchors.find(item);
    const tx = this.relay.find(peer, item);
    return tx && { command: 'tx', payload: tx };
  }

  #headersTaken(peer: SyncPeer, last: BlockIndexEntry): void {
    this.#progress.update();
    this.#fetcher.fetchAnnounced(peer, last);
    this.#intake.adoptOrphans();
    this.#flush(peer);
  }

  #arrived(entry: BlockIndexEntry): void {
    // One block of each height, or whoever mints several could have us send them all.
    if (entry.height <= this.#hurriedHeight || this.#deps.chain.isInitialDownload()) return;
    this.#hurriedHeight = entry.height;
    for (const peer of this.#peers.values()) this.#announcer.hurry(peer, entry);
  }

  #tipChanged(tip: BlockIndexEntry): void {
    const { chain } = this.#deps;
    const before = this.#tip;
    this.#tip = tip;
    this.#staleTip.tipChanged(this.#deps.peers.monotonic());
    this.relay.tipChanged();
    this.#progress.update();
    if (chain.isInitialDownload()) return;
    const blocks = this.#announcer.newBlocks(tip, before);
    for (const peer of this.#peers.values()) this.#announcer.add(peer, blocks);
    this.#flushAllLater();
  }

  #flushAllLater(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.#later(() => {
      this.#flushing = false;
      for (const peer of [...this.#peers.values()]) this.#flush(peer);
    }, 0);
  }

  /** Tells a peer of new blocks, and asks it for what it has and we lack. */
  #flush(peer: SyncPeer): void {
    if (peer.peer.disconnected) return;
    this.#announcer.flush(peer);
    if (!peer.syncStarted) this.#headers.start(peer, this.#fetcher.isSource(peer), this.#deps.peers.monotonic());
    this.#fetcher.fill(peer);
  }

  #tick(): void {
    const nowMs = this.#deps.peers.monotonic();
    this.#staleTip.tick(nowMs);
    this.#headers.makeRoom();
    if (nowMs >= this.#nextSweepMs) {
      this.#nextSweepMs = nowMs + SWEEP_MS;
      this.#deps.chain.sweepHeaders(this.#holders());
    }
    if (this.#unvisited.length > 0) return;
    this.#unvisited = [...this.#peers.values()];
    this.#visitSome();
  }

  /** Visits peers of the round for one slice. Many peers with much to do would otherwise hold the event loop together. */
  #visitSome(): void {
    const end = performance.now() + TICK_SLICE_MS;
    try {
      do {
        const peer = this.#unvisited.shift();
        if (peer && !peer.peer.disconnected) this.#visit(peer);
      } while (this.#unvisited.length > 0 && performance.now() < end);
    } finally {
      if (this.#unvisited.length > 0) this.#later(() => this.#visitSome(), 0);
    }
  }

  #visit(peer: SyncPeer): void {
    const nowMs = this.#deps.peers.monotonic();
    const reason = this.#downloads.timeout(peer, nowMs, this.#fetcher.sources);
    if (reason !== undefined) peer.peer.disconnect(reason);
    else this.#headers.tick(peer, nowMs);
    if (peer.peer.disconnected) return;
    this.#flush(peer);
    this.relay.tick(peer, nowMs);
  }
}

import { randomBytes } from 'node:crypto';
import type { Anchors } from '../anchors/anchors.js';
import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Clock } from '../util/clock.js';
import type { Logger } from '../util/logger.js';
import type { Terminal } from '../util/progress.js';
import { systemRandom } from '../util/random.js';
import type { MaybePromise } from '../util/slicer.js';
import { hasServices, Service } from './addresses/services.js';
import { MAX_OUTBOUND } from './net/options.js';
import type { Peer } from './net/peer.js';
import type { Peers } from './net/peers.js';
import { AnchorRequests } from './relay/anchor-requests.js';
import { AnchorRelay } from './relay/anchors.js';
import { DataRequests } from './relay/data-requests.js';
import { InventoryIntake } from './relay/inventory-intake.js';
import { type RelayOptions, TransactionRelay } from './relay/relay.js';
import { RelayClock } from './relay/relay-clock.js';
import type { PeerSession } from './relay/session.js';
import { TxPeer } from './relay/tx-peer.js';
import { RequestTimes } from './relay/tx-requests.js';
import { BlockAnnouncer } from './sync/announce.js';
import { BlockFetcher } from './sync/block-fetcher.js';
import { BlockIntake } from './sync/block-intake.js';
import { CompactRelay } from './sync/compact-relay.js';
import { BlockDownloads } from './sync/download.js';
import { HeadersSync } from './sync/headers-sync.js';
import { SyncProgress } from './sync/progress.js';
import { BlockServer } from './sync/serve.js';
import { StaleTip } from './sync/stale-tip.js';
import { SyncPeer } from './sync/sync-peer.js';
import { isTransaction } from './wire/inventory.js';

/** A tip younger than this many target spacings is recent enough to request announced blocks at once. */
const NEAR_TIP_BLOCKS = 20;

export interface SyncOptions extends RelayOptions {
  /** True if only recent blocks are served: others are pruned, or missing below a snapshot. It ends when these are stored. */
  readonly pruned: boolean;
}

export interface SyncDeps {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly anchors: Anchors;
  readonly peers: Pick<Peers, 'on' | 'options' | 'monotonic' | 'tryExtraOutbound' | 'adjustedTime' | 'totals' | 'idle'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 up to 1; for tests. */
  readonly random?: () => number;
  /** Terminal for a progress bar; without one, every 5 % is logged. */
  readonly terminal?: Terminal | undefined;
}

/** Callbacks of the parts to their owner. */
export interface SyncHost {
  readonly sessions: () => readonly PeerSession[];
  /** Runs a task in another turn of the event loop, after an optional delay. */
  readonly later: (task: () => void, delayMs?: number) => void;
  /** Called after the headers of a message were accepted; `last` is the last of them. */
  readonly onHeaders: (peer: SyncPeer, last: BlockIndexEntry) => void;
  /** Logs the error of work that takes several turns, unless the stop ended it. */
  readonly finish: (work: MaybePromise<void>) => void;
  /** Aborted by the stop. */
  readonly signal: AbortSignal;
}

export interface SyncParts {
  readonly downloads: BlockDownloads;
  readonly headers: HeadersSync;
  readonly fetcher: BlockFetcher;
  readonly intake: BlockIntake;
  readonly compact: CompactRelay;
  readonly announcer: BlockAnnouncer;
  readonly server: BlockServer;
  readonly relay: TransactionRelay;
  readonly anchors: AnchorRelay;
  readonly inventories: InventoryIntake;
  readonly requests: DataRequests;
  readonly staleTip: StaleTip;
  readonly progress: SyncProgress;
  /** Creates the state of all layers for a peer whose handshake is complete. */
  readonly openSession: (peer: Peer) => PeerSession;
}

/** Builds the parts of `Sync` and connects them with each other. */
export function makeSyncParts(options: SyncOptions, deps: SyncDeps, { sessions, later, onHeaders, finish, signal }: SyncHost): SyncParts {
  const { chain, mempool, peers, clock, log, terminal, random = systemRandom } = deps;
  const nowMs = () => peers.monotonic();
  const ownWitness = hasServices(peers.options.services, Service.witness);
  const requestTimes = new RequestTimes();
  const downloads = new BlockDownloads(chain);
  const common = {
    chain,
    mempool,
    downloads,
    clock,
    log,
    random,
    nowMs,
    later,
    peers: () => sessions().map(({ sync }) => sync),
    isNearTip: () => chain.tip.time > peers.adjustedTime() - chain.params.pos.targetSpacing * NEAR_TIP_BLOCKS,
    sendCompact: (peer: SyncPeer, entry: BlockIndexEntry) => compact.send(peer, entry),
  };
  const headers = new HeadersSync({ ...common, onHeaders });
  const fetcher = new BlockFetcher(common);
  const intake = new BlockIntake({ ...common, headers, onFirst: (peer) => compact.prefer(peer) });
  const relay = new TransactionRelay(options, {
    ...common,
    requestTimes,
    peers: () => sessions().map(({ txs }) => txs),
    relayClock: new RelayClock(clock, nowMs),
    uploadTargetReached: () => peers.totals.targetReached,
  });
  const compact = new CompactRelay({
    ...common,
    headers,
    ownWitness,
    nonce: () => randomBytes(8).readBigUInt64LE(),
    extra: () => relay.extra(),
    deliver: (peer, block, keepsRequest) => intake.processReconstructed(peer, block, keepsRequest),
    signal,
    fetch: (peer, hash) => fetcher.refetch(peer, hash),
  });
  const server = new BlockServer({
    ...common,
    signal,
    pruned: () => options.pruned,
    servesHistorical: () => peers.totals.servesHistoricalBlocks,
  });
  const anchors = new AnchorRelay({ ...common, anchors: deps.anchors, peers: () => sessions().map(({ peer }) => peer) });
  return {
    downloads,
    headers,
    fetcher,
    intake,
    compact,
    announcer: new BlockAnnouncer(common),
    server,
    relay,
    anchors,
    inventories: makeInventories({ chain, later, downloads, headers, relay, anchors }),
    requests: makeRequests({ later, finish, server, relay, anchors }),
    staleTip: new StaleTip(
      {
        peers: common.peers,
        usualOutbound: MAX_OUTBOUND,
        isIdle: () => downloads.size === 0,
        tryExtraOutbound: (on) => peers.tryExtraOutbound(on),
      },
      nowMs(),
    ),
    progress: new SyncProgress({ chain, clock, log, nowMs, terminal }),
    openSession(peer) {
      const sync = new SyncPeer(peer, ownWitness);
      return { peer, sync, txs: new TxPeer(sync, requestTimes, random), anchors: new AnchorRequests() };
    },
  };
}

type InventoryParts = Pick<SyncParts, 'downloads' | 'headers' | 'relay' | 'anchors'> & Pick<SyncDeps, 'chain'> & Pick<SyncHost, 'later'>;

function makeInventories({ chain, later, downloads, headers, relay, anchors }: InventoryParts): InventoryIntake {
  return new InventoryIntake({
    chain,
    later,
    transactions: ({ txs }, txids) => relay.processInventory(txs, txids),
    anchors: (session, items) => anchors.processInventory(session, items),
    isRequested: (hash) => downloads.request(hash) !== undefined,
    // The headers up to the block arrive first, and then the block is requested.
    unknownBlock: ({ sync }, hash) => headers.request(sync, chain.bestHeader, hash),
  });
}

function makeRequests({
  later,
  finish,
  server,
  relay,
  anchors,
}: Pick<SyncParts, 'server' | 'relay' | 'anchors'> & Pick<SyncHost, 'later' | 'finish'>): DataRequests {
  return new DataRequests({
    later,
    finish,
    block: ({ sync, txs }, item) => server.getBlock(sync, item, txs.inventory.bloom),
    other: ({ txs }, item) => {
      if (!isTransaction(item)) return anchors.find(item);
      const tx = relay.find(txs, item);
      return tx && { command: 'tx', payload: tx };
    },
  });
}

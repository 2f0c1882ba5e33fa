import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import { BlockInvalid } from '../../consensus/errors.js';
import { type Hash256, NULL_HASH } from '../../primitives/hash.js';
import { type BlockHeader, blockHash } from '../../primitives/header.js';
import { equalBytes } from '../../util/bytes.js';
import type { Clock } from '../../util/clock.js';
import type { Logger } from '../../util/logger.js';
import { punish } from '../net/misbehaviour/invalid-data.js';
import { SCORES } from '../net/misbehaviour/scores.js';
import { LIMITS } from '../wire/limits.js';
import { locatorOf } from './locator.js';
import type { SyncPeer } from './sync-peer.js';

/** Fewer headers than these may be an announcement, which may come before what it stands on. */
export const MAX_ANNOUNCED_HEADERS = 8;
/** Headers are checked that long at a time. */
const SLICE_MS = 5;
const MAX_UNCONNECTING = 10;
const DAY_SEC = 86_400;
const SYNC_TIMEOUT_MS = 15 * 60_000;
const SYNC_TIMEOUT_PER_HEADER_MS = 1;
/** How long a peer of our choice may lag behind us, and then to answer when asked for its headers. */
const LAG_TIMEOUT_MS = 20 * 60_000;
const LAG_ANSWER_MS = 2 * 60_000;
const MAX_PROTECTED = 4;

export type HeadersChain = Pick<
  Chain,
  'params' | 'tip' | 'bestHeader' | 'entry' | 'isActive' | 'acceptHeader' | 'isInitialDownload' | 'isFullOfHeaders' | 'headersOf'
>;

export interface HeadersSyncDeps {
  readonly chain: HeadersChain;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly log: Logger;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
  /** Runs a task in another turn. */
  readonly later: (task: () => void) => void;
  /** Peers that are connected. */
  readonly peers: ReadonlyMap<number, SyncPeer>;
  /** Called after headers of a peer were taken in; `last` is the last of them. */
  readonly onHeaders: (peer: SyncPeer, last: BlockIndexEntry) => void;
}

/** Headers of one message, and what to do with them. */
interface AcceptWork {
  readonly peer: SyncPeer;
  readonly headers: readonly BlockHeader[];
  readonly compact: boolean;
  /** Lets the peer's next message come. */
  readonly release: () => void;
  readonly onDone: (last: BlockIndexEntry) => void;
}

/** Learns the headers of the best chain: from one peer at first, from all once they are recent. */
export class HeadersSync {
  readonly #deps: HeadersSyncDeps;

  constructor(deps: HeadersSyncDeps) {
    this.#deps = deps;
  }

  /** Asks a peer for what follows a block. */
  request(peer: SyncPeer, from: BlockIndexEntry, stop: Hash256 = NULL_HASH): void {
    const version = peer.peer.protocolVersion;
    peer.peer.send({ command: 'getheaders', payload: { version, locator: locatorOf(from), stop } });
  }

  /** Begins with a peer, unless another is at it and there is much to fetch. */
  start(peer: SyncPeer, isSource: boolean, nowMs: number): void {
    const { chain } = this.#deps;
    if (peer.syncStarted || !peer.servesBlocks) return;
    const started = [...this.#deps.peers.values()].some(({ syncStarted }) => syncStarted);
    if (!this.#isRecent() && (started || !isSource)) return;
    peer.syncStarted = true;
    const missing = Math.max(this.#deps.clock.seconds() - chain.bestHeader.time, 0) / chain.params.pos.targetSpacing;
    peer.headersDeadlineMs = nowMs + SYNC_TIMEOUT_MS + SYNC_TIMEOUT_PER_HEADER_MS * missing;
    // One below, so that the answer is not empty and shows that the peer follows the same chain.
    this.request(peer, chain.bestHeader.parent ?? chain.bestHeader);
  }

  /** Takes in the headers of one message; the peer's next message waits for the end. */
  take(peer: SyncPeer, headers: readonly BlockHeader[], { compact = false } = {}): void {
    const [first] = headers;
    if (!first) return;
    const { chain } = this.#deps;
    const hashes = headers.map(blockHash);
    const lastHash = hashes.at(-1) as Hash256;
    if (!chain.entry(first.prevHash) && headers.length < MAX_ANNOUNCED_HEADERS) {
      this.#takeUnconnecting(peer, lastHash);
      return;
    }
    if (headers.some(({ prevHash }, i) => i > 0 && !equalBytes(prevHash, hashes[i - 1] as Hash256))) {
      peer.peer.misbehave(SCORES.nonContinuousHeaders, 'non-continuous headers sequence');
      return;
    }
    const isNews = !chain.entry(lastHash);
    const full = headers.length === LIMITS.headers;
    const release = peer.peer.hold();
    this.#accept({ peer, headers, compact, release, onDone: (last) => this.#taken(peer, last, { isNews, full }) }, 0);
  }

  #takeUnconnecting(peer: SyncPeer, lastHash: Hash256): void {
    const { chain } = this.#deps;
    peer.unconnectingHeaders += 1;
    this.request(peer, chain.bestHeader);
    // The block is fetched once what lies between is known.
    peer.hasBlock(lastHash, chain);
    if (peer.unconnectingHeaders % MAX_UNCONNECTING === 0) {
      peer.peer.misbehave(SCORES.unconnectingHeaders, `${peer.unconnectingHeaders} non-connecting headers`);
    }
  }

  /** Each costs the recovery of a key, so a full message takes several turns. */
  #accept(work: AcceptWork, from: number): void {
    const { peer, headers, compact, release, onDone } = work;
    const { chain, log, later } = this.#deps;
    // Headers that came from here on would belong to a peer that is gone.
    if (peer.peer.disconnected) return;
    const end = performance.now() + SLICE_MS;
    let last: BlockIndexEntry | undefined;
    let at = from;
    try {
      while (at < headers.length && (at === from || performance.now() < end)) {
        last = chain.acceptHeader(headers[at++] as BlockHeader, peer.peer.id);
      }
    } catch (error) {
      release();
      if (!(error instanceof BlockInvalid)) throw error;
      punish(peer.peer, error, { compact, log, hash: blockHash(headers[at - 1] as BlockHeader) });
      return;
    }
    if (at < headers.length) {
      later(() => this.#accept(work, at));
      return;
    }
    release();
    if (last && !peer.peer.disconnected) onDone(last);
  }

  #taken(peer: SyncPeer, last: BlockIndexEntry, { isNews, full }: { isNews: boolean; full: boolean }): void {
    const { chain, nowMs, onHeaders } = this.#deps;
    peer.unconnectingHeaders = 0;
    peer.hasBlock(last.hash, chain);
    if (isNews && last.chainWork > chain.tip.chainWork) peer.lastAnnouncementMs = nowMs();
    if (full) this.request(peer, last);
    onHeaders(peer, last);
    const { best } = peer;
    if (!best || !peer.isOfOurChoice) return;
    if (chain.isInitialDownload() && !full && best.chainWork < chain.params.minimumChainWork) {
      peer.peer.disconnect('its chain has too little work');
      return;
    }
    const protectedPeers = [...this.#deps.peers.values()].filter(({ isProtected }) => isProtected).length;
    if (protectedPeers < MAX_PROTECTED && best.chainWork >= chain.tip.chainWork) peer.isProtected = true;
  }

  /** Ends the connection of the peer that holds the most headers without blocks, when those of all peers are too many. */
  makeRoom(): void {
    const { chain, peers } = this.#deps;
    if (!chain.isFullOfHeaders) return;
    const holders = [...peers.values()]
      .filter(({ peer }) => chain.headersOf(peer.id) > 0 && !peer.permissions.has('noban'))
      .sort((a, b) => Number(a.preferred) - Number(b.preferred) || chain.headersOf(b.peer.id) - chain.headersOf(a.peer.id));
    holders[0]?.peer.disconnect('holds the most of too many headers without blocks');
  }

  /** Ends the connection of a peer that keeps us from syncing. */
  tick(peer: SyncPeer, nowMs: number): void {
    this.#checkDeadline(peer, nowMs);
    if (!peer.peer.disconnected) this.#checkLag(peer, nowMs);
  }

  #checkDeadline(peer: SyncPeer, nowMs: number): void {
    if (!peer.syncStarted || peer.headersDeadlineMs === Number.POSITIVE_INFINITY) return;
    if (this.#isRecent()) {
      peer.headersDeadlineMs = Number.POSITIVE_INFINITY;
      return;
    }
    const others = [...this.#deps.peers.values()].filter((other) => other !== peer);
    const isAlone = !others.some(({ syncStarted }) => syncStarted);
    if (nowMs <= peer.headersDeadlineMs || !isAlone || !others.some(({ preferred }) => preferred)) return;
    if (!peer.peer.permissions.has('noban')) {
      peer.peer.disconnect('took too long to send headers');
      return;
    }
    // It stays, and another one gets its turn.
    peer.syncStarted = false;
    peer.headersDeadlineMs = Number.POSITIVE_INFINITY;
  }

  /** A peer of our choice is to have our work within 20 minutes, or at least an answer when asked. */
  #checkLag(peer: SyncPeer, nowMs: number): void {
    if (peer.isProtected || !peer.isOfOurChoice || !peer.syncStarted) return;
    const { tip } = this.#deps.chain;
    const { best, lag } = peer;
    if (best && best.chainWork >= tip.chainWork) {
      peer.lag = undefined;
    } else if (!lag || (best && best.chainWork >= lag.tip.chainWork)) {
      peer.lag = { untilMs: nowMs + LAG_TIMEOUT_MS, tip, asked: false };
    } else if (nowMs > lag.untilMs) {
      if (lag.asked) {
        peer.peer.disconnect('its chain is behind ours');
        return;
      }
      this.request(peer, lag.tip.parent ?? lag.tip);
      lag.asked = true;
      lag.untilMs = nowMs + LAG_ANSWER_MS;
    }
  }

  /** The best header is not older than a day. */
  #isRecent(): boolean {
    return this.#deps.chain.bestHeader.time > this.#deps.clock.seconds() - DAY_SEC;
  }
}

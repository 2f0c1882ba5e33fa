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
import { MAX_REQUESTS_PER_PEER } from './download.js';
import { locatorOf } from './locator.js';
import type { SyncPeer } from './sync-peer.js';

/** Most headers of an announcement. Such a message need not connect to a known header. */
export const MAX_ANNOUNCED_HEADERS = 8;
/** Time that one message may take per turn of the event loop. */
const SLICE_MS = 5;
const MAX_UNCONNECTING = 10;
const DAY_SEC = 86_400;
const SYNC_TIMEOUT_MS = 15 * 60_000;
const SYNC_TIMEOUT_PER_HEADER_MS = 1;
/** Time in which an outbound peer must catch up with our tip, and then time to answer a request for its headers. */
const LAG_TIMEOUT_MS = 20 * 60_000;
const LAG_ANSWER_MS = 2 * 60_000;
const MAX_PROTECTED = 4;

export type HeadersChain = Pick<
  Chain,
  | 'params'
  | 'tip'
  | 'bestHeader'
  | 'entry'
  | 'isActive'
  | 'acceptHeader'
  | 'isInitialDownload'
  | 'isFullOfHeaders'
  | 'isDroppingHeaders'
  | 'headersOf'
  | 'headerWindow'
>;

/** Parts of the node that `HeadersSync` uses. */
export interface HeadersSyncDeps {
  readonly chain: HeadersChain;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly log: Logger;
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
  /** Runs a task in another turn of the event loop. */
  readonly later: (task: () => void) => void;
  readonly peers: () => readonly SyncPeer[];
  /** Called after the headers of a message were accepted; `last` is the last of them. */
  readonly onHeaders: (peer: SyncPeer, last: BlockIndexEntry) => void;
}

/** A message that is processed over several turns. */
interface Work {
  readonly peer: SyncPeer;
  readonly headers: readonly BlockHeader[];
  readonly compact: boolean;
  /** Lets the peer's next message be processed. */
  readonly release: () => void;
  readonly onDone: (last: BlockIndexEntry) => void;
}

/**
 * Downloads the headers of the best chain: from one peer at first, from all peers once the best header is recent. If they are far above the
 * tip, the download pauses until blocks have followed.
 */
export class HeadersSync {
  readonly #deps: HeadersSyncDeps;
  /** Announcements whose headers are accepted in part. */
  readonly #announcements = new Set<Work>();

  constructor(deps: HeadersSyncDeps) {
    this.#deps = deps;
  }

  /** True while the headers of an announcement are accepted in part: when all are, their blocks are requested from its sender. */
  get isAccepting(): boolean {
    return this.#announcements.size > 0;
  }

  /** Requests the headers after a block from a peer, unless too many of its chain are known already. */
  request(peer: SyncPeer, from: BlockIndexEntry, stop: Hash256 = NULL_HASH): void {
    if (!this.#isFull(peer)) this.#send(peer, from, stop);
  }

  #isFull({ best }: SyncPeer): boolean {
    const { headerWindow, bestHeader } = this.#deps.chain;
    return headerWindow.isFull(best ?? bestHeader);
  }

  #send(peer: SyncPeer, from: BlockIndexEntry, stop: Hash256 = NULL_HASH): void {
    const version = peer.peer.protocolVersion;
    peer.peer.send({ command: 'getheaders', payload: { version, locator: locatorOf(from), stop } });
  }

  /** Requests the initial headers from a peer, unless many are missing and another peer was asked already. */
  start(peer: SyncPeer, isSource: boolean, nowMs: number): void {
    const { chain } = this.#deps;
    if (peer.syncStarted || !peer.servesBlocks) return;
    const started = this.#deps.peers().filter(({ syncStarted }) => syncStarted);
    const isPaused = started.some(({ headersPaused }) => headersPaused);
    const isBusy = isPaused ? started.some(isSending) : started.length > 0;
    if (!this.#isRecent() && (isBusy || !isSource)) return;
    peer.syncStarted = true;
    if (isPaused) {
      this.#ask(peer);
      return;
    }
    this.#begin(peer, nowMs);
    // From the parent of the best header, so that the answer is not empty and shows whether the peer follows the same chain.
    this.#send(peer, chain.bestHeader.parent ?? chain.bestHeader);
  }

  /** Sets the time that a peer has to send all headers. */
  #begin(peer: SyncPeer, nowMs: number): void {
    const { chain, clock } = this.#deps;
    const missing = Math.max(clock.seconds() - chain.bestHeader.time, 0) / chain.params.pos.targetSpacing;
    const wanted = Math.min(missing, chain.headerWindow.size);
    peer.headersDeadlineMs = nowMs + SYNC_TIMEOUT_MS + SYNC_TIMEOUT_PER_HEADER_MS * wanted;
    peer.headersPaused = false;
  }

  /** Learns which of the known headers a further peer has, for the download of their blocks. */
  #ask(peer: SyncPeer): void {
    const { bestHeader } = this.#deps.chain;
    const { best } = peer;
    this.#pause(peer);
    // From a block of another branch the peer would send headers again that it sent before.
    const isOther = best !== undefined && bestHeader.ancestor(best.height) !== best;
    this.#send(peer, isOther ? best : (bestHeader.parent ?? bestHeader));
  }

  #pause(peer: SyncPeer): void {
    peer.headersPaused = true;
    peer.headersDeadlineMs = Number.POSITIVE_INFINITY;
  }

  /** Processes a `headers` message; the peer's next message waits until all are accepted. */
  process(peer: SyncPeer, headers: readonly BlockHeader[], { compact = false } = {}): void {
    const [first] = headers;
    if (!first) return;
    const { chain } = this.#deps;
    const hashes = headers.map(blockHash);
    const lastHash = hashes.at(-1) as Hash256;
    if (!chain.entry(first.prevHash) && headers.length < MAX_ANNOUNCED_HEADERS) {
      this.#processUnconnecting(peer, lastHash);
      return;
    }
    if (headers.some(({ prevHash }, i) => i > 0 && !equalBytes(prevHash, hashes[i - 1] as Hash256))) {
      peer.peer.misbehave(SCORES.nonContinuousHeaders, 'non-continuous headers sequence');
      return;
    }
    const isNews = !chain.entry(lastHash);
    const full = headers.length === LIMITS.headers;
    const release = peer.peer.hold();
    this.#accept({ peer, headers, compact, release, onDone: (last) => this.#onAccepted(peer, last, { isNews, full }) }, 0);
  }

  #processUnconnecting(peer: SyncPeer, lastHash: Hash256): void {
    const { chain } = this.#deps;
    // The headers in between are not wanted yet.
    if (this.#isFull(peer)) return;
    peer.unconnectingHeaders += 1;
    this.request(peer, chain.bestHeader);
    // The block is fetched once the headers in between are known.
    peer.hasBlock(lastHash, chain);
    if (peer.unconnectingHeaders % MAX_UNCONNECTING === 0) {
      peer.peer.misbehave(SCORES.unconnectingHeaders, `${peer.unconnectingHeaders} non-connecting headers`);
    }
  }

  /** Accepts headers in slices: each costs the recovery of a public key. */
  #accept(work: Work, from: number): void {
    const { peer, headers, compact, release, onDone } = work;
    const { chain, log, later } = this.#deps;
    this.#announcements.delete(work);
    // Further headers would be attributed to a peer whose headers have been dropped.
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
      // The peer continues when other headers have been dropped.
      if (error.kind === 'too-many-headers-total' && peer.syncStarted) this.#pause(peer);
      punish(peer.peer, error, { compact, log, hash: blockHash(headers[at - 1] as BlockHeader) });
      return;
    }
    if (at < headers.length) {
      if (headers.length <= MAX_REQUESTS_PER_PEER) this.#announcements.add(work);
      later(() => this.#accept(work, at));
      return;
    }
    release();
    if (last && !peer.peer.disconnected) onDone(last);
  }

  #onAccepted(peer: SyncPeer, last: BlockIndexEntry, { isNews, full }: { isNews: boolean; full: boolean }): void {
    const { chain, nowMs, onHeaders } = this.#deps;
    peer.unconnectingHeaders = 0;
    peer.hasBlock(last.hash, chain);
    if (isNews && last.chainWork > chain.tip.chainWork) peer.lastAnnouncementMs = nowMs();
    if (!full) peer.headersPaused = false;
    else if (!peer.headersPaused) {
      if (chain.headerWindow.isFull(last)) this.#pause(peer);
      else this.#send(peer, last);
    }
    onHeaders(peer, last);
    const { best } = peer;
    if (!best || !peer.isOutbound) return;
    if (chain.isInitialDownload() && !full && best.chainWork < chain.params.minimumChainWork) {
      peer.peer.disconnect('outbound peer headers chain has insufficient work');
      return;
    }
    const protectedPeers = this.#deps.peers().filter(({ isProtected }) => isProtected).length;
    if (protectedPeers < MAX_PROTECTED && best.chainWork >= chain.tip.chainWork) peer.isProtected = true;
  }

  /** If too many headers without blocks are stored, disconnects the peer that sent the most of them. */
  makeRoom(): void {
    const { chain, peers } = this.#deps;
    // The headers of the last one are dropped in slices.
    if (!chain.isFullOfHeaders || chain.isDroppingHeaders) return;
    const candidates = peers()
      .filter(({ peer }) => chain.headersOf(peer.id) > 0 && !peer.permissions.has('noban'))
      .sort((a, b) => Number(a.preferred) - Number(b.preferred) || chain.headersOf(b.peer.id) - chain.headersOf(a.peer.id));
    candidates[0]?.peer.disconnect('sent the most headers without blocks while too many are stored');
  }

  /** Disconnects a peer that sends its headers too late, or whose chain lags behind ours. */
  tick(peer: SyncPeer, nowMs: number): void {
    if (peer.headersPaused) this.#resume(peer, nowMs);
    this.#checkDeadline(peer, nowMs);
    if (!peer.peer.disconnected) this.#checkLag(peer, nowMs);
  }

  /** Continues with one peer if blocks have followed, and asks the others for what they have before the download of blocks reaches its end. */
  #resume(peer: SyncPeer, nowMs: number): void {
    const { chain, peers } = this.#deps;
    if (chain.isFullOfHeaders) return;
    const best = peer.best ?? chain.bestHeader;
    if (chain.headerWindow.needsMore(best) && !peers().some(isSending)) {
      this.#begin(peer, nowMs);
      this.#send(peer, best);
    } else if (peer.best && peer.best.height < chain.tip.height + LIMITS.headers && peer.askedAt !== peer.best) {
      peer.askedAt = peer.best;
      this.#ask(peer);
    }
  }

  #checkDeadline(peer: SyncPeer, nowMs: number): void {
    if (!peer.syncStarted || peer.headersDeadlineMs === Number.POSITIVE_INFINITY) return;
    if (this.#isRecent()) {
      peer.headersDeadlineMs = Number.POSITIVE_INFINITY;
      return;
    }
    const others = this.#deps.peers().filter((other) => other !== peer);
    const isAlone = !others.some(isSending);
    if (nowMs <= peer.headersDeadlineMs || !isAlone || !others.some(({ preferred }) => preferred)) return;
    if (!peer.peer.permissions.has('noban')) {
      peer.peer.disconnect('timeout downloading headers');
      return;
    }
    // The peer stays connected, and another one is asked.
    peer.syncStarted = false;
    peer.headersDeadlineMs = Number.POSITIVE_INFINITY;
  }

  /** Disconnects an outbound peer that lacks the work of our tip for 20 minutes and then does not answer a request for headers. */
  #checkLag(peer: SyncPeer, nowMs: number): void {
    if (peer.isProtected || !peer.isOutbound || !peer.syncStarted) return;
    const { tip } = this.#deps.chain;
    const { best, lag } = peer;
    if (best && best.chainWork >= tip.chainWork) {
      peer.lag = undefined;
    } else if (!lag || (best && best.chainWork >= lag.tip.chainWork)) {
      peer.lag = { untilMs: nowMs + LAG_TIMEOUT_MS, tip, headersRequested: false };
    } else if (nowMs > lag.untilMs) {
      if (lag.headersRequested) {
        peer.peer.disconnect('outbound peer has old chain');
        return;
      }
      this.request(peer, lag.tip.parent ?? lag.tip);
      lag.headersRequested = true;
      lag.untilMs = nowMs + LAG_ANSWER_MS;
    }
  }

  /** Returns true if the best header is not older than a day. */
  #isRecent(): boolean {
    return this.#deps.chain.bestHeader.time > this.#deps.clock.seconds() - DAY_SEC;
  }
}

/** True if the peer has a limited time to send its headers. */
function isSending({ syncStarted, headersDeadlineMs }: SyncPeer): boolean {
  return syncStarted && headersDeadlineMs !== Number.POSITIVE_INFINITY;
}

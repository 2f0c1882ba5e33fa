import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { HeightRange } from '../../chain/history.js';
import type { Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import { lastCommonAncestor } from './locator.js';
import type { RequestedBlock, SyncPeer } from './sync-peer.js';

/** Most blocks requested from one peer at a time (docs/protocol/chain.md 7.3). */
export const MAX_REQUESTS_PER_PEER = 16;
/** Download window: blocks are fetched up to this height above the last block in common with the peer. */
const WINDOW = 1024;
/** Blocks below a snapshot that are requested from one peer at a time. New blocks need room besides them. */
const MAX_HISTORICAL_PER_PEER = 8;
/** Entries collected per step towards the peer's best block. */
const STRIDE = 128;
const STALL_TIMEOUT_MS = 2_000;
/** Least time that a peer has for the first requested block; longer where the target spacing is. @see docs/protocol/chain.md 7.3 */
const MIN_BLOCK_TIMEOUT_MS = 300_000;

export type DownloadChain = Pick<Chain, 'params' | 'tip' | 'entryAt' | 'isActive' | 'headerWindow'>;

export interface NextBlocks {
  /** Blocks to request from the peer, ascending. */
  readonly entries: readonly BlockIndexEntry[];
  /** Peer that stalls the window, if nothing can be requested from this one. */
  readonly staller: SyncPeer | undefined;
}

/** Requested blocks of all peers, and the choice of the next ones. */
export class BlockDownloads {
  readonly #chain: DownloadChain;
  readonly #requests = new Map<string, RequestedBlock>();
  /** Number of requested blocks below a snapshot. */
  #historical = 0;
  /** All of these blocks below this height are requested or stored. */
  #historicalFloor = 0;
  /** Lowest height that was wanted last. */
  #historicalFrom = 0;

  constructor(chain: DownloadChain) {
    this.#chain = chain;
  }

  /** Number of requested blocks without those below a snapshot, which do not bring the chain forward. */
  get size(): number {
    return this.#requests.size - this.#historical;
  }

  request(hash: Hash256): RequestedBlock | undefined {
    return this.#requests.get(toHex(hash));
  }

  /** Notes a request; one to another peer for the same block is given up. */
  add(peer: SyncPeer, hash: Hash256, nowMs: number, historical?: number): RequestedBlock {
    const key = toHex(hash);
    const known = this.#requests.get(key);
    if (known?.peer === peer) return known;
    this.delete(hash, nowMs);
    if (peer.requested.size === 0) peer.downloadingSinceMs = nowMs;
    const request: RequestedBlock = { hash, peer, historical };
    if (historical !== undefined) this.#historical += 1;
    this.#requests.set(key, request);
    peer.requested.set(key, request);
    return request;
  }

  /** Notes that a block arrived or is no longer wanted. @returns the request, if there was one */
  delete(hash: Hash256, nowMs: number): RequestedBlock | undefined {
    const key = toHex(hash);
    const request = this.#requests.get(key);
    if (!request) return undefined;
    const { peer } = request;
    // The timeout of the next block begins when the first one has arrived.
    if (peer.requested.values().next().value === request) peer.downloadingSinceMs = Math.max(peer.downloadingSinceMs, nowMs);
    peer.stallingSinceMs = 0;
    peer.requested.delete(key);
    this.#remove(key, request);
    return request;
  }

  /** Deletes the requests to a peer that has disconnected, so that the blocks are requested from others. */
  forget(peer: SyncPeer): void {
    for (const [key, request] of peer.requested) this.#remove(key, request);
    peer.requested.clear();
  }

  #remove(key: string, { historical }: RequestedBlock): void {
    this.#requests.delete(key);
    if (historical === undefined) return;
    this.#historical -= 1;
    this.#historicalFloor = Math.min(this.#historicalFloor, historical);
  }

  /** Chooses blocks to request from a peer: unrequested ones on the way to its best block. @param count most to choose */
  next(peer: SyncPeer, count: number): NextBlocks {
    const { tip, params, headerWindow } = this.#chain;
    const nothing = { entries: [], staller: undefined };
    const { best } = peer;
    if (count <= 0 || !best || best.chainWork < tip.chainWork) return nothing;
    if (best.chainWork < params.minimumChainWork && !headerWindow.isLong(best)) return nothing;
    peer.lastCommon ??= this.#chain.entryAt(Math.min(best.height, tip.height)) ?? tip;
    peer.lastCommon = lastCommonAncestor(peer.lastCommon, best);
    if (peer.lastCommon === best) return nothing;
    return this.#walk(peer, best, count);
  }

  /**
   * Chooses blocks below a snapshot to request from a peer that has them, ascending. The others of the window are requested or stored.
   * @param count most to choose
   */
  nextHistorical(peer: SyncPeer, { from, to }: HeightRange, count: number): readonly BlockIndexEntry[] {
    const entries: BlockIndexEntry[] = [];
    if (peer.limited || !peer.best || peer.best.height < to) return entries;
    const requested = [...peer.requested.values()].filter(({ historical }) => historical !== undefined).length;
    const most = Math.min(count, MAX_HISTORICAL_PER_PEER - requested);
    if (from < this.#historicalFrom) this.#historicalFloor = from;
    this.#historicalFrom = from;
    const end = Math.min(to, from + WINDOW);
    let height = Math.max(from, this.#historicalFloor);
    for (; height <= end && entries.length < most; height++) {
      const entry = this.#chain.entryAt(height);
      if (!entry || !this.#canServe(peer, entry)) return entries;
      if (!entry.hasData && !this.#requests.has(toHex(entry.hash))) entries.push(entry);
    }
    // The caller requests all of them.
    this.#historicalFloor = height;
    return entries;
  }

  #walk(peer: SyncPeer, best: BlockIndexEntry, count: number): NextBlocks {
    const entries: BlockIndexEntry[] = [];
    let waitingFor: SyncPeer | undefined;
    const windowEnd = (peer.lastCommon as BlockIndexEntry).height + WINDOW;
    for (const entry of pathTo(best, peer.lastCommon as BlockIndexEntry, windowEnd + 1)) {
      if (entry.failed || !this.#canServe(peer, entry)) break;
      if (entry.hasData || this.#chain.isActive(entry)) {
        if (entry.chainTx > 0) peer.lastCommon = entry;
        continue;
      }
      const request = this.#requests.get(toHex(entry.hash));
      if (request) {
        waitingFor ??= request.peer;
        continue;
      }
      if (entry.height > windowEnd) {
        const staller = entries.length === 0 && waitingFor !== peer ? waitingFor : undefined;
        return { entries, staller };
      }
      entries.push(entry);
      if (entries.length === count) break;
    }
    return { entries, staller: undefined };
  }

  #canServe(peer: SyncPeer, entry: BlockIndexEntry): boolean {
    return peer.hasWitness || entry.height < this.#chain.params.buried.segwit;
  }

  /** Restarts the timeouts of a peer whose next messages, which may be the requested blocks, were not processed for a while. */
  restartTimeouts(peer: SyncPeer, nowMs: number): void {
    if (peer.stallingSinceMs > 0) peer.stallingSinceMs = nowMs;
    peer.downloadingSinceMs = Math.max(peer.downloadingSinceMs, nowMs);
  }

  /** Reason to disconnect a peer that is too slow; undefined if there is none. */
  timeout(peer: SyncPeer, nowMs: number, sources: number): string | undefined {
    if (peer.stallingSinceMs > 0 && peer.stallingSinceMs < nowMs - STALL_TIMEOUT_MS) return 'stalling block download';
    if (peer.requested.size === 0) return undefined;
    const others = Math.max(sources - 1, 0);
    const spacingMs = this.#chain.params.pos.targetSpacing * 1000;
    // Half as much again for every other peer that blocks are downloaded from.
    const timeoutMs = Math.max(MIN_BLOCK_TIMEOUT_MS, spacingMs) * (1 + others / 2);
    return nowMs > peer.downloadingSinceMs + timeoutMs ? 'timeout downloading block' : undefined;
  }
}

/** Blocks above `from` towards `best`, ascending, up to a height. `from` must be below `best`. */
function* pathTo(best: BlockIndexEntry, from: BlockIndexEntry, maxHeight: number): Iterable<BlockIndexEntry> {
  const end = Math.min(best.height, maxHeight);
  for (let height = from.height; height < end; ) {
    const stop = Math.min(height + STRIDE, end);
    const stride: BlockIndexEntry[] = [];
    for (let at = best.ancestor(stop); at && at.height > height; at = at.parent) stride.push(at);
    yield* stride.reverse();
    height = stop;
  }
}

import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import { lastCommonAncestor } from './locator.js';
import type { RequestedBlock, SyncPeer } from './sync-peer.js';

/** Blocks asked of one peer at a time (docs/protocol/chain.md 7.3). */
export const MAX_REQUESTS_PER_PEER = 16;
/** How far above the last block that we share with a peer blocks are fetched. */
const WINDOW = 1024;
/** Entries looked at per step towards the peer's best block. */
const STRIDE = 128;
const STALL_TIMEOUT_MS = 2_000;
/** For the block that a peer was asked for first, unless blocks are meant to be further apart. @see docs/protocol/chain.md 7.3 */
const MIN_BLOCK_TIMEOUT_MS = 300_000;

export type DownloadChain = Pick<Chain, 'params' | 'tip' | 'entryAt' | 'isActive'>;

export interface NextBlocks {
  /** To be asked of the peer, rising. */
  readonly entries: readonly BlockIndexEntry[];
  /** The peer without which the window would move, if nothing can be asked of this one. */
  readonly staller: SyncPeer | undefined;
}

/** Which blocks were asked of whom, and which to ask for next. */
export class BlockDownloads {
  readonly #chain: DownloadChain;
  readonly #requests = new Map<string, RequestedBlock>();

  constructor(chain: DownloadChain) {
    this.#chain = chain;
  }

  get size(): number {
    return this.#requests.size;
  }

  request(hash: Hash256): RequestedBlock | undefined {
    return this.#requests.get(toHex(hash));
  }

  /** Notes that a block is asked of a peer, and of it alone from now on. */
  add(peer: SyncPeer, hash: Hash256, nowMs: number): RequestedBlock {
    const key = toHex(hash);
    const known = this.#requests.get(key);
    if (known?.peer === peer) return known;
    this.delete(hash, nowMs);
    if (peer.requested.size === 0) peer.downloadingSinceMs = nowMs;
    const request: RequestedBlock = { hash, peer };
    this.#requests.set(key, request);
    peer.requested.set(key, request);
    return request;
  }

  /** Notes that a block came, or is no longer wanted. @returns the request, if there was one */
  delete(hash: Hash256, nowMs: number): RequestedBlock | undefined {
    const key = toHex(hash);
    const request = this.#requests.get(key);
    if (!request) return undefined;
    const { peer } = request;
    // The time of the next one begins when the first has come.
    if (peer.requested.values().next().value === request) peer.downloadingSinceMs = Math.max(peer.downloadingSinceMs, nowMs);
    peer.stallingSinceMs = 0;
    peer.requested.delete(key);
    this.#requests.delete(key);
    return request;
  }

  /** Gives up what was asked of a peer that has left; others will be asked. */
  forget(peer: SyncPeer): void {
    for (const key of peer.requested.keys()) this.#requests.delete(key);
    peer.requested.clear();
  }

  /** What to ask of a peer: blocks on the way to its best one that nobody was asked for. @param count at most so many */
  next(peer: SyncPeer, count: number): NextBlocks {
    const { tip, params } = this.#chain;
    const nothing = { entries: [], staller: undefined };
    const { best } = peer;
    if (count <= 0 || !best || best.chainWork < tip.chainWork || best.chainWork < params.minimumChainWork) return nothing;
    peer.lastCommon ??= this.#chain.entryAt(Math.min(best.height, tip.height)) ?? tip;
    peer.lastCommon = lastCommonAncestor(peer.lastCommon, best);
    if (peer.lastCommon === best) return nothing;
    return this.#walk(peer, best, count);
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

  /** Why a peer is to be left, if it keeps us waiting. */
  timeout(peer: SyncPeer, nowMs: number, sources: number): string | undefined {
    if (peer.stallingSinceMs > 0 && peer.stallingSinceMs < nowMs - STALL_TIMEOUT_MS) return 'stalls the download of blocks';
    if (peer.requested.size === 0) return undefined;
    const others = Math.max(sources - 1, 0);
    const spacingMs = this.#chain.params.pos.targetSpacing * 1000;
    // Half as much more for every other peer that blocks come from.
    const patienceMs = Math.max(MIN_BLOCK_TIMEOUT_MS, spacingMs) * (1 + others / 2);
    return nowMs > peer.downloadingSinceMs + patienceMs ? 'does not send a block that was asked for' : undefined;
  }
}

/** Blocks above `from` towards `best`, rising, up to a height. `from` has to be below `best`. */
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

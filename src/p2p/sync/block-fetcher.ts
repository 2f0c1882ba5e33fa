import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type InventoryItem, InvType } from '../wire/inventory.js';
import { type BlockDownloads, MAX_REQUESTS_PER_PEER } from './download.js';
import type { SyncPeer } from './sync-peer.js';

/** Parts of the node that `BlockFetcher` uses. */
export interface BlockFetcherDeps {
  readonly chain: Pick<Chain, 'tip' | 'entry' | 'isActive' | 'isInitialDownload' | 'fault' | 'params' | 'history'>;
  readonly downloads: BlockDownloads;
  readonly peers: () => readonly SyncPeer[];
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
  /** Returns true if the tip is recent enough that announced blocks are requested at once. */
  readonly isNearTip: () => boolean;
}

/** Requests blocks from peers. */
export class BlockFetcher {
  readonly #deps: BlockFetcherDeps;

  constructor(deps: BlockFetcherDeps) {
    this.#deps = deps;
  }

  /** True while blocks would be rejected, and requested again without end. A failed write is tried again with each block. */
  get #isHalted(): boolean {
    const { fault } = this.#deps.chain;
    return fault !== undefined && fault.kind !== 'write';
  }

  /** Returns true for preferred peers, and for all others that serve blocks if there is no preferred one. */
  isSource(peer: SyncPeer): boolean {
    return peer.preferred || (peer.servesBlocks && !this.#deps.peers().some(({ preferred }) => preferred));
  }

  /** Number of peers with requested blocks. */
  get sources(): number {
    return this.#deps.peers().filter(({ requested }) => requested.size > 0).length;
  }

  /** Requests as many of the next blocks from a peer as its limit permits. */
  fill(peer: SyncPeer): void {
    const { chain, downloads, nowMs } = this.#deps;
    const count = MAX_REQUESTS_PER_PEER - peer.requested.size;
    if (count <= 0 || !peer.servesBlocks || peer.peer.disconnected) return;
    if (chain.isInitialDownload() && (peer.limited || !this.isSource(peer))) return;
    peer.resolveAnnounced(chain);
    const { entries, staller } = downloads.next(peer, count);
    this.#request(peer, entries);
    this.#requestHistorical(peer);
    if (peer.requested.size === 0 && staller && staller.stallingSinceMs === 0) staller.stallingSinceMs = nowMs();
  }

  /** Requests blocks below a snapshot, unless new blocks are still to be downloaded. */
  #requestHistorical(peer: SyncPeer): void {
    const { chain, downloads } = this.#deps;
    const { wanted } = chain.history;
    if (!wanted || chain.isInitialDownload() || this.#isHalted) return;
    const count = MAX_REQUESTS_PER_PEER - peer.requested.size;
    this.#request(peer, downloads.nextHistorical(peer, wanted, count), { historical: true });
  }

  /** Near the tip, requests all missing blocks up to an announced one from the peer that announced it. */
  fetchAnnounced(peer: SyncPeer, last: BlockIndexEntry): void {
    const { chain, downloads, isNearTip } = this.#deps;
    if (last.failed || last.chainWork < chain.tip.chainWork || !isNearTip()) return;
    const wanted = this.#missingBelow(peer, last);
    const entries = wanted?.slice(0, Math.max(MAX_REQUESTS_PER_PEER - peer.requested.size, 0)) ?? [];
    const mayBeCompact = entries.length === 1 && downloads.size === 0 && peer.sendsCompact && last.parent?.valid === true;
    this.#request(peer, entries, { type: mayBeCompact ? InvType.compactBlock : undefined });
  }

  /** Missing blocks between the active chain and `last`, ascending; undefined if the distance is too large. */
  #missingBelow(peer: SyncPeer, last: BlockIndexEntry): BlockIndexEntry[] | undefined {
    const { chain, downloads } = this.#deps;
    const missing: BlockIndexEntry[] = [];
    let at: BlockIndexEntry | undefined = last;
    while (at && !chain.isActive(at) && missing.length <= MAX_REQUESTS_PER_PEER) {
      const servable = peer.hasWitness || at.height < chain.params.buried.segwit;
      if (!at.hasData && servable && !downloads.request(at.hash)) missing.push(at);
      at = at.parent;
    }
    return at && chain.isActive(at) ? missing.reverse() : undefined;
  }

  #request(
    peer: SyncPeer,
    entries: readonly BlockIndexEntry[],
    { type, historical = false }: { readonly type?: number | undefined; readonly historical?: boolean } = {},
  ): void {
    const { downloads, nowMs } = this.#deps;
    if (entries.length === 0 || this.#isHalted) return;
    const now = nowMs();
    const items = entries.map(({ hash, height }): InventoryItem => {
      downloads.add(peer, hash, now, historical ? height : undefined);
      return { type: type ?? blockType(peer), hash };
    });
    peer.peer.send({ command: 'getdata', payload: items });
  }

  /** Requests a full block after its compact form could not be used. */
  refetch(peer: SyncPeer, hash: Hash256): void {
    peer.peer.send({ command: 'getdata', payload: [{ type: blockType(peer), hash }] });
  }
}

function blockType({ hasWitness }: SyncPeer): number {
  return hasWitness ? InvType.witnessBlock : InvType.block;
}

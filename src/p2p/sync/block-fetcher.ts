import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type InventoryItem, InvType } from '../wire/inventory.js';
import { type BlockDownloads, MAX_REQUESTS_PER_PEER } from './download.js';
import type { SyncPeer } from './sync-peer.js';

export interface BlockFetcherDeps {
  readonly chain: Pick<Chain, 'tip' | 'entry' | 'isActive' | 'isInitialDownload' | 'isHalted' | 'params'>;
  readonly downloads: BlockDownloads;
  readonly peers: ReadonlyMap<number, SyncPeer>;
  readonly nowMs: () => number;
  readonly isNearTip: () => boolean;
}

/** Asks peers for blocks. */
export class BlockFetcher {
  readonly #deps: BlockFetcherDeps;

  constructor(deps: BlockFetcherDeps) {
    this.#deps = deps;
  }

  /** Whether blocks and headers are fetched from a peer first: others are asked only where there is no such peer. */
  isSource(peer: SyncPeer): boolean {
    if (peer.preferred) return true;
    return peer.servesBlocks && ![...this.#deps.peers.values()].some(({ preferred }) => preferred);
  }

  /** Peers that blocks are waited for from. */
  get sources(): number {
    let count = 0;
    for (const { requested } of this.#deps.peers.values()) if (requested.size > 0) count += 1;
    return count;
  }

  /** Asks a peer for as many of the next blocks as it may be asked for. */
  fill(peer: SyncPeer): void {
    const { chain, downloads, nowMs } = this.#deps;
    const count = MAX_REQUESTS_PER_PEER - peer.requested.size;
    if (count <= 0 || !peer.servesBlocks || peer.peer.disconnected) return;
    if (chain.isInitialDownload() && (peer.limited || !this.isSource(peer))) return;
    peer.resolveAnnounced(chain);
    const { entries, staller } = downloads.next(peer, count);
    this.#ask(peer, entries);
    if (peer.requested.size === 0 && staller && staller.stallingSinceMs === 0) staller.stallingSinceMs = nowMs();
  }

  /** Near the tip all blocks up to an announced one are asked for at once, of whoever announced it. */
  fetchAnnounced(peer: SyncPeer, last: BlockIndexEntry): void {
    const { chain, downloads, isNearTip } = this.#deps;
    if (last.failed || last.chainWork < chain.tip.chainWork || !isNearTip()) return;
    const wanted = this.#missingBelow(peer, last);
    const entries = wanted?.slice(0, Math.max(MAX_REQUESTS_PER_PEER - peer.requested.size, 0)) ?? [];
    const mayBeCompact = entries.length === 1 && downloads.size === 0 && peer.sendsCompact && last.parent?.valid === true;
    this.#ask(peer, entries, mayBeCompact ? InvType.compactBlock : undefined);
  }

  /** Blocks to switch to `last`, rising; undefined if that is a long way. */
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

  #ask(peer: SyncPeer, entries: readonly BlockIndexEntry[], type?: number): void {
    const { chain, downloads, nowMs } = this.#deps;
    // Blocks would be refused and asked for again, over and over.
    if (entries.length === 0 || chain.isHalted) return;
    const now = nowMs();
    const items = entries.map(({ hash }): InventoryItem => {
      downloads.add(peer, hash, now);
      return { type: type ?? blockType(peer), hash };
    });
    peer.peer.send({ command: 'getdata', payload: items });
  }

  /** Asks for a whole block that was asked for already in another form. */
  refetch(peer: SyncPeer, hash: Hash256): void {
    peer.peer.send({ command: 'getdata', payload: [{ type: blockType(peer), hash }] });
  }
}

function blockType({ hasWitness }: SyncPeer): number {
  return hasWitness ? InvType.witnessBlock : InvType.block;
}

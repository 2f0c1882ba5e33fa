import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import { InvType } from '../wire/inventory.js';
import { MAX_ANNOUNCED_HEADERS } from './headers-sync.js';
import type { SyncPeer } from './sync-peer.js';

/** Blocks further below the height that a peer reported in its `version` are not announced to it. */
const MAX_HEIGHT_BEHIND = 2000;

export interface AnnouncerDeps {
  readonly chain: Pick<Chain, 'params' | 'forkPoint' | 'header' | 'isActive' | 'entry'>;
  /** Sends a block as compact block. */
  readonly sendCompact: (peer: SyncPeer, entry: BlockIndexEntry) => void;
}

/** Announces new blocks to peers, in the form that each wants: compact block, headers or inventory. */
export class BlockAnnouncer {
  readonly #deps: AnnouncerDeps;

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps;
  }

  /** Blocks of the active chain that were not on it before, ascending; the last eight if there are more. */
  newBlocks(tip: BlockIndexEntry, before: BlockIndexEntry): BlockIndexEntry[] {
    const fork = this.#deps.chain.forkPoint(before);
    const blocks: BlockIndexEntry[] = [];
    for (let at = tip; at !== fork && blocks.length < MAX_ANNOUNCED_HEADERS; ) {
      blocks.push(at);
      if (!at.parent) break;
      at = at.parent;
    }
    return blocks.reverse();
  }

  /** Queues blocks for announcement to a peer by the next `flush`. */
  add(peer: SyncPeer, blocks: readonly BlockIndexEntry[]): void {
    const height = blocks.at(-1)?.height ?? 0;
    const { startHeight } = peer.peer;
    if (height > (startHeight === -1 ? 0 : startHeight - MAX_HEIGHT_BEHIND)) peer.toAnnounce.push(...blocks);
  }

  /**
   * Sends a block that is about to be connected to a peer that wants compact blocks in high-bandwidth mode. The peer validates the block
   * itself, so there is no need to validate it first (BIP152). Other peers are notified once it is connected.
   */
  announceHighBandwidth(peer: SyncPeer, entry: BlockIndexEntry): void {
    const { chain, sendCompact } = this.#deps;
    // Version 1 has no witness data, and its peers can wait.
    const hasForm = entry.height < chain.params.buried.segwit || peer.compactVersion === 2;
    if (!peer.wantsCompact || !hasForm || peer.peer.disconnected) return;
    peer.resolveAnnounced(chain);
    if (peer.knowsHeader(entry) || !entry.parent || !peer.knowsHeader(entry.parent)) return;
    sendCompact(peer, entry);
    peer.bestHeaderSent = entry;
  }

  flush(peer: SyncPeer): void {
    const last = peer.toAnnounce.at(-1);
    if (!last) return;
    peer.resolveAnnounced(this.#deps.chain);
    const headers = this.#connectingHeaders(peer);
    peer.toAnnounce.length = 0;
    if (headers?.length === 0) return;
    const [first] = headers ?? [];
    if (headers?.length === 1 && first && peer.wantsCompact) {
      this.#deps.sendCompact(peer, first);
      peer.bestHeaderSent = first;
    } else if (headers && peer.wantsHeaders) {
      peer.peer.send({ command: 'headers', payload: headers.map((entry) => this.#deps.chain.header(entry)) });
      peer.bestHeaderSent = headers.at(-1);
    } else if (!peer.knowsHeader(last)) {
      // The peer will request the headers in between.
      peer.peer.send({ command: 'inv', payload: [{ type: InvType.block, hash: last.hash }] });
    }
  }

  /** Queued blocks that are new to the peer, if it knows their parent; undefined if they cannot be announced by headers. */
  #connectingHeaders(peer: SyncPeer): BlockIndexEntry[] | undefined {
    const { toAnnounce } = peer;
    const wanted = peer.wantsHeaders || (peer.wantsCompact && toAnnounce.length === 1);
    if (!wanted || toAnnounce.length > MAX_ANNOUNCED_HEADERS) return undefined;
    const found: BlockIndexEntry[] = [];
    let before: BlockIndexEntry | undefined;
    for (const entry of toAnnounce) {
      // A reorganisation happened in between, or blocks of several branches are queued.
      if (!this.#deps.chain.isActive(entry) || (before && entry.parent !== before)) return undefined;
      before = entry;
      if (found.length > 0) found.push(entry);
      else if (peer.knowsHeader(entry)) continue;
      else if (!entry.parent || peer.knowsHeader(entry.parent)) found.push(entry);
      else return undefined;
    }
    return found;
  }
}

import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import { InvType } from '../wire/inventory.js';
import { MAX_ANNOUNCED_HEADERS } from './headers-sync.js';
import type { SyncPeer } from './sync-peer.js';

/** A peer that was that far behind when it connected is not told of every block. */
const MAX_HEIGHT_BEHIND = 2000;

export interface AnnouncerDeps {
  readonly chain: Pick<Chain, 'params' | 'forkPoint' | 'header' | 'isActive' | 'entry'>;
  /** Sends a block as a compact one. */
  readonly sendCompact: (peer: SyncPeer, entry: BlockIndexEntry) => void;
}

/** Tells peers of new blocks, each in the form that it wants: compact block, headers or inventory. */
export class BlockAnnouncer {
  readonly #deps: AnnouncerDeps;

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps;
  }

  /** Blocks of the active chain that were not on it before, rising; the last eight if there are more. */
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

  /** Notes blocks for a peer to be told of by the next `flush`. */
  add(peer: SyncPeer, blocks: readonly BlockIndexEntry[]): void {
    const height = blocks.at(-1)?.height ?? 0;
    const { startHeight } = peer.peer;
    if (height > (startHeight === -1 ? 0 : startHeight - MAX_HEIGHT_BEHIND)) peer.toAnnounce.push(...blocks);
  }

  /**
   * Sends a block that is about to be connected on the tip to a peer that wants compact blocks: it checks the block itself, so there is
   * no need for it to wait until we have (BIP152). The others hear of it once it is connected.
   */
  hurry(peer: SyncPeer, entry: BlockIndexEntry): void {
    const { chain, sendCompact } = this.#deps;
    // The first version has no witnesses, and its peers are in no hurry.
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
      // It will ask for the headers in between.
      peer.peer.send({ command: 'inv', payload: [{ type: InvType.block, hash: last.hash }] });
    }
  }

  /** Those that are new to the peer, if it knows what they stand on; undefined if headers would not do. */
  #connectingHeaders(peer: SyncPeer): BlockIndexEntry[] | undefined {
    const { toAnnounce } = peer;
    const wanted = peer.wantsHeaders || (peer.wantsCompact && toAnnounce.length === 1);
    if (!wanted || toAnnounce.length > MAX_ANNOUNCED_HEADERS) return undefined;
    const found: BlockIndexEntry[] = [];
    let before: BlockIndexEntry | undefined;
    for (const entry of toAnnounce) {
      // A reorganisation came in between, or several blocks of unlike chains are noted.
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

import { type InventoryItem, InvType, isTransaction } from '../wire/inventory.js';
import type { WireMessage } from '../wire/messages.js';
import type { SyncPeer } from './sync-peer.js';

/** How long to wait before looking again whether a peer has taken what was sent. */
const CONGESTION_PAUSE_MS = 10;
const BLOCK_TYPES: ReadonlySet<number> = new Set([InvType.block, InvType.filteredBlock, InvType.compactBlock, InvType.witnessBlock]);
/** Small answers given in one turn. */
const BATCH = 100;

export interface DataRequestsDeps {
  /** Serves one block, if it may be served. */
  readonly block: (peer: SyncPeer, item: InventoryItem) => void;
  /** The answer for anything else; undefined if there is none. */
  readonly other: (peer: SyncPeer, item: InventoryItem) => WireMessage | undefined;
  /** Runs a task in another turn, at once or after a pause. */
  readonly later: (task: () => void, delayMs?: number) => void;
}

/**
 * Answers `getdata` in the order of its items: one block a turn, and no more than the peer takes. Until the last item it is not
 * listened to, so it cannot ask for more than it reads.
 */
export class DataRequests {
  readonly #deps: DataRequestsDeps;

  constructor(deps: DataRequestsDeps) {
    this.#deps = deps;
  }

  take(peer: SyncPeer, items: readonly InventoryItem[]): void {
    if (items.length === 0) return;
    const release = peer.peer.hold();
    this.#step(peer, items, 0, release);
  }

  #step(peer: SyncPeer, items: readonly InventoryItem[], from: number, release: () => void): void {
    if (peer.peer.disconnected) return;
    let at = from;
    const missing: InventoryItem[] = [];
    for (; at < items.length && at < from + BATCH && !peer.peer.congested; at++) {
      const item = items[at] as InventoryItem;
      if (BLOCK_TYPES.has(item.type)) break;
      const answer = this.#deps.other(peer, item);
      if (answer) peer.peer.send(answer);
      else if (isTransaction(item)) missing.push(item);
    }
    // Those who wait for a parent in vain learn of it at once.
    if (missing.length > 0) peer.peer.send({ command: 'notfound', payload: missing });
    const next = items[at];
    if (next && BLOCK_TYPES.has(next.type) && !peer.peer.congested) {
      this.#deps.block(peer, next);
      at += 1;
    }
    if (at >= items.length) release();
    else this.#deps.later(() => this.#step(peer, items, at, release), peer.peer.congested ? CONGESTION_PAUSE_MS : 0);
  }
}

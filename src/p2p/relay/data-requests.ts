import { type InventoryItem, InvType, isTransaction } from '../wire/inventory.js';
import type { WireMessage } from '../wire/messages.js';
import type { PeerSession } from './session.js';

/** Pause while the send buffer of the peer is full. */
const CONGESTION_PAUSE_MS = 10;
const BLOCK_TYPES: ReadonlySet<number> = new Set([InvType.block, InvType.filteredBlock, InvType.compactBlock, InvType.witnessBlock]);
/** Items other than blocks that are answered in one turn. */
const BATCH = 100;

export interface DataRequestsDeps {
  /** Sends one block, if the peer may have it. */
  readonly block: (session: PeerSession, item: InventoryItem) => void;
  /** Answer for any other item; undefined if there is none. */
  readonly other: (session: PeerSession, item: InventoryItem) => WireMessage | undefined;
  /** Runs a task in another turn of the event loop, after an optional delay. */
  readonly later: (task: () => void, delayMs?: number) => void;
}

/**
 * Answers `getdata` in the order of its items: one block per turn, and only while the send buffer has room. The peer's next message is
 * not processed before the last item is answered, so that a peer cannot request more than it reads.
 */
export class DataRequests {
  readonly #deps: DataRequestsDeps;

  constructor(deps: DataRequestsDeps) {
    this.#deps = deps;
  }

  process(session: PeerSession, items: readonly InventoryItem[]): void {
    if (items.length > 0) this.#step(session, items, 0, session.peer.hold());
  }

  #step(session: PeerSession, items: readonly InventoryItem[], from: number, release: () => void): void {
    const { peer } = session;
    if (peer.disconnected) return;
    let at = from;
    const missing: InventoryItem[] = [];
    for (; at < items.length && at < from + BATCH && !peer.congested; at++) {
      const item = items[at] as InventoryItem;
      if (BLOCK_TYPES.has(item.type)) break;
      const answer = this.#deps.other(session, item);
      if (answer) peer.send(answer);
      else if (isTransaction(item)) missing.push(item);
    }
    // A peer that waits for the parent of an orphan can stop waiting at once.
    if (missing.length > 0) peer.send({ command: 'notfound', payload: missing });
    const next = items[at];
    if (next && BLOCK_TYPES.has(next.type) && !peer.congested) {
      this.#deps.block(session, next);
      at += 1;
    }
    if (at >= items.length) release();
    else this.#deps.later(() => this.#step(session, items, at, release), peer.congested ? CONGESTION_PAUSE_MS : 0);
  }
}

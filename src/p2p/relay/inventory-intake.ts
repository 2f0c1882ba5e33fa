import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { SyncPeer } from '../sync/sync-peer.js';
import { type InventoryItem, InvType, isTransaction } from '../wire/inventory.js';

/** Items between two looks at the clock. */
const CHUNK = 200;
/** Time that one message may take per turn of the event loop. */
const SLICE_MS = 5;

export interface InventoryIntakeDeps {
  readonly chain: Pick<Chain, 'entry'>;
  readonly transactions: (peer: SyncPeer, txids: readonly Hash256[]) => void;
  readonly anchors: (peer: SyncPeer, items: readonly InventoryItem[]) => void;
  /** The block was requested from some peer. */
  readonly isRequested: (hash: Hash256) => boolean;
  /** Called once per message, with the last announced block whose header is unknown. */
  readonly unknownBlock: (peer: SyncPeer, hash: Hash256) => void;
  /** Runs a task in another turn of the event loop. */
  readonly later: (task: () => void) => void;
}

/**
 * Processes `inv` messages. One may carry 50,000 items, so it is processed in slices; the peer's next message is not delivered until
 * the last of them.
 */
export class InventoryIntake {
  readonly #deps: InventoryIntakeDeps;

  constructor(deps: InventoryIntakeDeps) {
    this.#deps = deps;
  }

  take(peer: SyncPeer, items: readonly InventoryItem[]): void {
    this.#step(peer, items, { from: 0, unknown: undefined, release: peer.peer.hold() });
  }

  #step(
    peer: SyncPeer,
    items: readonly InventoryItem[],
    { from, unknown: before, release }: { from: number; unknown: Hash256 | undefined; release: () => void },
  ): void {
    const end = performance.now() + SLICE_MS;
    let at = from;
    let unknown = before;
    try {
      while (at < items.length && !peer.peer.disconnected && (at === from || performance.now() < end)) {
        unknown = this.#takeChunk(peer, items.slice(at, at + CHUNK)) ?? unknown;
        at += CHUNK;
      }
    } catch (error) {
      release();
      throw error;
    }
    if (at < items.length && !peer.peer.disconnected) {
      this.#deps.later(() => this.#step(peer, items, { from: at, unknown, release }));
      return;
    }
    release();
    if (unknown) this.#deps.unknownBlock(peer, unknown);
  }

  /** @returns the last block of the chunk whose header is unknown */
  #takeChunk(peer: SyncPeer, items: readonly InventoryItem[]): Hash256 | undefined {
    const { chain, transactions, anchors, isRequested } = this.#deps;
    const txids = items.filter(isTransaction).map(({ hash }) => hash);
    if (txids.length > 0) transactions(peer, txids);
    const anchorItems = items.filter(({ type }) => type === InvType.anchorAuth || type === InvType.anchorConfirm);
    if (anchorItems.length > 0) anchors(peer, anchorItems);
    const blocks = items.filter(({ type }) => type === InvType.block);
    for (const { hash } of blocks) peer.hasBlock(hash, chain);
    return blocks.findLast(({ hash }) => !chain.entry(hash) && !isRequested(hash))?.hash;
  }
}

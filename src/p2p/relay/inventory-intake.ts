import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import { type InventoryItem, InvType, isTransaction } from '../wire/inventory.js';
import type { PeerSession } from './session.js';

/** Items processed between two checks of the time. */
const CHUNK = 200;
/** Time that one message may take per turn of the event loop. */
const SLICE_MS = 5;

/** Handlers of the kinds of inventory items. */
export interface InventoryIntakeDeps {
  readonly chain: Pick<Chain, 'entry'>;
  readonly transactions: (session: PeerSession, txids: readonly Hash256[]) => void;
  readonly anchors: (session: PeerSession, items: readonly InventoryItem[]) => void;
  /** Returns true if the block was requested from any peer. */
  readonly isRequested: (hash: Hash256) => boolean;
  /** Called once per message, with the last announced block whose header is unknown. */
  readonly unknownBlock: (session: PeerSession, hash: Hash256) => void;
  /** Runs a task in another turn of the event loop. */
  readonly later: (task: () => void) => void;
}

/** A message that is processed over several turns. */
interface Work {
  readonly session: PeerSession;
  readonly items: readonly InventoryItem[];
  /** Lets the peer's next message be processed. */
  readonly release: () => void;
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

  process(session: PeerSession, items: readonly InventoryItem[]): void {
    this.#step({ session, items, release: session.peer.hold() }, 0, undefined);
  }

  /** @param unknownBefore last block before `from` whose header is unknown */
  #step(work: Work, from: number, unknownBefore: Hash256 | undefined): void {
    const { session, items, release } = work;
    const { peer } = session;
    const end = performance.now() + SLICE_MS;
    let at = from;
    let unknown = unknownBefore;
    try {
      while (at < items.length && !peer.disconnected && (at === from || performance.now() < end)) {
        unknown = this.#processChunk(session, items.slice(at, at + CHUNK)) ?? unknown;
        at += CHUNK;
      }
    } catch (error) {
      release();
      throw error;
    }
    if (at < items.length && !peer.disconnected) {
      this.#deps.later(() => this.#step(work, at, unknown));
      return;
    }
    release();
    if (unknown) this.#deps.unknownBlock(session, unknown);
  }

  /** @returns the last block of the chunk whose header is unknown */
  #processChunk(session: PeerSession, items: readonly InventoryItem[]): Hash256 | undefined {
    const { chain, transactions, anchors, isRequested } = this.#deps;
    const txids = items.filter(isTransaction).map(({ hash }) => hash);
    if (txids.length > 0) transactions(session, txids);
    const anchorItems = items.filter(({ type }) => type === InvType.anchorAuth || type === InvType.anchorConfirm);
    if (anchorItems.length > 0) anchors(session, anchorItems);
    const blocks = items.filter(({ type }) => type === InvType.block);
    for (const { hash } of blocks) session.sync.hasBlock(hash, chain);
    return blocks.findLast(({ hash }) => !chain.entry(hash) && !isRequested(hash))?.hash;
  }
}

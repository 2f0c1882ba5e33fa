import { type MaybePromise, withValue } from '../../util/slicer.js';
import { type InventoryItem, InvType, isTransaction } from '../wire/inventory.js';
import type { WireMessage } from '../wire/messages.js';
import type { PeerSession } from './session.js';

/** Pause while the send buffer of the peer is full. */
const CONGESTION_PAUSE_MS = 10;
const BLOCK_TYPES: ReadonlySet<number> = new Set([InvType.block, InvType.filteredBlock, InvType.compactBlock, InvType.witnessBlock]);
/** Items other than blocks that are answered in one turn, and the time for them. */
const BATCH = 100;
const SLICE_MS = 5;

export interface DataRequestsDeps {
  /** Sends one block, if the peer may have it. */
  readonly block: (session: PeerSession, item: InventoryItem) => MaybePromise<void>;
  /** Answer for any other item; undefined if there is none. */
  readonly other: (session: PeerSession, item: InventoryItem) => WireMessage | undefined;
  /** Runs a task in another turn of the event loop, after an optional delay. */
  readonly later: (task: () => void, delayMs?: number) => void;
  /** Logs the error of work that takes several turns. */
  readonly finish: (work: MaybePromise<void>) => void;
}

/** The part of a request that is not answered yet. */
interface Rest {
  readonly items: readonly InventoryItem[];
  at: number;
  /** Transactions that this node does not have, to be named together after the block or anchor messages that follow them. */
  missing: InventoryItem[];
  readonly release: () => void;
}

/** One turn of the event loop. */
interface Turn {
  /** Index of the item at which it ends. */
  end: number;
  readonly untilMs: number;
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
    if (items.length > 0) this.#step(session, { items, at: 0, missing: [], release: session.peer.hold() });
  }

  #step(session: PeerSession, rest: Rest): void {
    if (session.peer.disconnected) return;
    const turn = { end: rest.at + BATCH, untilMs: performance.now() + SLICE_MS };
    try {
      this.#others(session, rest, turn, isTransaction);
      const work = withValue(this.#block(session, rest, turn), () => this.#endStep(session, rest, turn));
      if (work instanceof Promise) this.#deps.finish(releasedOnError(work, rest));
    } catch (error) {
      rest.release();
      throw error;
    }
  }

  /** Sends the next item if it is a block. */
  #block(session: PeerSession, rest: Rest, { end }: Turn): MaybePromise<void> {
    const next = rest.items[rest.at];
    if (!next || !BLOCK_TYPES.has(next.type) || rest.at >= end || session.peer.congested) return;
    rest.at += 1;
    return this.#deps.block(session, next);
  }

  #endStep(session: PeerSession, rest: Rest, turn: Turn): void {
    const { peer } = session;
    this.#others(session, rest, turn, (item) => !isTransaction(item) && !BLOCK_TYPES.has(item.type));
    if (rest.at < turn.end || rest.at >= rest.items.length) sendMissing(session, rest);
    if (rest.at >= rest.items.length) rest.release();
    else this.#deps.later(() => this.#step(session, rest), peer.congested ? CONGESTION_PAUSE_MS : 0);
  }

  /** Answers items that are not blocks, as long as they are of a kind. */
  #others(session: PeerSession, rest: Rest, turn: Turn, isOfKind: (item: InventoryItem) => boolean): void {
    for (; rest.at < turn.end && !session.peer.congested; rest.at++) {
      const item = rest.items[rest.at];
      if (!item || !isOfKind(item)) return;
      const answer = this.#deps.other(session, item);
      if (answer) session.peer.send(answer);
      else if (isTransaction(item)) rest.missing.push(item);
      if (performance.now() >= turn.untilMs) turn.end = rest.at + 1;
    }
  }
}

/** A failure of the node does not stop it from processing the peer's next messages. */
async function releasedOnError(work: Promise<void>, { release }: Rest): Promise<void> {
  try {
    await work;
  } catch (error) {
    release();
    throw error;
  }
}

/** A peer that waits for the parent of an orphan can stop waiting at once. */
function sendMissing({ peer }: PeerSession, rest: Rest): void {
  if (rest.missing.length > 0) peer.send({ command: 'notfound', payload: rest.missing });
  rest.missing = [];
}

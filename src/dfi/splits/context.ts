import type { AttributeDraft } from '../attributes/attributes.js';
import { letter } from '../attributes/key.js';
import type { BlockEventContext } from '../context/block-event.js';
import type { EventRecords } from '../context/event-records.js';
import type { Multiplier, SplitCreation } from '../context/split-creation.js';

/** Where tokens get successors. */
export interface SuccessionContext extends BlockEventContext {
  /** Attributes as this block's splits have left them so far, those that failed too. */
  readonly draft: AttributeDraft;
  /** What the history will show of it, once it is sure that the split stands. */
  readonly records: EventRecords;
}

/** Where one token is split. */
export interface SplitContext extends SuccessionContext {
  readonly split: SplitCreation;
}

/** The token that takes the place of the one that is split. */
export interface Succession {
  readonly oldId: number;
  readonly newId: number;
}

/** Pools that move to the successors of their tokens. */
export interface PoolMoves {
  /** In the order in which they move, each with the transaction that its successor is named by. */
  readonly pools: SplitCreation['pools'];
  /** Successors by the tokens before them. */
  readonly successors: ReadonlyMap<number, number>;
  readonly multiplier: Multiplier;
}

/** Type byte that the history shows for what splits do. */
export const TOKEN_SPLIT = letter('P');

/** How the history calls what a split does. */
export function splitWriter({ blockHash }: Pick<BlockEventContext, 'blockHash'>) {
  return { category: TOKEN_SPLIT, txid: blockHash };
}

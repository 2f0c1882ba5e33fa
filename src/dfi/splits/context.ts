import type { AttributeDraft } from '../attributes/attributes.js';
import type { BlockEventContext } from '../context/block-event.js';
import type { EventRecords } from '../context/event-records.js';
import type { Multiplier, SplitCreation } from '../context/split-creation.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';

/**
 * Context in which tokens are replaced by successors. Beyond the context of an event it has what all steps of a split or restart share and
 * write at its end.
 */
export interface SuccessionContext extends BlockEventContext {
  /** Attributes with the changes of this block's splits so far, including those of failed splits. */
  readonly draft: AttributeDraft;
  /** History entries, written after the split or restart ended. */
  readonly eventRecords: EventRecords;
}

/** Context of the split of one token. Nearly every step of it reads the split's ids and multiplier. */
export interface SplitContext extends SuccessionContext {
  readonly split: SplitCreation;
}

/** Ids of a token or pool and of its successor. */
export interface Succession {
  readonly oldId: number;
  readonly newId: number;
}

/** Pools that move to the successors of their tokens. */
export interface PoolMoves {
  /** Pools in the order of their migration, each with the creation txid of its successor. */
  readonly pools: SplitCreation['pools'];
  /** Ids of the new tokens by those of the old ones. */
  readonly successors: ReadonlyMap<number, number>;
  readonly multiplier: Multiplier;
}

/** Origin of a split's changes in the history: its category and the block's hash. */
export function splitWriter({ blockHash }: Pick<BlockEventContext, 'blockHash'>) {
  return { category: categoryByte(EVENT_TYPES.tokenSplit), txid: blockHash };
}

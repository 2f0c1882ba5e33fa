import type { EventRecords } from '../event-records.js';
import type { BlockEventContext } from '../events/define.js';
import { letter } from '../governance/attribute-key.js';
import type { AttributeDraft } from '../governance/attributes.js';
import type { SplitCreation } from './creation.js';

/** Where one token is split. */
export interface SplitContext extends BlockEventContext {
  readonly split: SplitCreation;
  /** Attributes as this block's splits have left them so far, those that failed too. */
  readonly draft: AttributeDraft;
  /** What the history will show of it, once it is sure that the split stands. */
  readonly records: EventRecords;
}

/** The token that takes the place of the one that is split. */
export interface Succession {
  readonly oldId: number;
  readonly newId: number;
}

/** Type byte that the history shows for what splits do. */
export const TOKEN_SPLIT = letter('P');

/** How the history calls what a split does. */
export function splitWriter({ blockHash }: Pick<BlockEventContext, 'blockHash'>) {
  return { category: TOKEN_SPLIT, txid: blockHash };
}

import type { NetworkParams } from '../../params/network.js';
import type { WritableView } from '../../storage/view.js';
import type { EventRecords } from './event-records.js';

/** Context of a change of governance variables. */
export interface GovernanceContext {
  readonly view: WritableView;
  /** Height of the block that makes the change, or that stores it for a later block. */
  readonly height: number;
  /** Header time of that block, in seconds since 1970. */
  readonly time: number;
  readonly params: NetworkParams;
  /** Records balance changes under event numbers; undefined where no history is kept. */
  readonly eventRecords?: EventRecords;
}

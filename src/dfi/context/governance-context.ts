import type { NetworkParams } from '../../params/network.js';
import type { WritableView } from '../../storage/view.js';
import type { EventRecords } from './event-records.js';

/** Where a change of governance happens. */
export interface GovernanceContext {
  readonly view: WritableView;
  /** Of the block that makes the change, or that stores it for later. */
  readonly height: number;
  /** Seconds since 1970, of that block. */
  readonly time: number;
  readonly params: NetworkParams;
  /** Where changes of balances are noted; undefined where no history is kept. */
  readonly asides?: EventRecords;
}

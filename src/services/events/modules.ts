import type { Chain } from '../../chain/chain.js';
import type { PassingEvents } from '../../events/passing.js';
import type { Caller } from '../../rpc/access.js';
import type { EventLog } from './log.js';
import type { StreamTable } from './stream-table.js';

/** Modules of the stream of events. */
export interface EventsModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'on'>;
  readonly passing: PassingEvents;
  readonly log: EventLog;
  readonly streams: StreamTable;
  /** False with -eventretention=0. */
  readonly keepsEvents: boolean;
  /** True if a caller has the right to call an operation. */
  mayCall(operation: string, caller: Caller): boolean;
}

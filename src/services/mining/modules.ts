import type { Chain } from '../../chain/chain.js';
import type { Minter } from '../../minting/minter.js';
import type { Clock } from '../../util/clock.js';
import type { PriorityModules } from './priority.js';

/** What the Mining operations need of the node. */
export interface MiningModules extends PriorityModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'entry' | 'entryAt' | 'submitBlock' | 'acceptHeader'>;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly minter: Pick<Minter, 'masternodes' | 'lastAssembled'>;
}

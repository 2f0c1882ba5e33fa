import type { Chain } from '../../chain/chain.js';
import type { Clock } from '../../util/clock.js';
import type { CustomTxModules } from '../wallet/spend/custom-tx.js';

/** Modules for queries on oracles. */
export interface OraclesModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'snapshot'>;
}

/** Modules for operations that create transactions. */
export type ReportingModules = CustomTxModules & {
  readonly chain: OraclesModules['chain'];
  readonly clock: Pick<Clock, 'now'>;
};

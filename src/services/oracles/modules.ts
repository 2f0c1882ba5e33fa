import type { Chain } from '../../chain/chain.js';
import type { Clock } from '../../util/clock.js';
import type { CustomTxModules } from '../wallet/custom-tx.js';

/** What the Oracles operations need of the node. */
export interface OraclesModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state'>;
}

/** Those that make transactions need a wallet too. */
export type ReportingModules = CustomTxModules & {
  readonly chain: OraclesModules['chain'];
  readonly clock: Pick<Clock, 'now'>;
};

import type { Chain } from '../../chain/chain.js';

/** What the Oracles operations need of the node. */
export interface OraclesModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state'>;
}

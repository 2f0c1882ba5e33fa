import type { Chain } from '../../chain/chain.js';

/** What the pool operations need of the node. */
export interface PoolsModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state'>;
}

import type { Chain } from '../../chain/chain.js';

/** What the loan operations need of the node. */
export interface LoansModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state'>;
}

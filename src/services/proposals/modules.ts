import type { Chain } from '../../chain/chain.js';

/** What the proposal operations need of the node. */
export interface ProposalsModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state'>;
}

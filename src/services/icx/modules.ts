import type { Chain } from '../../chain/chain.js';

/** What the order book operations need of the node. */
export interface IcxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state'>;
}

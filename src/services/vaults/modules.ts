import type { Chain } from '../../chain/chain.js';

/** What the vault and auction operations need of the node. */
export interface VaultsModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state'>;
}

import type { Chain } from '../../chain/chain.js';
import type { CustomTxModules } from '../wallet/custom-tx.js';

/** What the order book operations need of the node. */
export interface IcxModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'isInitialDownload'>;
}

/** In all answers. */
export const WARNING = 'ICX and Atomic Swap are experimental features. You might end up losing your funds. USE IT AT YOUR OWN RISK.';

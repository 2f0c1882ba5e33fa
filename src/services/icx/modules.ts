import type { Chain } from '../../chain/chain.js';
import type { CustomTxModules } from '../wallet/spend/custom-tx.js';

/** Modules for the order book operations. */
export interface IcxModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'snapshot' | 'isInitialDownload'>;
}

/** Part of every answer about the order book. */
export const WARNING = 'ICX and Atomic Swap are experimental features. You might end up losing your funds. USE IT AT YOUR OWN RISK.';

import type { Chain } from '../../chain/chain.js';
import type { CustomTxModules } from '../wallet/spend/custom-tx.js';

/** Modules for the loan operations. */
export interface LoansModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state' | 'snapshot' | 'coin' | 'isInitialDownload'>;
}

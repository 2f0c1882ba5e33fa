import type { Chain } from '../../chain/chain.js';
import type { Wallets } from '../../wallet/wallets/manager.js';
import type { CustomTxModules } from '../wallet/spend/custom-tx.js';

/** Modules for the pool operations. */
export interface PoolsModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'snapshot' | 'isInitialDownload'>;
  /** Undefined if wallets are disabled. */
  readonly wallets: Pick<Wallets, 'find' | 'loaded'> | undefined;
}

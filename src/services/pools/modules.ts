import type { Chain } from '../../chain/chain.js';
import type { Wallets } from '../../wallet/manager.js';
import type { CustomTxModules } from '../wallet/custom-tx.js';

/** What the pool operations need of the node. */
export interface PoolsModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'snapshot' | 'isInitialDownload'>;
  /** Undefined where wallets are switched off. */
  readonly wallets: Pick<Wallets, 'find' | 'loaded'> | undefined;
}

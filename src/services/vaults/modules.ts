import type { Chain } from '../../chain/chain.js';
import type { CustomTxModules } from '../wallet/spend/custom-tx.js';

/** Modules for the vault and auction operations. */
export interface VaultsModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state' | 'snapshot' | 'isInitialDownload'>;
  /** The node keeps the account history (`-acindex`). */
  readonly keepsHistory: boolean;
  /** The node keeps the vault history (`-vaultindex`). */
  readonly keepsVaultHistory: boolean;
}

import type { Chain } from '../../chain/chain.js';
import type { CustomTxModules } from '../wallet/custom-tx.js';

/** What the vault and auction operations need of the node. */
export interface VaultsModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state' | 'snapshot' | 'isInitialDownload'>;
  /** The history of accounts is kept (`-acindex`). */
  readonly keepsHistory: boolean;
  /** The history of vaults is kept (`-vaultindex`). */
  readonly keepsVaultHistory: boolean;
}

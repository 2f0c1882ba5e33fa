import type { Chain } from '../../chain/chain.js';
import type { Wallets } from '../../wallet/manager.js';
import type { CustomTxModules } from '../wallet/custom-tx.js';
import type { PendingNonces } from './pending-nonces.js';

/** What the Accounts operations need of the node. */
export interface AccountsModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state' | 'snapshot'>;
  /** The history of accounts is kept (`-acindex`). */
  readonly keepsHistory: boolean;
  /** Undefined where wallets are switched off. */
  readonly wallets?: Pick<Wallets, 'find' | 'loaded'> | undefined;
}

/** Those that make transactions need a wallet too. */
export type TransferModules = CustomTxModules & {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'isInitialDownload'>;
  /** DFI moves only to accounts of the wallet (`-dvmownerskipcheck`). */
  readonly ownAccountsOnly: boolean;
};

/** Transfers between the machines need what the node knows of the EVM. */
export type DomainModules = TransferModules & {
  /** Whether both sides have to belong to one key where a call does not say (`-tdsinglekeycheck`). */
  readonly singleKeyTransfers: boolean;
  readonly pendingNonces: PendingNonces;
};

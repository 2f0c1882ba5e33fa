import type { Chain } from '../../chain/chain.js';
import type { KnownRewards } from '../../dfi/rewards/known-rewards.js';
import type { Wallets } from '../../wallet/wallets/manager.js';
import type { CustomTxModules } from '../wallet/spend/custom-tx.js';

/** Modules for the account operations. */
export interface AccountsModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state' | 'snapshot'>;
  /** The node keeps the account history (`-acindex`). */
  readonly keepsHistory: boolean;
  /** Undefined: each call computes all rewards. */
  readonly knownRewards?: KnownRewards | undefined;
  /** Undefined if wallets are disabled. */
  readonly wallets?: Pick<Wallets, 'find' | 'loaded'> | undefined;
}

/** Modules for operations that create transactions. */
export type TransferModules = CustomTxModules & {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'isInitialDownload'>;
  /** DFI may be sent only to accounts of the wallet (`-dvmownerskipcheck`, which enables the check despite its name). */
  readonly ownAccountsOnly: boolean;
};

/** Modules for transfers between DVM and EVM. */
export type DomainModules = TransferModules & {
  /** Default of a call's check that both sides belong to the same key (`-tdsinglekeycheck`). */
  readonly singleKeyTransfers: boolean;
};

import type { HistoryFilter } from '../../../dfi/accounts/history-queries.js';
import type { PastRewards } from '../../../dfi/rewards/queries.js';
import type { StateView } from '../../../storage/view.js';
import type { Wallet } from '../../../wallet/wallet.js';
import type { Selection } from './request.js';

/** History to list: its state, accounts, filter and sources. */
export interface HistoryQuery {
  readonly view: StateView;
  readonly selection: Selection;
  readonly filter: HistoryFilter;
  /** Undefined if rewards are excluded or cannot exist. */
  readonly rewards: PastRewards | undefined;
  /**
   * True if records of an owner stay reversed while those of others are walked. `defid` returns to the state at the tip where the owner
   * changes, and no longer does so in version 4, to which we count tips from Metachain on.
   */
  readonly keepsReversed: boolean;
  /** Undefined without a wallet: no account is "mine", and no payments are listed. */
  readonly wallet: Wallet | undefined;
  /** True if payments of the wallet are listed too. */
  readonly showsPayments: boolean;
}

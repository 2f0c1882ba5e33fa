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
   * True if the records of an owner stay reversed while those of other owners are walked. `defid` 3.2.8 returns to the state at the tip
   * when the owner changes, 4.2.5 does not; this node does as 4.2.5 once the tip has reached Metachain.
   */
  readonly keepsReversed: boolean;
  /** Undefined without a wallet: no account is "mine", and no payments are listed. */
  readonly wallet: Wallet | undefined;
  /** True if payments of the wallet are listed too. */
  readonly showsPayments: boolean;
}

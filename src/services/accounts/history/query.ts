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
  /** Undefined without a wallet: no account is "mine", and no payments are listed. */
  readonly wallet: Wallet | undefined;
  /** True if payments of the wallet are listed too. */
  readonly showsPayments: boolean;
}

import type { AccountsServiceServer } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { Handlers } from '../../rpc/handler.js';

/** What the Accounts operations need of the node. */
export type AccountsModules = object;

/** Operations that are declared and not answered yet. */
type NotBuilt =
  | 'accountHistoryCount'
  | 'accountToAccount'
  | 'accountToUtxos'
  | 'executeSmartContract'
  | 'futureSwap'
  | 'getAccount'
  | 'getAccountHistory'
  | 'getBurnInfo'
  | 'getPendingDusdSwaps'
  | 'getPendingFutureSwaps'
  | 'getTokenBalances'
  | 'listAccountHistory'
  | 'listAccounts'
  | 'listBurnHistory'
  | 'listCommunityBalances'
  | 'listPendingDusdSwaps'
  | 'listPendingFutureSwaps'
  | 'sendTokensToAddress'
  | 'sendUtxosFrom'
  | 'transferDomain'
  | 'utxosToAccount'
  | 'withdrawFutureSwap';

export const accountsHandlers = {} satisfies Handlers<AccountsServiceServer, AccountsModules, NotBuilt>;

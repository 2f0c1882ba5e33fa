import type { AccountsServiceServer } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { Handlers } from '../../rpc/handler.js';
import { getAccount, listAccounts } from './balances.js';
import { getBurnInfo, listBurnHistory, listCommunityBalances } from './burns.js';
import { getPendingDusdSwaps, getPendingFutureSwaps, listPendingDusdSwaps, listPendingFutureSwaps } from './futures.js';
import { accountHistoryCount, getAccountHistory, listAccountHistory } from './history.js';
import type { AccountsModules } from './modules.js';

export type { AccountsModules } from './modules.js';

/** Operations that are declared and not answered yet. */
type NotBuilt =
  | 'accountToAccount'
  | 'accountToUtxos'
  | 'executeSmartContract'
  | 'futureSwap'
  | 'getTokenBalances'
  | 'sendTokensToAddress'
  | 'sendUtxosFrom'
  | 'transferDomain'
  | 'utxosToAccount'
  | 'withdrawFutureSwap';

export const accountsHandlers = {
  accountHistoryCount,
  getAccount,
  getAccountHistory,
  getBurnInfo,
  listAccountHistory,
  listAccounts,
  listBurnHistory,
  getPendingDusdSwaps,
  getPendingFutureSwaps,
  listCommunityBalances,
  listPendingDusdSwaps,
  listPendingFutureSwaps,
} satisfies Handlers<AccountsServiceServer, AccountsModules, NotBuilt>;

import type { AccountsServiceServer } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { Handlers } from '../../rpc/handler.js';
import { getAccount, listAccounts } from './balances.js';
import { getBurnInfo, listBurnHistory, listCommunityBalances } from './burns.js';
import { getPendingDusdSwaps, getPendingFutureSwaps, listPendingDusdSwaps, listPendingFutureSwaps } from './futures.js';
import { accountHistoryCount, getAccountHistory, listAccountHistory } from './history.js';
import type { AccountsModules, TransferModules } from './modules.js';
import { getTokenBalances } from './token-balances.js';
import { accountToAccount, accountToUtxos, utxosToAccount } from './transfers.js';

export type { AccountsModules } from './modules.js';

/** Operations that are declared and not answered yet. */
type NotBuilt = 'executeSmartContract' | 'futureSwap' | 'sendTokensToAddress' | 'sendUtxosFrom' | 'transferDomain' | 'withdrawFutureSwap';

export const accountsHandlers = {
  accountHistoryCount,
  accountToAccount,
  accountToUtxos,
  getAccount,
  getAccountHistory,
  getBurnInfo,
  getTokenBalances,
  listAccountHistory,
  listAccounts,
  listBurnHistory,
  getPendingDusdSwaps,
  getPendingFutureSwaps,
  listCommunityBalances,
  listPendingDusdSwaps,
  listPendingFutureSwaps,
  utxosToAccount,
} satisfies Handlers<AccountsServiceServer, AccountsModules & TransferModules, NotBuilt>;

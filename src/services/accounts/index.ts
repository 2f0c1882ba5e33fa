import type { AccountsServiceServer } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { Handlers } from '../../rpc/handler.js';
import { getAccount, listAccounts } from './balances/balances.js';
import { getTokenBalances } from './balances/token-balances.js';
import { getBurnInfo, listBurnHistory, listCommunityBalances } from './burns.js';
import { getPendingDusdSwaps, getPendingFutureSwaps, listPendingDusdSwaps, listPendingFutureSwaps } from './futures.js';
import { accountHistoryCount, getAccountHistory, listAccountHistory } from './history/history.js';
import type { AccountsModules, DomainModules } from './modules.js';
import { executeSmartContract, futureSwap, withdrawFutureSwap } from './transfers/contracts.js';
import { sendTokensToAddress } from './transfers/send-tokens.js';
import { sendUtxosFrom } from './transfers/send-utxos.js';
import { transferDomain } from './transfers/transfer-domain.js';
import { accountToAccount, accountToUtxos, utxosToAccount } from './transfers/transfers.js';

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
  executeSmartContract,
  futureSwap,
  sendTokensToAddress,
  sendUtxosFrom,
  transferDomain,
  utxosToAccount,
  withdrawFutureSwap,
} satisfies Handlers<AccountsServiceServer, AccountsModules & DomainModules>;

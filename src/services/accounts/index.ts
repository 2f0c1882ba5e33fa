import type { AccountsServiceServer } from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { Handlers } from '../../rpc/handler.js';
import { getAccount, listAccounts } from './balances.js';
import { getBurnInfo, listBurnHistory, listCommunityBalances } from './burns.js';
import { executeSmartContract, futureSwap, withdrawFutureSwap } from './contracts.js';
import { getPendingDusdSwaps, getPendingFutureSwaps, listPendingDusdSwaps, listPendingFutureSwaps } from './futures.js';
import { accountHistoryCount, getAccountHistory, listAccountHistory } from './history.js';
import type { AccountsModules, DomainModules } from './modules.js';
import { sendTokensToAddress } from './send-tokens.js';
import { sendUtxosFrom } from './send-utxos.js';
import { getTokenBalances } from './token-balances.js';
import { transferDomain } from './transfer-domain.js';
import { accountToAccount, accountToUtxos, utxosToAccount } from './transfers.js';

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

import type { Route } from '../api/route.js';
import { addressRoutes } from './address.js';
import { addressAccountRoutes } from './address-accounts.js';
import { addressHistoryRoutes } from './address-history.js';
import { auctionRoutes } from './auctions.js';
import { blockRoutes } from './blocks.js';
import { consortiumRoutes } from './consortium.js';
import { feeRoutes } from './fee.js';
import { governanceRoutes } from './governance.js';
import { loanRoutes } from './loans.js';
import { masternodeRoutes } from './masternodes.js';
import { oracleRoutes } from './oracles.js';
import { pathRoutes } from './paths.js';
import { poolPairRoutes } from './pool-pairs.js';
import { poolSumRoutes } from './pool-sums.js';
import { poolSwapRoutes } from './pool-swaps.js';
import { priceRoutes } from './prices.js';
import { rawTransactionRoutes } from './rawtx.js';
import { rpcRoutes } from './rpc.js';
import { statsRoutes } from './stats.js';
import { tokenRoutes } from './tokens.js';
import { transactionRoutes } from './transactions.js';
import { vaultRoutes } from './vaults.js';

/** All endpoints. */
export const oceanRoutes: readonly Route[] = [
  ...addressAccountRoutes,
  ...addressHistoryRoutes,
  ...addressRoutes,
  ...auctionRoutes,
  ...blockRoutes,
  ...consortiumRoutes,
  ...feeRoutes,
  ...governanceRoutes,
  ...loanRoutes,
  ...masternodeRoutes,
  ...oracleRoutes,
  ...pathRoutes,
  ...poolPairRoutes,
  ...poolSumRoutes,
  ...poolSwapRoutes,
  ...priceRoutes,
  ...rawTransactionRoutes,
  ...rpcRoutes,
  ...statsRoutes,
  ...tokenRoutes,
  ...transactionRoutes,
  ...vaultRoutes,
];

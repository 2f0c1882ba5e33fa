import type { Route } from '../api/route.js';
import { addressAccountRoutes } from './address-accounts.js';
import { auctionRoutes } from './auctions.js';
import { consortiumRoutes } from './consortium.js';
import { governanceRoutes } from './governance.js';
import { loanRoutes } from './loans.js';
import { masternodeRoutes } from './masternodes.js';
import { oracleRoutes } from './oracles.js';
import { pathRoutes } from './paths.js';
import { poolPairRoutes } from './pool-pairs.js';
import { poolSumRoutes } from './pool-sums.js';
import { poolSwapRoutes } from './pool-swaps.js';
import { priceRoutes } from './prices.js';
import { statsRoutes } from './stats.js';
import { tokenRoutes } from './tokens.js';
import { vaultRoutes } from './vaults.js';

/** All endpoints. */
export const oceanRoutes: readonly Route[] = [
  ...addressAccountRoutes,
  ...auctionRoutes,
  ...consortiumRoutes,
  ...governanceRoutes,
  ...loanRoutes,
  ...masternodeRoutes,
  ...oracleRoutes,
  ...pathRoutes,
  ...poolPairRoutes,
  ...poolSumRoutes,
  ...poolSwapRoutes,
  ...priceRoutes,
  ...statsRoutes,
  ...tokenRoutes,
  ...vaultRoutes,
];

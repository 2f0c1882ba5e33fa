import type { AnyColumn } from '../../storage/view.js';
import { accountBalances, settledHeights } from './accounts.js';
import { anchorColumns } from './anchors.js';
import { auctionColumns } from './auctions.js';
import { communityColumns } from './community.js';
import { dexFeeColumns } from './dex-fees.js';
import { evmColumns } from './evm.js';
import { fixedPrices } from './fixed-prices.js';
import { futureColumns } from './futures.js';
import { governanceColumns } from './governance.js';
import { historyColumns } from './history.js';
import { icxColumns } from './icx.js';
import { loanSchemeColumns } from './loan-schemes.js';
import { loanTokenColumns } from './loan-tokens.js';
import { loanColumns } from './loans.js';
import {
  masternodeOperators,
  masternodeOwners,
  masternodes,
  masternodeTimelocks,
  newCollaterals,
  pendingUpdates,
  stakerTimes,
  subNodeTimes,
} from './masternodes.js';
import { oracles } from './oracles.js';
import { poolAverageColumns } from './pool-averages.js';
import { poolColumns } from './pools.js';
import { proposalColumns } from './proposals.js';
import { splitColumns } from './splits.js';
import { tokenLockColumns } from './token-locks.js';
import { tokenColumns } from './tokens.js';
import { unexecuted } from './unexecuted.js';
import { vaultHistoryColumns } from './vault-history.js';
import { vaultColumns } from './vaults.js';

/** Every column of the DeFi state, for opening the store. */
export const dfiColumns: readonly AnyColumn[] = [
  masternodes,
  masternodeOperators,
  masternodeOwners,
  masternodeTimelocks,
  newCollaterals,
  pendingUpdates,
  stakerTimes,
  subNodeTimes,
  accountBalances,
  settledHeights,
  ...communityColumns,
  ...anchorColumns,
  ...tokenColumns,
  ...historyColumns,
  ...governanceColumns,
  ...loanTokenColumns,
  ...loanSchemeColumns,
  ...loanColumns,
  ...vaultColumns,
  ...vaultHistoryColumns,
  ...futureColumns,
  ...poolColumns,
  ...poolAverageColumns,
  ...dexFeeColumns,
  ...auctionColumns,
  ...splitColumns,
  ...tokenLockColumns,
  ...proposalColumns,
  ...icxColumns,
  ...evmColumns,
  oracles,
  fixedPrices,
  unexecuted,
];

import type { AnyColumn } from '../../storage/view.js';
import { accountBalances, materialisedHeights } from '../accounts/columns.js';
import { communityColumns } from '../accounts/community-columns.js';
import { historyColumns } from '../accounts/history-columns.js';
import { anchorColumns } from '../anchors/columns.js';
import { alarmColumns } from '../auctions/alarm-columns.js';
import { auctionColumns } from '../auctions/columns.js';
import { evmBlockColumns } from '../evm/block-columns.js';
import { evmHistoryColumns } from '../evm/history-columns.js';
import { evmLogColumns } from '../evm/log-columns.js';
import { evmStateColumns } from '../evm/state-columns.js';
import { futureColumns } from '../futures/columns.js';
import { governanceColumns } from '../governance/columns.js';
import { icxColumns } from '../icx/columns.js';
import { loanTokenColumns } from '../loan-tokens/columns.js';
import { loanColumns } from '../loans/columns.js';
import { loanSchemeColumns } from '../loans/scheme-columns.js';
import {
  masternodeOperators,
  masternodeOwners,
  masternodes,
  masternodeTimelocks,
  newCollaterals,
  pendingUpdates,
  stakerTimes,
  subNodeTimes,
} from '../masternodes/columns.js';
import { oracles } from '../oracles/columns.js';
import { fixedPrices } from '../oracles/fixed-prices.js';
import { poolAverageColumns } from '../pools/average-columns.js';
import { poolColumns } from '../pools/columns.js';
import { dexFeeColumns } from '../pools/fee-columns.js';
import { proposalColumns } from '../proposals/columns.js';
import { splitColumns } from '../splits/columns.js';
import { tokenColumns } from '../tokens/columns.js';
import { tokenLockColumns } from '../tokens/lock-columns.js';
import { vaultColumns } from '../vaults/columns.js';
import { vaultHistoryColumns } from '../vaults/history-columns.js';

/** All columns of the DeFi state, for opening the database. */
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
  materialisedHeights,
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
  ...alarmColumns,
  ...splitColumns,
  ...tokenLockColumns,
  ...proposalColumns,
  ...icxColumns,
  ...evmStateColumns,
  ...evmHistoryColumns,
  ...evmBlockColumns,
  ...evmLogColumns,
  oracles,
  fixedPrices,
];

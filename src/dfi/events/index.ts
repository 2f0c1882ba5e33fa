import { vaultAuctions } from './auctions.js';
import { communityFunds } from './community-funds.js';
import { dailyRewards } from './daily-rewards.js';
import type { BlockEvent } from './define.js';
import { eunosBurn } from './eunos-burn.js';
import { foundationMembersToAttributes } from './foundation-members.js';
import { dusdSettlement, futureSettlement } from './futures.js';
import { governanceByHeight } from './governance-by-height.js';
import { icxExpiry } from './icx-expiry.js';
import { interestMigration } from './interest-migration.js';
import { loanSchemeChanges } from './loan-schemes.js';
import { loanTokenAttributes } from './loan-token-attributes.js';
import { masternodeUpdates } from './masternode-updates.js';
import { negativeInterest } from './negative-interest.js';
import { nullSwapRefunds } from './null-swap-refunds.js';
import { oraclePrices } from './oracle-prices.js';
import { poolRewards } from './pool-rewards.js';
import { proposalCycles } from './proposals.js';
import { tokenFlags } from './token-flags.js';
import { tokenRestart } from './token-restart.js';
import { earlyTokenSplits, lateTokenSplits } from './token-splits.js';

/** Run once per block, before its transactions. */
export const openingEvents: readonly BlockEvent[] = [interestMigration];

/** Run once per block, after its transactions, top to bottom; then the block of the EVM ends, and the events below run. The order is consensus. */
export const splitEvents: readonly BlockEvent[] = [tokenRestart, earlyTokenSplits];

/**
 * Run once per block, after its transactions, top to bottom. The order is consensus; names in comments are events that are not
 * built, each in its place.
 * @see docs/protocol/defi.md 10.1
 */
export const blockEvents: readonly BlockEvent[] = [
  dailyRewards,
  poolRewards,
  icxExpiry,
  tokenFlags,
  eunosBurn,
  oraclePrices,
  loanSchemeChanges,
  vaultAuctions,
  futureSettlement,
  governanceByHeight,
  loanTokenAttributes,
  lateTokenSplits,
  dusdSettlement,
  negativeInterest,
  communityFunds,
  proposalCycles,
  masternodeUpdates,
  foundationMembersToAttributes,
  nullSwapRefunds,
];

import { communityFunds } from '../accounts/community-funds.js';
import { eunosBurn } from '../accounts/eunos-burn.js';
import { vaultAuctions } from '../auctions/event.js';
import type { BlockEvent } from '../context/block-event.js';
import { dusdSettlement, futureSettlement } from '../futures/event.js';
import { governanceByHeight } from '../governance/by-height-event.js';
import { dailyRewards } from '../governance/daily-rewards-event.js';
import { icxExpiry } from '../icx/expiry-event.js';
import { loanTokenAttributes } from '../loan-tokens/attributes-event.js';
import { interestMigration } from '../loans/interest-migration-event.js';
import { negativeInterest } from '../loans/negative-interest-event.js';
import { loanSchemeChanges } from '../loans/schemes-event.js';
import { foundationMembersToAttributes } from '../masternodes/foundation-members-event.js';
import { masternodeUpdates } from '../masternodes/updates-event.js';
import { oraclePrices } from '../oracles/prices-event.js';
import { proposalCycles } from '../proposals/event.js';
import { tokenRestart } from '../restart/event.js';
import { poolRewards } from '../rewards/event.js';
import { earlyTokenSplits, lateTokenSplits } from '../splits/event.js';
import { tokenFlags } from '../tokens/flags-event.js';
import { nullSwapRefunds } from '../tokens/null-swap-refunds.js';

/** Events before the transactions of a block. */
export const openingEvents: readonly BlockEvent[] = [interestMigration];

/** Events after the transactions of a block. Then the EVM block ends, and {@link blockEvents} run. The order is consensus. */
export const splitEvents: readonly BlockEvent[] = [tokenRestart, earlyTokenSplits];

/**
 * Events at the end of a block. The order is consensus.
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

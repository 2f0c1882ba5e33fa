import type { BlockEvent } from './define.js';
import { eunosBurn } from './eunos-burn.js';
import { masternodeUpdates } from './masternode-updates.js';
import { oraclePrices } from './oracle-prices.js';
import { tokenFlags } from './token-flags.js';

/** Run once per block, after its transactions and before the events below, top to bottom. The order is consensus. */
export const splitEvents: readonly BlockEvent[] = [
  // token lock, token splits, EVM queue
];

/**
 * Run once per block, after its transactions, top to bottom. The order is consensus; names in comments are events that are not
 * built, each in its place.
 * @see spec: defi 10.1
 */
export const blockEvents: readonly BlockEvent[] = [
  // pool rewards
  // ICX expiry
  tokenFlags,
  eunosBurn,
  oraclePrices,
  // loans
  // futures
  // governance by height
  // token attributes, one block after Fort Canning Crunch
  // DUSD futures
  // proposals
  masternodeUpdates,
  // foundation members to attributes, at Grand Central
  // refunds of null pool swaps, at DF23
];

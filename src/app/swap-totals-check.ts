import { headers, marks, TIP_KEY, tips } from '../chain/records.js';
import { ConfigError } from '../config/errors.js';
import { attributes } from '../dfi/attributes/attributes.js';
import { liveKey } from '../dfi/attributes/live-totals.js';
import { swapHistory } from '../dfi/pools/history-columns.js';
import type { StateView } from '../storage/view.js';

/**
 * Checks at the start with -dexstats that no block with swaps was connected without it.
 * @param state the stored one
 * @throws {ConfigError} with the text of `defid` if the totals of swaps lack some
 */
export function requireSwapTotals(state: StateView): void {
  const tip = state.get(tips, TIP_KEY);
  const height = tip && state.get(headers, tip)?.height;
  if (height === undefined || !hasSwaps(state)) return;
  const keptTo = state.get(marks, 'swapTotals');
  // Earlier versions kept totals without the mark, and a snapshot has none.
  const isComplete = keptTo === undefined ? state.has(attributes, liveKey('dex')) : keptTo === height;
  if (!isComplete) throw new ConfigError('Live dex needs reindex. Please restart with -reindex or -reindex-chainstate to recover.');
}

function hasSwaps(state: StateView): boolean {
  for (const _ of state.entries(swapHistory)) return true;
  return false;
}

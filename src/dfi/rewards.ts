import type { NetworkParams } from '../params/network.js';
import type { WritableView } from '../storage/view.js';
import { settledHeights } from './state/accounts.js';

/** Up to where rewards are settled: what the block of `height` itself pays is not included. */
export interface SettledAt {
  readonly height: number;
  readonly params: NetworkParams;
}

/**
 * Brings the pool rewards of an owner up to a height, which also makes it one of the listed accounts. Called before a rule changes
 * a balance; the account history does not show it.
 * @see spec: accounts 5.1, defi 2.9
 */
export function settleRewards(view: WritableView, owner: Uint8Array, { height }: SettledAt): void {
  if ((view.get(settledHeights, owner) ?? 0) >= height) return;
  // Pools are not built yet, so nobody has earned anything.
  view.put(settledHeights, owner, height);
}

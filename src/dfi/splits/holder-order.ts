import { introsort } from '../../util/introsort.js';

/** Shares of an owner in a pool that is migrated. */
export interface Holder {
  readonly owner: Uint8Array;
  readonly shares: bigint;
}

/**
 * Holders by their shares, largest first. The order of holders with equal shares decides about the last satoshi, and is that of `std::sort`.
 * @see docs/protocol/defi.md 13, row 2
 */
export function largestFirst(holders: readonly Holder[]): readonly Holder[] {
  return introsort(holders, (a, b) => a.shares > b.shares);
}

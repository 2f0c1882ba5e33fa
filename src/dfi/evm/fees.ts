import type { Hash256 } from '../../primitives/hash.js';
import { NULL_HASH } from '../../primitives/hash.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { liveKey, storedTotals } from '../attributes/live-totals.js';
import type { EvmFees, EvmStats } from '../attributes/value.js';

const BLOCKS = liveKey('evm');

/** Statistics before the first block: the minimum is the largest number, the maximum the smallest. */
const NO_FEES: EvmFees = { total: 0n, min: 2n ** 63n - 1n, minHash: NULL_HASH, max: -(2n ** 63n), maxHash: NULL_HASH };

const NO_STATS: EvmStats = { burnt: NO_FEES, priority: NO_FEES };

/** Fee statistics of all EVM blocks, in satoshis. */
export function evmFees(view: StateView): EvmStats {
  return storedFees(view) ?? NO_STATS;
}

function storedFees(view: StateView): EvmStats | undefined {
  return valueAs(storedAttributes(view), BLOCKS, 'evm');
}

/**
 * Adds the fees of a block to the statistics. A block without fees changes them only if it is the first.
 * @param hash hash of the DVM block
 * @see docs/protocol/oracles-governance.md 4.9
 */
export function noteEvmFees(
  view: WritableView,
  { burnt, priority }: { readonly burnt: bigint; readonly priority: bigint },
  hash: Hash256,
): void {
  const known = storedFees(view);
  if (known && burnt === 0n && priority === 0n) return;
  const before = known ?? NO_STATS;
  const value = { burnt: counted(before.burnt, burnt, hash), priority: counted(before.priority, priority, hash) };
  storedTotals(view).set(BLOCKS, { kind: 'evm', value });
}

function counted(before: EvmFees, fee: bigint, hash: Hash256): EvmFees {
  return {
    total: BigInt.asIntN(64, before.total + fee),
    ...(fee !== 0n && before.min > fee ? { min: fee, minHash: hash } : { min: before.min, minHash: before.minHash }),
    ...(before.max < fee ? { max: fee, maxHash: hash } : { max: before.max, maxHash: before.maxHash }),
  };
}

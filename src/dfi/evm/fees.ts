import type { Hash256 } from '../../primitives/hash.js';
import { NULL_HASH } from '../../primitives/hash.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { liveKey, storedTotals } from '../attributes/live-totals.js';
import type { EvmFees, EvmStats } from '../attributes/value.js';

const BLOCKS = liveKey('evm');

/** Statistics before the first block: the minimum is the largest number, the maximum the smallest. */
const NO_FEES: EvmFees = { total: 0n, min: 2n ** 63n - 1n, minHash: NULL_HASH, max: -(2n ** 63n), maxHash: NULL_HASH };

/** Fee statistics of all EVM blocks, in satoshis. */
export function evmFees(view: StateView): EvmStats {
  return valueAs(storedAttributes(view), BLOCKS, 'evm') ?? { burnt: NO_FEES, priority: NO_FEES };
}

/** Adds the fees of a block to the statistics. @param hash hash of the DVM block @see docs/protocol/oracles-governance.md 4.9 */
export function noteEvmFees(
  view: WritableView,
  { burnt, priority }: { readonly burnt: bigint; readonly priority: bigint },
  hash: Hash256,
): void {
  const before = evmFees(view);
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

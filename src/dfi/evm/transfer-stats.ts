import type { StateView, WritableView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { liveKey, storedTotals } from '../attributes/live-totals.js';
import type { TransferStats } from '../attributes/value.js';
import type { Balances, TokenAmount } from '../kernel/amounts.js';
import { toBalances } from '../kernel/amounts.js';

const TRANSFERS = liveKey('transferdomain');

const NO_TRANSFERS: TransferStats = {
  dvmEvmTotal: [],
  evmDvmTotal: [],
  dvmIn: [],
  evmIn: [],
  dvmOut: [],
  evmOut: [],
  dvmCurrent: [],
  evmCurrent: [],
};

/** Totals that a transfer increases (1) or decreases (-1). */
type Signs = Partial<Record<keyof TransferStats, 1n | -1n>>;

const CHANGES = {
  'dvm-evm': { dvmEvmTotal: 1n, dvmOut: 1n, dvmCurrent: -1n, evmIn: 1n, evmCurrent: 1n },
  'evm-dvm': { evmOut: 1n, evmCurrent: -1n, evmDvmTotal: 1n, dvmIn: 1n, dvmCurrent: 1n },
} as const satisfies Record<string, Signs>;

/** Direction of a transfer, as attributes name it. */
export type TransferEdge = keyof typeof CHANGES;

/** Totals of all transfers so far, in satoshis. */
export function transferStats(view: StateView): TransferStats {
  return valueAs(storedAttributes(view), TRANSFERS, 'transfers') ?? NO_TRANSFERS;
}

/** Adds a transfer to the totals, which exist from then on even if its amount is 0. @see docs/protocol/evm.md 3.3 */
export function noteTransfer(view: WritableView, edge: TransferEdge, { tokenId, amount }: TokenAmount): void {
  const changed = Object.entries(CHANGES[edge]).map(([field, sign]) => {
    return [field, added(transferStats(view)[field as keyof TransferStats], { tokenId, amount: sign * amount })];
  });
  storedTotals(view).set(TRANSFERS, { kind: 'transfers', value: { ...transferStats(view), ...Object.fromEntries(changed) } });
}

/** Adds to a sum, which may become negative; a sum of 0 is kept. */
function added(before: Balances, { tokenId, amount }: TokenAmount): Balances {
  if (amount === 0n) return before;
  const sums = new Map(before.map((own) => [own.tokenId, own.amount]));
  return toBalances(sums.set(tokenId, BigInt.asIntN(64, (sums.get(tokenId) ?? 0n) + amount)));
}

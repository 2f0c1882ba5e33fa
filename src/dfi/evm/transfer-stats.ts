import type { StateView, WritableView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { liveKey, storedTotals } from '../attributes/live-totals.js';
import type { TransferStats } from '../attributes/value.js';
import type { Balances, TokenAmount } from '../kernel/amounts.js';
import { toBalances } from '../kernel/amounts.js';

const TRANSFERS = liveKey('e', 'r');

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

/** What a transfer adds to (1) or takes from (-1). */
type Signs = Partial<Record<keyof TransferStats, 1n | -1n>>;

const CHANGES = {
  'dvm-evm': { dvmEvmTotal: 1n, dvmOut: 1n, dvmCurrent: -1n, evmIn: 1n, evmCurrent: 1n },
  'evm-dvm': { evmOut: 1n, evmCurrent: -1n, evmDvmTotal: 1n, dvmIn: 1n, dvmCurrent: 1n },
} as const satisfies Record<string, Signs>;

/** From where to where something moves between the machines, as attributes call it. */
export type TransferEdge = keyof typeof CHANGES;

/** What moved between the machines so far. */
export function transferStats(view: StateView): TransferStats {
  return valueAs(storedAttributes(view), TRANSFERS, 'transfers') ?? NO_TRANSFERS;
}

/** Counts what moved; the statistics are there from then on, even if that was nothing. @see docs/protocol/evm.md 3.3 */
export function noteTransfer(view: WritableView, edge: TransferEdge, { tokenId, amount }: TokenAmount): void {
  const changed = Object.entries(CHANGES[edge]).map(([field, sign]) => {
    return [field, added(transferStats(view)[field as keyof TransferStats], { tokenId, amount: sign * amount })];
  });
  storedTotals(view).set(TRANSFERS, { form: 'transfers', value: { ...transferStats(view), ...Object.fromEntries(changed) } });
}

/** Sums may be below 0, and those that are 0 stay. */
function added(before: Balances, { tokenId, amount }: TokenAmount): Balances {
  if (amount === 0n) return before;
  const sums = new Map(before.map((own) => [own.tokenId, own.amount]));
  return toBalances(sums.set(tokenId, BigInt.asIntN(64, (sums.get(tokenId) ?? 0n) + amount)));
}

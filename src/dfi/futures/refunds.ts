import { type Hash256, NULL_HASH } from '../../primitives/hash.js';
import type { WritableView } from '../../storage/view.js';
import { valueAs } from '../attributes/attributes.js';
import type { LiveTotals } from '../attributes/live-totals.js';
import { attributeAt } from '../attributes/path.js';
import type { EventRecords } from '../context/event-records.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';
import { addToTotal, byAge, contractOf, deleteFuture, type FutureEntry, type FutureKind, listFutures, subFromTotal } from './columns.js';

/**
 * Refunds a future swap. The debit and the credit are two records of the history.
 * @param named transaction and height in the history; by default none and the block's
 * @throws {TxRejected}
 */
export function refundFuture(
  view: WritableView,
  kind: FutureKind,
  [key, { source }]: FutureEntry,
  records: EventRecords,
  named: { readonly txid?: Hash256; readonly height?: number } = {},
): void {
  const writer = { category: categoryByte(EVENT_TYPES.futureRefund), txid: NULL_HASH, ...named };
  records.change(view, writer, (accounts) => accounts.sub(contractOf(kind), source));
  records.change(view, writer, (accounts) => accounts.add(key.owner, source));
}

/**
 * Cancels and refunds waiting swaps of a kind. No-op if futures never had a period.
 * @param only restricts to swaps from or to one token, by default all; `height` is the one shown in the history, by default the block's
 * @throws {TxRejected}
 * @see docs/protocol/oracles-governance.md 6.4
 */
export function refundFutures(
  view: WritableView,
  totals: LiveTotals,
  kind: FutureKind,
  records: EventRecords,
  only: { readonly tokenId?: number; readonly height?: number } = {},
): void {
  const { tokenId, ...shownAt } = only;
  const period = valueAs(totals, attributeAt(`v0/params/${kind}/block_period`), 'amount') ?? 0n;
  if (period === 0n) return;
  const isSelected = ([, { source, destination }]: FutureEntry) =>
    tokenId === undefined || source.tokenId === tokenId || destination === tokenId;
  for (const entry of listFutures(view, kind).filter(isSelected).sort(byAge)) {
    deleteFuture(view, kind, entry[0]);
    refundFuture(view, kind, entry, records, shownAt);
    subFromTotal(totals, kind, 'current', entry[1].source);
  }
  // Creates the total even if no swap was waiting.
  addToTotal(totals, kind, 'current', []);
}

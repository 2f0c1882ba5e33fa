import { auctionBatches, auctionBids } from '../auctions/columns.js';
import { toBalances } from '../kernel/amounts.js';
import type { SplitContext, Succession } from './context.js';
import { convert } from './multiplier.js';

/** Converts collateral, loans and bids of open auctions from the old token to the new one. @see docs/protocol/defi.md 9.4 */
export function convertAuctions({ view, split }: SplitContext, { oldId, newId }: Succession): void {
  for (const [key, batch] of [...view.entries(auctionBatches)]) {
    const { loan, loanInterest } = batch;
    const collaterals = new Map(batch.collaterals.map(({ tokenId, amount }) => [tokenId, amount]));
    const held = collaterals.get(oldId);
    if (loan.tokenId !== oldId && held === undefined) continue;
    if (held !== undefined) collaterals.set(newId, convert(split.multiplier, held));
    collaterals.delete(oldId);
    const converted =
      loan.tokenId === oldId
        ? {
            loan: { tokenId: newId, amount: convert(split.multiplier, loan.amount) },
            loanInterest: convert(split.multiplier, loanInterest),
          }
        : { loan, loanInterest };
    view.put(auctionBatches, key, { ...converted, collaterals: toBalances(collaterals) });
  }
  for (const [key, { owner, amount }] of [...view.entries(auctionBids)]) {
    if (amount.tokenId !== oldId) continue;
    view.put(auctionBids, key, { owner, amount: { tokenId: newId, amount: convert(split.multiplier, amount.amount) } });
  }
}

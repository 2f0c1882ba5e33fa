import { type Child, card, facts, section, table } from '../dom.js';
import { amount } from '../format.js';
import { type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { listPage, tokenAmounts, tree, vaultLink } from './parts.js';

export const auctions: View = {
  title: 'Auctions',
  live: true,
  async render({ node }, route) {
    const { rows, next } = await listPage(node, route, { path: 'auctions' });
    if (rows.length === 0) return card(table([], []));
    const shown = rows.map((each) =>
      section(`Vault ${textOf(each.vaultId).slice(0, 8)}`, vaultLink(textOf(each.vaultId)), auctionParts(each)),
    );
    return [shown, next];
  },
};

/** End, penalty and batches of the auction of a vault. */
export function auctionParts({ liquidationHeight, liquidationPenalty, batches }: JsonRecord): Child {
  const ends = facts([
    ['Ends at height', amount(textOf(liquidationHeight))],
    ['Penalty', `${amount(textOf(liquidationPenalty))} %`],
  ]);
  const rows = listOf(batches)
    .map(recordOf)
    .map(({ index, collaterals, loan, highestBid }) => [
      textOf(index),
      tokenAmounts(collaterals),
      tokenAmounts([loan ?? '']),
      tree(highestBid),
    ]);
  return [ends, table(['Batch#', 'Collaterals', 'Loan', 'Highest bid'], rows)];
}

import { card, table } from '../dom.js';
import { age, amount } from '../format.js';
import { recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { listPage, tree, txLink } from './parts.js';

const ENTRY_HEADINGS = ['Transaction', 'Age', 'Fee#', 'Virtual size#', 'Ancestors#', 'Descendants#'];

export const mempool: View = {
  title: 'Mempool',
  live: true,
  async render({ node, now }, route) {
    const list = { path: 'mempool/transactions', query: { verbose: 'true' } };
    const [info, { entries, next }] = await Promise.all([node.call('getmempoolinfo'), listPage(node, route, list)]);
    const rows = entries.map(([txid, entry]) => [
      txLink(txid),
      age(textOf(entry.time), now()),
      amount(textOf(entry.fee)),
      textOf(entry.vsize),
      textOf(entry.ancestorcount),
      textOf(entry.descendantcount),
    ]);
    return card(tree(recordOf(info)), table(ENTRY_HEADINGS, rows), next);
  },
};

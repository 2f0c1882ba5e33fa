import { h, section, table } from '../dom.js';
import { age, amount } from '../format.js';
import { recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { tree, txLink } from './parts.js';

const ENTRY_HEADINGS = ['Transaction', 'Age', 'Fee#', 'Virtual size#', 'Ancestors#', 'Descendants#'];
const MAX_ENTRIES = 500;

export const mempool: View = {
  title: 'Mempool',
  live: true,
  async render({ node, now }) {
    const [info, entries] = await node.callAll([['getmempoolinfo'], ['getrawmempool', true]]);
    const all = Object.entries(recordOf(entries)).map(([txid, entry]) => [txid, recordOf(entry)] as const);
    const newest = all.sort(([, a], [, b]) => Number(textOf(b.time)) - Number(textOf(a.time))).slice(0, MAX_ENTRIES);
    const rows = newest.map(([txid, entry]) => [
      txLink(txid),
      age(textOf(entry.time), now()),
      amount(textOf(entry.fee)),
      textOf(entry.vsize),
      textOf(entry.ancestorcount),
      textOf(entry.descendantcount),
    ]);
    const cut = all.length > MAX_ENTRIES && h('p', {}, `The newest ${MAX_ENTRIES} of ${all.length}.`);
    return section('Mempool', tree(recordOf(info)), table(ENTRY_HEADINGS, rows), cut);
  },
};

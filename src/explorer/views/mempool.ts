import { type Child, card, facts, section, table } from '../dom.js';
import { age, amount, size } from '../format.js';
import { type JsonRecord, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { listPage, txLink } from './parts.js';

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
    return [card(summary(recordOf(info))), section('Transactions by txid', table(ENTRY_HEADINGS, rows), next)];
  },
};

function summary(info: JsonRecord): Child {
  const [bytes, usage, most] = [info.bytes, info.usage, info.maxmempool].map((each) => size(Number(textOf(each))));
  return facts([
    ['Transactions', amount(textOf(info.size))],
    ['Size', bytes],
    ['Memory', `${usage} of ${most}`],
    ['Least fee', `${amount(textOf(info.mempoolminfee))} DFI per kB`],
  ]);
}

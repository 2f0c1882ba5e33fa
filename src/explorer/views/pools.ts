import { type Child, card, link, table, userText } from '../dom.js';
import { amount, percent } from '../format.js';
import { type JsonRecord, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { listPage, tokenAmounts, tree } from './parts.js';

const POOL_HEADINGS = ['Id#', 'Pair', 'Reserves#', 'Price#', 'Commission#', 'Shares#', 'Swaps'];

export const pools: View = {
  title: 'Pools',
  live: true,
  async render({ node }, route) {
    const { entries, next } = await listPage(node, route, { path: 'pools' });
    const rows = entries.map(([id, pool]) => poolRow(id, pool));
    return card(table(POOL_HEADINGS, rows), next);
  },
};

function poolRow(id: string, pool: JsonRecord): Child[] {
  const [a = '', b = ''] = textOf(pool.symbol).split('-', 2);
  return [
    id,
    link(routeTo('pool', id), userText(textOf(pool.symbol))),
    tokenAmounts([`${textOf(pool.reserveA)}@${a}`, `${textOf(pool.reserveB)}@${b}`]),
    tokenAmounts([`${textOf(pool['reserveB/reserveA'])}@${b}`]),
    percent(Number(textOf(pool.commission))),
    amount(textOf(pool.totalLiquidity)),
    pool.tradeEnabled === true ? 'possible' : 'not possible',
  ];
}

export const pool: View = {
  title: 'Pool',
  live: true,
  async render({ node, entitle }, { argument }) {
    const [[id, found] = ['', null]] = Object.entries(recordOf(await node.call('getpoolpair', argument)));
    entitle('Pool', textOf(recordOf(found).symbol));
    return card(tree({ id, ...recordOf(found) }));
  },
};

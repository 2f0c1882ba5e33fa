import { type Child, h, link, section, table } from '../dom.js';
import { amount, percent } from '../format.js';
import { type JsonRecord, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { listPage, tree } from './parts.js';

const POOL_HEADINGS = ['Id#', 'Pair', 'Reserves#', 'Price#', 'Commission#', 'Shares#', 'Swaps'];

export const pools: View = {
  title: 'Pools',
  live: true,
  async render({ node }, route) {
    const { entries, next } = await listPage(node, route, { path: 'pools' });
    const rows = entries.map(([id, pool]) => poolRow(id, pool));
    return section('Pools', table(POOL_HEADINGS, rows), next);
  },
};

function poolRow(id: string, pool: JsonRecord): Child[] {
  const [a = '', b = ''] = textOf(pool.symbol).split('-', 2);
  return [
    id,
    link(routeTo('pool', id), textOf(pool.symbol)),
    [h('div', {}, `${amount(textOf(pool.reserveA))} ${a}`), h('div', {}, `${amount(textOf(pool.reserveB))} ${b}`)],
    `${amount(textOf(pool['reserveB/reserveA']))} ${b}`,
    percent(Number(textOf(pool.commission))),
    amount(textOf(pool.totalLiquidity)),
    pool.tradeEnabled === true ? 'possible' : 'not possible',
  ];
}

export const pool: View = {
  title: 'Pool',
  live: true,
  async render({ node }, { argument }) {
    const [[id, found] = ['', null]] = Object.entries(recordOf(await node.call('getpoolpair', argument)));
    return section(`Pool ${textOf(recordOf(found).symbol)}`, tree({ id, ...recordOf(found) }));
  },
};

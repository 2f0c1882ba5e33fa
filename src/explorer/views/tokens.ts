import { type Child, h, link, section, table } from '../dom.js';
import { amount, percent } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { nextPage, pageOptions, tree } from './parts.js';

export const tokens: View = {
  title: 'Tokens',
  async render({ node }, { query }) {
    const found = Object.entries(recordOf(await node.call('listtokens', pageOptions(query, true), true)));
    const rows = found.map(([id, token]) => tokenRow(id, recordOf(token)));
    return section(
      'Tokens',
      table(['Id#', 'Symbol', 'Name', 'Kind', 'Minted#'], rows),
      nextPage('tokens', found.length, found.at(-1)?.[0]),
    );
  },
};

function tokenRow(id: string, token: JsonRecord): Child[] {
  const kinds = [token.isDAT === true && 'asset', token.isLPS === true && 'pool share', token.isLoanToken === true && 'loan token'];
  const kind = kinds.filter((each) => each !== false).join(', ');
  return [id, link(routeTo('token', id), textOf(token.symbolKey)), textOf(token.name), kind, amount(textOf(token.minted))];
}

export const token: View = {
  title: 'Token',
  async render({ node }, { argument }) {
    const [[id, found] = ['', null]] = Object.entries(recordOf(await node.call('gettoken', argument)));
    const symbol = textOf(recordOf(found).symbolKey);
    return [
      section(`Token ${symbol}`, tree({ id, ...recordOf(found) })),
      recordOf(found).isLPS === true && h('p', {}, link(routeTo('pool', id), 'Its pool')),
    ];
  },
};

const POOL_HEADINGS = ['Id#', 'Pair', 'Reserves#', 'Price#', 'Commission#', 'Shares#', 'Swaps'];

export const pools: View = {
  title: 'Pools',
  live: true,
  async render({ node }, { query }) {
    const found = Object.entries(recordOf(await node.call('listpoolpairs', pageOptions(query, true), true)));
    const rows = found.map(([id, pool]) => poolRow(id, recordOf(pool)));
    return section('Pools', table(POOL_HEADINGS, rows), nextPage('pools', found.length, found.at(-1)?.[0]));
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

const PRICE_HEADINGS = ['Pair', 'Price#', 'State'];
const INTERVAL_HEADINGS = ['Pair', 'Now#', 'Next#', 'State'];

export const prices: View = {
  title: 'Prices',
  live: true,
  async render({ node }) {
    const [current, fixed, oracles] = await node.callAll([
      ['listprices', {}],
      ['listfixedintervalprices', {}],
      ['listoracles', {}],
    ]);
    const ids = listOf(oracles).map(textOf);
    const known = await node.callAll(ids.map((id) => ['getoracledata', id]));
    return [
      section('Prices', table(PRICE_HEADINGS, listOf(current).map(recordOf).map(priceRow))),
      section('Prices of loans', table(INTERVAL_HEADINGS, listOf(fixed).map(recordOf).map(intervalRow))),
      ...known.map((each, i) => oracleSection(ids[i] ?? '', recordOf(each))),
    ];
  },
};

function priceRow({ token: symbol, currency, price, ok }: JsonRecord): Child[] {
  return [`${textOf(symbol)}/${textOf(currency)}`, amount(textOf(price)), ok === true ? 'valid' : textOf(ok)];
}

function intervalRow({ priceFeedId, activePrice, nextPrice, isLive }: JsonRecord): Child[] {
  return [textOf(priceFeedId), amount(textOf(activePrice)), amount(textOf(nextPrice)), isLive === true ? 'valid' : 'not valid'];
}

function oracleSection(id: string, { weightage, tokenPrices }: JsonRecord): Child {
  const rows = listOf(tokenPrices)
    .map((each: Json) => recordOf(each))
    .map(({ token: symbol, currency, amount: price }) => [`${textOf(symbol)}/${textOf(currency)}`, amount(textOf(price))]);
  return section(`Oracle ${id.slice(0, 8)}, weight ${textOf(weightage)}`, table(['Pair', 'Report#'], rows));
}

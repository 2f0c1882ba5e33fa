import { type Child, section, table, userText } from '../dom.js';
import { amount } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { listPage } from './parts.js';

const PRICE_HEADINGS = ['Pair', 'Price#', 'State'];
const INTERVAL_HEADINGS = ['Pair', 'Now#', 'Next#', 'State'];

export const prices: View = {
  title: 'Prices',
  live: true,
  async render({ node }, route) {
    const [current, fixed, oracles] = await Promise.all([
      listPage(node, route, { path: 'prices' }),
      listPage(node, route, { path: 'fixed-interval-prices', cursor: 'loans' }),
      listPage(node, route, { path: 'oracles', cursor: 'oracles' }),
    ]);
    const ids = listOf(oracles.items).map(textOf);
    const known = await node.callAll(ids.map((id) => ['getoracledata', id]));
    return [
      section('Averages of the oracles', table(PRICE_HEADINGS, current.rows.map(priceRow)), current.next),
      section('Prices of loans', table(INTERVAL_HEADINGS, fixed.rows.map(intervalRow)), fixed.next),
      ...known.map((each, i) => oracleSection(ids[i] ?? '', recordOf(each))),
      oracles.next,
    ];
  },
};

function priceRow({ token: symbol, currency, price, ok }: JsonRecord): Child[] {
  return [userText(`${textOf(symbol)}/${textOf(currency)}`), amount(textOf(price)), ok === true ? 'valid' : textOf(ok)];
}

function intervalRow({ priceFeedId, activePrice, nextPrice, isLive }: JsonRecord): Child[] {
  return [userText(textOf(priceFeedId)), amount(textOf(activePrice)), amount(textOf(nextPrice)), isLive === true ? 'valid' : 'not valid'];
}

function oracleSection(id: string, { weightage, tokenPrices }: JsonRecord): Child {
  const rows = listOf(tokenPrices)
    .map((each: Json) => recordOf(each))
    .map(({ token: symbol, currency, amount: price }) => [userText(`${textOf(symbol)}/${textOf(currency)}`), amount(textOf(price))]);
  return section(`Oracle ${id.slice(0, 8)}, weight ${textOf(weightage)}`, table(['Pair', 'Report#'], rows));
}

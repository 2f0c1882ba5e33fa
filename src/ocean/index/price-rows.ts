import { setLoanToken } from '../../dfi/loan-tokens/transactions.js';
import { defaultPriceInterval } from '../../dfi/oracles/fixed-prices.js';
import type { AnyColumn } from '../../storage/view.js';
import { activePrices, advanceActivePrice, advanceActivePrices } from './active-prices.js';
import { messageOf } from './indexed-block.js';
import { addToIntervals, intervalPrices, newestIntervals } from './interval-prices.js';
import { addReports, addTerms, indexedOracles, oraclesOfPair, reports } from './oracles.js';
import { addPrice, aggregatedPrices, tickers } from './prices.js';
import type { AddRows } from './rows.js';

/** Columns of oracles and prices. */
export const priceColumns: readonly AnyColumn[] = [
  indexedOracles,
  oraclesOfPair,
  reports,
  aggregatedPrices,
  tickers,
  intervalPrices,
  newestIntervals,
  activePrices,
];

/**
 * Oracles, their reports and the prices that follow from them. One part, because each report is joined with the state after the
 * transactions before it.
 * @see docs/protocol/ocean.md 4.4
 */
export const addPriceRows: AddRows = (view, block) => {
  for (const applied of block.customTxs) {
    addTerms(view, block, applied);
    for (const pair of addReports(view, block, applied)) {
      const price = addPrice(view, block, pair);
      if (price) addToIntervals(view, block, pair, price);
    }
    const loanToken = messageOf(setLoanToken, applied);
    if (loanToken) advanceActivePrice(view, block, loanToken.pair);
  }
  if (block.entry.height % defaultPriceInterval(block.params) === 0) advanceActivePrices(view, block);
};

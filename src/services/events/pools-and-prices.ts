import type { Reserves } from '../../../gen/ts/dfi/events/v1/events.js';
import { readableText } from '../../dfi/kernel/text.js';
import { isSamePair, oracles, type ReportedPrice } from '../../dfi/oracles/columns.js';
import { fixedPrices } from '../../dfi/oracles/fixed-prices.js';
import { type PoolHoldings, poolHoldings } from '../../dfi/pools/columns.js';
import { tokenBySymbol } from '../../dfi/tokens/columns.js';
import { formatHash } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { type FoundEvent, observed } from './observed.js';

/** Reserves and shares of pools. Commissions change with most swaps and are left out. */
export const poolEvents = observed(poolHoldings, ({ key, before, after }) => {
  const body = { pool: { poolId: key, before: before && reserves(before), after: after && reserves(after) } };
  return [{ kind: 'pool', body, pool: key }];
});

function reserves({ reserveA, reserveB, totalLiquidity }: PoolHoldings): Reserves {
  return { reserveA, reserveB, totalLiquidity };
}

/** Fixed interval prices. */
export const priceEvents = observed(fixedPrices, ({ key, before, after }, { state }) => {
  const price = {
    token: readableText(key.token),
    currency: readableText(key.currency),
    before: before?.active,
    after: after?.active,
    next: after && after.next >= 0n ? after.next : undefined,
  };
  return [{ kind: 'price', body: { price }, tokens: tokensNamed(state, key.token) }];
});

function tokensNamed(state: StateView, symbol: string): number[] {
  const id = tokenBySymbol(state, symbol)?.id;
  return id === undefined ? [] : [id];
}

/** Prices that oracles report. */
export const oracleEvents = observed(oracles, ({ key, before, after }, { state }) => {
  const [old, now] = [before?.prices ?? [], after?.prices ?? []];
  const dropped = old.filter((price) => !now.some((each) => isSamePair(each, price)));
  const reported = now.filter((price) => !old.some((each) => isSameReport(each, price)));
  return [...dropped, ...reported].map(({ token, currency, timestamp }): FoundEvent => {
    const of = (prices: readonly ReportedPrice[]) => prices.find((each) => isSamePair(each, { token, currency }))?.price;
    const pair = { token: readableText(token), currency: readableText(currency) };
    const oracle = { oracleId: formatHash(key), ...pair, before: of(old), after: of(now), timestamp };
    return { kind: 'oracle', body: { oracle }, tokens: tokensNamed(state, token) };
  });
});

function isSameReport(a: ReportedPrice, b: ReportedPrice): boolean {
  return isSamePair(a, b) && a.price === b.price && a.timestamp === b.timestamp;
}

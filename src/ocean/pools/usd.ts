import type { Results } from '../node/tip-cache.js';
import type { KnownTokens } from '../shapes/known-tokens.js';
import type { Pool, PoolSide } from '../shapes/pool.js';
import { Decimal } from './decimal.js';

const DFI_ID = '0';
/** Symbols of tokens that are worth a dollar here. */
const DOLLARS = new Set(['DUSD', 'USDT', 'USDC']);
const ONE = new Decimal(1n, 0);

/** Pools by symbol. If several have the same symbol, the pool with the lowest id. */
export type PoolsBySymbol = ReadonlyMap<string, Pool>;

/** Values from which prices follow. */
export interface PriceBasis {
  readonly tokens: KnownTokens;
  readonly bySymbol: PoolsBySymbol;
  /** Undefined if no pool has a price. */
  readonly usdPerDfi: Decimal | undefined;
  /** USDT that one coin of each token gives, satoshis by token id; undefined if there is no USDT. */
  readonly usdtReturns: ReadonlyMap<string, bigint> | undefined;
}

/**
 * Price of DFI in USD, by the reserves of its pools with USDT and USDC.
 * @returns undefined if they have none
 * @see docs/protocol/ocean.md 3.1.1
 */
export function usdPerDfi(bySymbol: PoolsBySymbol): Decimal | undefined {
  const pools = [poolOfPair(bySymbol, 'DFI', 'USDT'), poolOfPair(bySymbol, 'DFI', 'USDC')].filter((pool) => pool !== undefined);
  const sides = pools.map(({ a, b }) => (a.tokenId === DFI_ID ? { dfi: a, usd: b } : { dfi: b, usd: a }));
  const dfi = sides.reduce((sum, side) => sum + side.dfi.reserve, 0n);
  const usd = sides.reduce((sum, side) => sum + side.usd.reserve, 0n);
  return usd === 0n || dfi === 0n ? undefined : Decimal.ofAmount(usd).dividedBy(Decimal.ofAmount(dfi));
}

/** Value of the reserves of a pool in USD; undefined if there is no price. @see docs/protocol/ocean.md 3.1.2 */
export function liquidityUsd({ a, b }: Pool, prices: Pick<PriceBasis, 'usdPerDfi' | 'usdtReturns'>): Decimal | undefined {
  const dollars = [a, b].find(({ symbol }) => DOLLARS.has(symbol));
  if (dollars) return Decimal.ofAmount(2n * dollars.reserve);
  if (!prices.usdPerDfi) return undefined;
  const dfi = [a, b].find(({ symbol }) => symbol === 'DFI');
  if (dfi) return prices.usdPerDfi.times(Decimal.ofAmount(2n * dfi.reserve));
  const { usdtReturns } = prices;
  if (!usdtReturns) return undefined;
  const worth = ({ tokenId, reserve }: PoolSide) => Decimal.ofAmount(usdtReturns.get(tokenId) ?? 0n).times(Decimal.ofAmount(reserve));
  return worth(a).plus(worth(b));
}

/** Sum of the values of all pools in USD, computed once for each state of the pools. */
export function totalLiquidityUsd(market: PriceBasis & { readonly pools: readonly Pool[]; readonly results: Results }): Promise<Decimal> {
  return market.results.get('liquidity of all pools', async () =>
    market.pools.reduce((sum, pool) => sum.plus(liquidityUsd(pool, market) ?? Decimal.ZERO), Decimal.ZERO),
  );
}

/** Price of a token in USD, by its pool with DUSD or with DFI; 0 without one. @see docs/protocol/ocean.md 3.1.3 */
export function tokenUsd({ tokens, bySymbol, usdPerDfi: dfiPrice }: PriceBasis, tokenId: number): Decimal {
  const symbol = tokens.get(String(tokenId))?.get('symbol').text();
  if (symbol === undefined) return Decimal.ZERO;
  if (DOLLARS.has(symbol)) return ONE;
  const withDusd = poolOfPair(bySymbol, symbol, 'DUSD');
  if (withDusd) return priceIn(withDusd, 'DUSD');
  const withDfi = poolOfPair(bySymbol, symbol, 'DFI');
  return withDfi && dfiPrice ? priceIn(withDfi, 'DFI').times(dfiPrice) : Decimal.ZERO;
}

/** Price of the other token of a pool in the token of that symbol; 0 for an empty pool. */
function priceIn({ a, b }: Pool, symbol: string): Decimal {
  const [paid, other] = a.symbol === symbol ? [a, b] : [b, a];
  return other.reserve === 0n ? Decimal.ZERO : Decimal.ofAmount(paid.reserve).dividedBy(Decimal.ofAmount(other.reserve));
}

function poolOfPair(bySymbol: PoolsBySymbol, first: string, second: string): Pool | undefined {
  return bySymbol.get(`${first}-${second}`) ?? bySymbol.get(`${second}-${first}`);
}

import type { Reader } from '../api/json.js';
import type { KnownTokens } from './known-tokens.js';
import { plain } from './numbers.js';
import { displayedDat, displayedPair } from './token.js';

/** One of the two tokens of a pool. */
export interface PoolSide {
  readonly tokenId: string;
  /** Half of the symbol of the pool, which may differ from the token's; that of the token if the symbol of the pool has no halves. */
  readonly symbol: string;
  /** Satoshis. */
  readonly reserve: bigint;
  /** Fees on what is swapped in and out, scaled by COIN; undefined if the pool charges none. */
  readonly feeIn: bigint | undefined;
  readonly feeOut: bigint | undefined;
}

/** A pool at the tip, read from the answer of `listpoolpairs`. */
export interface Pool {
  readonly id: string;
  readonly symbol: string;
  /** False if swaps are disabled. */
  readonly status: boolean;
  readonly a: PoolSide;
  readonly b: PoolSide;
  /** Reserve of token A for one of token B, and the reverse, scaled by COIN and rounded down; 0 for an empty pool. */
  readonly ab: bigint;
  readonly ba: bigint;
  /** Part of what is swapped in, scaled by COIN. */
  readonly commission: bigint;
  readonly creationHeight: number;
  readonly answer: Reader;
}

/** @param answer element of `listpoolpairs`, verbose @param tokens with those of the pool */
export function poolOf(id: string, answer: Reader, tokens: KnownTokens): Pool {
  const symbol = answer.get('symbol').text();
  const [symbolA, symbolB] = halvesOf(symbol) ?? ['A', 'B'].map((side) => symbolOf(tokens, answer.get(`idToken${side}`).text()));
  return {
    id,
    symbol,
    status: answer.get('status').flag(),
    a: sideOf(answer, 'A', symbolA),
    b: sideOf(answer, 'B', symbolB),
    ab: scaled(answer.get('reserveA/reserveB')),
    ba: scaled(answer.get('reserveB/reserveA')),
    commission: scaled(answer.get('commission')),
    creationHeight: answer.get('creationHeight').number(),
    answer,
  };
}

/** Halves of the symbol of a pool; undefined for one that its creator chose. */
function halvesOf(symbol: string): string[] | undefined {
  const halves = symbol.split('-');
  return halves.length === 2 && !halves.includes('') ? halves : undefined;
}

function symbolOf(tokens: KnownTokens, tokenId: string): string | undefined {
  return tokens.get(tokenId)?.get('symbol').text();
}

function sideOf(answer: Reader, side: 'A' | 'B', symbol = ''): PoolSide {
  const feeOf = (name: string) => (answer.get(name).isThere ? scaled(answer.get(name)) : undefined);
  return {
    tokenId: answer.get(`idToken${side}`).text(),
    symbol,
    reserve: scaled(answer.get(`reserve${side}`)),
    feeIn: feeOf(`dexFeeInPctToken${side}`),
    feeOut: feeOf(`dexFeeOutPctToken${side}`),
  };
}

/** Units of a number with eight decimals, or of a text such as `0`. Reserves may exceed what amounts of operations are limited to. */
function scaled(value: Reader): bigint {
  const [whole = '', fraction = ''] = value.digits().split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
}

/** Computed properties of a pool. */
export interface PoolFigures {
  /** Value of the reserves in USD, all digits; undefined if there is no price. */
  readonly liquidityUsd: string | undefined;
  /** Yearly yields, 1 = 100 %; undefined if there is no price. */
  readonly apr: { readonly total: number; readonly reward: number; readonly commission: number } | undefined;
  /** Swapped in the last day and in the last 30 days, USD. */
  readonly volume: { readonly h24: number; readonly d30: number };
}

/** Pool with all properties. @see docs/protocol/ocean.md 2.15 */
export function poolData(pool: Pool, tokens: KnownTokens, { liquidityUsd, apr, volume }: PoolFigures) {
  const { id, symbol, status, answer } = pool;
  const customRewards = answer.get('customRewards');
  return {
    id,
    symbol,
    displaySymbol: displayedPair(symbol),
    name: answer.get('name').text(),
    status,
    tokenA: sideData(pool, 'A', tokens),
    tokenB: sideData(pool, 'B', tokens),
    priceRatio: { ab: plainOf(answer.get('reserveA/reserveB')), ba: plainOf(answer.get('reserveB/reserveA')) },
    commission: plainOf(answer.get('commission')),
    totalLiquidity: { token: plainOf(answer.get('totalLiquidity')), usd: liquidityUsd },
    tradeEnabled: answer.get('tradeEnabled').flag(),
    ownerAddress: answer.get('ownerAddress').text(),
    rewardPct: plainOf(answer.get('rewardPct')),
    rewardLoanPct: plainOf(answer.get('rewardLoanPct')),
    customRewards: customRewards.isThere ? customRewards.list().map((each) => each.text()) : undefined,
    creation: { tx: answer.get('creationTx').text(), height: pool.creationHeight },
    apr,
    volume,
  };
}

function sideData({ answer, a, b }: Pool, side: 'A' | 'B', tokens: KnownTokens) {
  const { tokenId, symbol } = side === 'A' ? a : b;
  const fee = answer.get(`dexFeePctToken${side}`);
  const shown = (name: string) => (answer.get(name).isThere ? plainOf(answer.get(name)) : undefined);
  return {
    id: tokenId,
    name: tokens.get(tokenId)?.get('name').text() ?? '',
    symbol,
    displaySymbol: displayedDat(symbol),
    reserve: plainOf(answer.get(`reserve${side}`)),
    blockCommission: plainOf(answer.get(`blockCommission${side}`)),
    fee: fee.isThere
      ? { pct: plainOf(fee), inPct: shown(`dexFeeInPctToken${side}`), outPct: shown(`dexFeeOutPctToken${side}`) }
      : undefined,
  };
}

function plainOf(value: Reader): string {
  return plain(value.digits());
}

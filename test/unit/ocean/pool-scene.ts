import { Reader } from '../../../src/ocean/api/json.js';
import { type Pool, poolOf } from '../../../src/ocean/shapes/pool.js';
import { parseJson } from '../../../src/util/json.js';

/** JSON texts of members by name. */
type Members = Readonly<Record<string, string>>;

/** Tokens, reserves and prices of a pool, with eight decimals as operations show them. */
export interface ScenePool {
  /** Ids of the tokens. */
  readonly tokens: readonly [string, string];
  readonly symbol: string;
  readonly reserves: readonly [string, string];
  /** Reserve of token A for one of B, and the reverse. */
  readonly prices: readonly [string, string];
  /** Other members of the answer. */
  readonly more?: Members;
}

/** An object of members. */
export function objectText(members: Members): string {
  return `{${Object.entries(members)
    .map(([name, text]) => `"${name}":${text}`)
    .join(',')}}`;
}

/** Element of the answer of `listpoolpairs`, verbose. */
export function poolText({ tokens, symbol, reserves, prices, more }: ScenePool): string {
  return objectText({
    symbol: `"${symbol}"`,
    name: `"Pool ${symbol}"`,
    status: 'true',
    idTokenA: `"${tokens[0]}"`,
    idTokenB: `"${tokens[1]}"`,
    reserveA: reserves[0],
    reserveB: reserves[1],
    commission: '0.00000000',
    totalLiquidity: '141.42135623',
    'reserveA/reserveB': prices[0],
    'reserveB/reserveA': prices[1],
    tradeEnabled: 'true',
    ownerAddress: '"mowner"',
    blockCommissionA: '0.00000000',
    blockCommissionB: '0.00000000',
    rewardPct: '0.00000000',
    rewardLoanPct: '0.00000000',
    creationTx: `"${'3'.repeat(64)}"`,
    creationHeight: '50',
    ...more,
  });
}

export function scenePool(id: string, scene: ScenePool): Pool {
  return poolOf(id, new Reader(parseJson(poolText(scene))), new Map());
}

/** Element of the answer of `listtokens`, verbose. */
export function tokenText(symbol: string, more: Members = {}): string {
  return objectText({
    symbol: `"${symbol}"`,
    symbolKey: `"${symbol}"`,
    name: `"Name of ${symbol}"`,
    tradeable: 'true',
    isDAT: 'true',
    isLPS: String(symbol.includes('-')),
    ...more,
  });
}

/** Pool of A and DFI, 100 to 200, and of USDT and DFI: the scene of the published client's tests. */
export const A_DFI: ScenePool = {
  tokens: ['1', '0'],
  symbol: 'A-DFI',
  reserves: ['100.00000000', '200.00000000'],
  prices: ['0.50000000', '2.00000000'],
};
export const USDT_DFI: ScenePool = {
  tokens: ['3', '0'],
  symbol: 'USDT-DFI',
  reserves: ['1000.00000000', '431.51288000'],
  prices: ['2.31742792', '0.43151288'],
};

export const TOKENS = objectText({
  0: tokenText('DFI'),
  1: tokenText('A'),
  2: tokenText('A-DFI'),
  3: tokenText('USDT'),
  4: tokenText('USDT-DFI'),
});
/** Answers of the operations that state pools and their rewards. */
export const POOL_ANSWERS = {
  listtokens: TOKENS,
  listpoolpairs: objectText({ 2: poolText(A_DFI), 4: poolText(USDT_DFI) }),
  getgov: (params: string) => (params.includes('SPLITS') ? '{"LP_LOAN_TOKEN_SPLITS":{}}' : '{"LP_DAILY_DFI_REWARD":0.00000000}'),
} as const;

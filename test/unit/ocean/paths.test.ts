import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolGraph } from '../../../src/ocean/pools/graph.js';
import { bestPath, pathsBetween, returnsTo } from '../../../src/ocean/pools/paths.js';
import type { Pool } from '../../../src/ocean/shapes/pool.js';
import { oceanNode } from './ask.js';
import { objectText, poolText, scenePool, tokenText } from './pool-scene.js';

/** Pool of two tokens named after their ids, with prices that no reserve contradicts. */
function poolOf(a: number, b: number, prices: readonly [string, string], more: Readonly<Record<string, string>> = {}) {
  return {
    tokens: [String(a), String(b)],
    symbol: `T${a}-T${b}`,
    reserves: ['1.00000000', '1.00000000'],
    prices,
    more: { commission: '0.02000000', ...more },
  } as const;
}

/** A (1), B (2) and C (3) with DFI (0); D (4) with C. E (5) has no pool, F (6) one that is off. */
const POOLS = {
  10: poolOf(1, 0, ['0.50000000', '2.00000000']),
  11: poolOf(2, 0, ['0.16666666', '6.00000000']),
  12: poolOf(3, 0, ['0.25000000', '4.00000000'], {
    dexFeeInPctTokenA: '0.05000000',
    dexFeeOutPctTokenA: '0.01000000',
    dexFeeInPctTokenB: '0.03000000',
    dexFeeOutPctTokenB: '0.14000000',
  }),
  13: poolOf(3, 4, ['2.00000000', '0.50000000'], { commission: '0.00000000' }),
  14: poolOf(6, 0, ['1.00000000', '1.00000000'], { status: 'false' }),
};

const ASK = oceanNode({
  listtokens: objectText({
    0: tokenText('DFI'),
    1: tokenText('A'),
    2: tokenText('B'),
    3: tokenText('C'),
    4: tokenText('D'),
    5: tokenText('E', { isDAT: 'false' }),
    6: tokenText('F'),
    7: tokenText('BURN'),
    8: tokenText('G', { tradeable: 'false' }),
    10: tokenText('A-DFI'),
  }),
  listpoolpairs: objectText(Object.fromEntries(Object.entries(POOLS).map(([id, pool]) => [id, poolText(pool)]))),
});

const DFI = { id: '0', name: 'Name of DFI', symbol: 'DFI', displaySymbol: 'DFI' };
const dat = (id: number, symbol: string) => ({ id: String(id), name: `Name of ${symbol}`, symbol, displaySymbol: `d${symbol}` });

async function dataOf<T>(path: string): Promise<T> {
  return (await ASK(path)).body.data as T;
}

test('Tokens can be swapped to all that a chain of pools connects, however long, in the order of the published client', async () => {
  assert.deepEqual(await dataOf('poolpairs/paths/swappable/4'), {
    fromToken: dat(4, 'D'),
    swappableTokens: [dat(1, 'A'), DFI, dat(3, 'C'), dat(2, 'B')],
  });
  assert.deepEqual(((await dataOf('poolpairs/paths/swappable/6')) as { swappableTokens: unknown }).swappableTokens, []);
  const unknown = await ASK('poolpairs/paths/swappable/99');
  assert.deepEqual([unknown.status, unknown.body.error?.message], [404, 'Unable to find token 99']);
});

test('A path lists its pools with prices and fees; the fee on token A is named after the price of B in A', async () => {
  const { fromToken, toToken, paths } = await dataOf<Record<string, unknown>>('poolpairs/paths/from/1/to/3');
  assert.deepEqual([fromToken, toToken], [dat(1, 'A'), dat(3, 'C')]);
  assert.deepEqual(paths, [
    [
      {
        poolPairId: '10',
        symbol: 'T1-T0',
        tokenA: dat(1, 'A'),
        tokenB: DFI,
        priceRatio: { ab: '0.50000000', ba: '2.00000000' },
        commissionFeeInPct: '0.02000000',
      },
      {
        poolPairId: '12',
        symbol: 'T3-T0',
        tokenA: dat(3, 'C'),
        tokenB: DFI,
        priceRatio: { ab: '0.25000000', ba: '4.00000000' },
        commissionFeeInPct: '0.02000000',
        // C leaves and DFI enters.
        estimatedDexFeesInPct: { ba: '0.01000000', ab: '0.03000000' },
      },
    ],
  ]);
  const [[back]] = (await dataOf<{ paths: [[{ estimatedDexFeesInPct: unknown }]] }>('poolpairs/paths/from/3/to/0')).paths;
  assert.deepEqual(back.estimatedDexFeesInPct, { ba: '0.05000000', ab: '0.14000000' });
});

test('The best path has its return with and without commissions and fees', async () => {
  const best = await dataOf<Record<string, unknown>>('poolpairs/paths/best/from/4/to/1');
  assert.deepEqual(
    (best.bestPath as { poolPairId: string }[]).map(({ poolPairId }) => poolPairId),
    ['13', '12', '10'],
  );
  // 2 C, 8 DFI, 4 A. Less: 2 C; * 0.98 * 0.95 * 4 * 0.86 = 6.40528 DFI; * 0.98 * 0.5.
  assert.deepEqual([best.estimatedReturn, best.estimatedReturnLessDexFees], ['4.00000000', '3.13858720']);
});

test('Between tokens without a path there is nothing, and equal or unknown tokens are refused', async () => {
  const {
    bestPath: path,
    estimatedReturn,
    estimatedReturnLessDexFees,
  } = await dataOf<Record<string, unknown>>('poolpairs/paths/best/from/1/to/5');
  assert.deepEqual([path, estimatedReturn, estimatedReturnLessDexFees], [[], '0', '0']);
  // Four pools would be needed.
  assert.deepEqual((await dataOf<{ paths: unknown }>('poolpairs/paths/from/5/to/1')).paths, []);
  const same = await ASK('poolpairs/paths/best/from/1/to/1');
  assert.deepEqual([same.status, same.body.error?.message], [400, 'Invalid tokens: fromToken must be different from toToken']);
  assert.equal((await ASK('poolpairs/paths/from/1/to/99')).body.error?.message, 'Unable to find token 99');
  assert.equal((await ASK('poolpairs/paths/from/A/to/1')).status, 400);
});

test('Prices of all tradeable tokens in one of them', async () => {
  const { denomination, dexPrices } = await dataOf<{ denomination: unknown; dexPrices: Record<string, { denominationPrice: string }> }>(
    'poolpairs/dexprices?denomination=DFI',
  );
  assert.deepEqual(denomination, DFI);
  assert.deepEqual(dexPrices, {
    A: { token: dat(1, 'A'), denominationPrice: '2.00000000' },
    B: { token: dat(2, 'B'), denominationPrice: '6.00000000' },
    C: { token: dat(3, 'C'), denominationPrice: '4.00000000' },
    D: { token: dat(4, 'D'), denominationPrice: '8.00000000' },
    F: { token: dat(6, 'F'), denominationPrice: '0' },
  });
});

test('Prices in an unknown token, and in one that is not tradeable, are refused', async () => {
  const unknown = await ASK('poolpairs/dexprices?denomination=XYZ');
  assert.deepEqual([unknown.status, unknown.body.error?.message], [404, "Could not find token with symbol 'XYZ'"]);
  for (const symbol of ['G', 'BURN', 'E', 'A-DFI']) {
    const refused = await ASK(`poolpairs/dexprices?denomination=${symbol}`);
    assert.deepEqual([refused.status, refused.body.error?.message], [400, `Token '${symbol}' is invalid as it is not tradeable`]);
  }
});

test('Of two pools with the same tokens the one with the lower id is used, and on mainnet not the one that burns', () => {
  const two = [scenePool('10', POOLS[10]), scenePool('48', { ...POOLS[10], prices: ['9.00000000', '9.00000000'] })];
  assert.equal(poolGraph(two, 'regtest').get('1')?.get('0')?.id, '10');
  assert.equal(poolGraph(two.slice(1), 'main').size, 0);
  assert.equal(poolGraph(two.slice(1), 'regtest').size, 2);
});

test('A longer path is never better than a pool of the two tokens', () => {
  const pools = [
    scenePool('1', poolOf(1, 2, ['1.00000000', '1.00000000'])),
    scenePool('2', poolOf(1, 3, ['1.00000000', '5.00000000'])),
    scenePool('3', poolOf(3, 2, ['1.00000000', '5.00000000'])),
    scenePool('4', poolOf(1, 4, ['1.00000000', '5.00000000'])),
  ];
  const graph = poolGraph(pools, 'regtest');
  const { path, gross, net } = bestPath(graph, '1', '2');
  assert.deepEqual([path.length, gross, net], [1, 100_000_000n, 98_000_000n]);
  // No path visits a token twice.
  const paths = pathsBetween(graph, '1', '2').map((each) => each.map(({ pool }) => pool.id));
  assert.deepEqual(paths, [['2', '3'], ['1']]);
});

test('Paths are in the order of the published client, which decides between equal ones', () => {
  const even = ['1.00000000', '1.00000000'] as const;
  const pairs = [
    [1, 2],
    [1, 3],
    [1, 10],
    [3, 2],
    [10, 2],
    [10, 3],
  ] as const;
  const graph = poolGraph(
    pairs.map(([a, b], i) => scenePool(String(i + 20), poolOf(a, b, even))),
    'regtest',
  );
  const idsOf = (path: readonly { readonly pool: Pool }[]) => path.map(({ pool }) => Number(pool.id));
  // At each token the one with the highest id is next, as a number.
  const ordered = [[22, 25, 23], [22, 24], [21, 25, 24], [21, 23], [20]];
  assert.deepEqual(pathsBetween(graph, '1', '2').map(idsOf), ordered);
  const tied = poolGraph(
    [
      scenePool('1', poolOf(1, 3, even)),
      scenePool('2', poolOf(1, 4, even)),
      scenePool('3', poolOf(3, 2, even)),
      scenePool('4', poolOf(4, 2, even)),
    ],
    'regtest',
  );
  assert.deepEqual(idsOf(bestPath(tied, '1', '2').path), [2, 4]);
});

test('The gross return of the best path may be that of another one', () => {
  const dear = { commission: '0.50000000' };
  const pools = [
    scenePool('1', poolOf(1, 3, ['1.00000000', '2.00000000'], dear)),
    scenePool('2', poolOf(3, 2, ['1.00000000', '1.00000001'], dear)),
    scenePool('3', poolOf(1, 4, ['1.00000000', '1.00000000'])),
    scenePool('4', poolOf(4, 2, ['1.00000000', '1.00000000'])),
  ];
  const { path, gross, net } = bestPath(poolGraph(pools, 'regtest'), '1', '2');
  assert.deepEqual([path.map(({ pool }) => pool.id), gross, net], [['3', '4'], 200_000_002n, 96_040_000n]);
});

test('A path that returns nothing is the best one while there is no other', () => {
  const graph = poolGraph([scenePool('1', poolOf(1, 2, ['0.00000000', '0.00000000']))], 'regtest');
  const { path, gross, net } = bestPath(graph, '1', '2');
  assert.deepEqual([path.map(({ pool }) => pool.id), gross, net], [['1'], 0n, 0n]);
});

test('Returns are rounded up', () => {
  const pools = [scenePool('1', poolOf(1, 3, ['3.00000000', '0.33333333'])), scenePool('2', poolOf(3, 2, ['3.00000000', '0.33333333']))];
  const graph = poolGraph(pools, 'regtest');
  // 0.1111111088888889, and 0.9604 of it.
  assert.deepEqual([bestPath(graph, '1', '2').gross, bestPath(graph, '1', '2').net], [11_111_111n, 10_671_111n]);
  assert.equal(returnsTo(graph, '2').get('1'), 11_111_111n);
});

/** Numbers below a bound that repeat with each run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test('Returns searched backwards are those of all paths', () => {
  const random = numbersFrom(7);
  let compared = 0;
  for (let scene = 0; scene < 20; scene++) {
    const pools: Pool[] = [];
    for (let id = 1; id <= 14; id++) {
      const a = random(9);
      const price = () => `${random(3)}.${String(random(100_000_000)).padStart(8, '0')}`;
      pools.push(scenePool(String(id), poolOf(a, (a + 1 + random(8)) % 9, [price(), price()])));
    }
    const graph = poolGraph(pools, 'regtest');
    for (let to = 0; to < 9; to++) {
      const returns = returnsTo(graph, String(to));
      for (let from = 0; from < 9; from++) {
        if (from === to) continue;
        assert.equal(returns.get(String(from)) ?? 0n, bestPath(graph, String(from), String(to)).gross, `${scene}: ${from} to ${to}`);
        compared += pathsBetween(graph, String(from), String(to)).length;
      }
    }
  }
  assert.ok(compared > 3000, `only ${compared} paths`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { swapBuckets, swapSums } from '../../../src/ocean/index/swaps.js';
import type { OceanModules } from '../../../src/ocean/modules.js';
import { TipCache } from '../../../src/ocean/node/tip-cache.js';
import { market } from '../../../src/ocean/pools/market.js';
import { tokenUsd, totalLiquidityUsd } from '../../../src/ocean/pools/usd.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { fakeOperations, oceanNode } from './ask.js';
import { A_DFI, objectText, POOL_ANSWERS, poolText, TOKENS, tokenText, USDT_DFI } from './pool-scene.js';

/** Pool as an answer shows it. */
interface Shown {
  readonly id: string;
  readonly apr?: unknown;
  readonly volume: unknown;
  readonly totalLiquidity: { readonly usd?: string };
}

const NO_SWAPS = { h24: 0, d30: 0 };

async function shownPool(ask: ReturnType<typeof oceanNode>, id: number): Promise<Shown> {
  return (await ask(`poolpairs/${id}`)).body.data as Shown;
}

test('A pool has the texts and numbers of the contract', async () => {
  const { data } = (await oceanNode(POOL_ANSWERS)('poolpairs/2')).body;
  assert.deepEqual(data, {
    id: '2',
    symbol: 'A-DFI',
    displaySymbol: 'dA-DFI',
    name: 'Pool A-DFI',
    status: true,
    tokenA: { id: '1', name: 'Name of A', symbol: 'A', displaySymbol: 'dA', reserve: '100', blockCommission: '0' },
    tokenB: { id: '0', name: 'Name of DFI', symbol: 'DFI', displaySymbol: 'DFI', reserve: '200', blockCommission: '0' },
    priceRatio: { ab: '0.5', ba: '2' },
    commission: '0',
    totalLiquidity: { token: '141.42135623', usd: '926.9711717527411928' },
    tradeEnabled: true,
    ownerAddress: 'mowner',
    rewardPct: '0',
    rewardLoanPct: '0',
    creation: { tx: '3'.repeat(64), height: 50 },
    apr: { total: 0, reward: 0, commission: 0 },
    volume: NO_SWAPS,
  });
});

test('A pool whose symbol was chosen by its creator has tokens by their own symbols', async () => {
  const ask = oceanNode({
    ...POOL_ANSWERS,
    listpoolpairs: objectText({ 2: poolText({ ...A_DFI, symbol: 'GOLD' }), 4: poolText(USDT_DFI) }),
  });
  const { displaySymbol, tokenA, tokenB, totalLiquidity } = (await ask('poolpairs/2')).body.data as Record<string, Record<string, unknown>>;
  assert.deepEqual([tokenA?.symbol, tokenA?.displaySymbol, tokenB?.symbol, tokenB?.displaySymbol], ['A', 'dA', 'DFI', 'DFI']);
  assert.deepEqual([displaySymbol, totalLiquidity?.usd], ['dGOLD', '926.9711717527411928']);
});

test('Fees and custom rewards are shown if the pool has them', async () => {
  const more = {
    dexFeePctTokenA: '0.05000000',
    dexFeeInPctTokenA: '0.05000000',
    dexFeePctTokenB: '0.10000000',
    customRewards: '["1.00000000@0"]',
  };
  const ask = oceanNode({ ...POOL_ANSWERS, listpoolpairs: objectText({ 2: poolText({ ...A_DFI, more }) }) });
  const { tokenA, tokenB, customRewards } = (await ask('poolpairs/2')).body.data as Record<string, Record<string, unknown>>;
  assert.deepEqual([tokenA?.fee, tokenB?.fee], [{ pct: '0.05', inPct: '0.05' }, { pct: '0.1' }]);
  assert.deepEqual(customRewards, ['1.00000000@0']);
});

test('Without a price of DFI a pool has no value and no yields', async () => {
  const ask = oceanNode({ ...POOL_ANSWERS, listpoolpairs: objectText({ 2: poolText(A_DFI) }) });
  const { totalLiquidity, apr } = await shownPool(ask, 2);
  assert.deepEqual([totalLiquidity, apr], [{ token: '141.42135623' }, undefined]);
});

test('A pool without liquidity has no yields', async () => {
  const empty = { ...A_DFI, reserves: ['0.00000000', '0.00000000'], prices: ['0.00000000', '0.00000000'] } as const;
  const ask = oceanNode({ ...POOL_ANSWERS, listpoolpairs: objectText({ 2: poolText(empty), 4: poolText(USDT_DFI) }) });
  const { totalLiquidity, apr } = await shownPool(ask, 2);
  assert.deepEqual([totalLiquidity.usd, apr], ['0', { total: 0, reward: 0, commission: 0 }]);
});

test('The yield sums up custom rewards, the daily share, the loan share and commissions', async () => {
  const more = { commission: '0.01000000', rewardPct: '0.50000000', customRewards: '["1.00000000@0","7.00000000@1"]' };
  const store = storeWith((view) => {
    view.put(swapBuckets, { interval: 3600, bucket: 7200 }, 10);
    view.put(swapSums, { pool: 2, interval: 3600, bucket: 7200 }, [{ tokenId: 0, amount: 10_00000000n }]);
  });
  const answers = {
    ...POOL_ANSWERS,
    listpoolpairs: objectText({ 2: poolText({ ...A_DFI, more }), 4: poolText(USDT_DFI), 6: DUSD_DFI }),
    listtokens: objectText({ 0: tokenText('DFI'), 1: tokenText('A'), 3: tokenText('USDT'), 5: tokenText('DUSD') }),
    getgov: (params: string) =>
      params.includes('SPLITS') ? '{"LP_LOAN_TOKEN_SPLITS":{"2":0.25000000}}' : '{"LP_DAILY_DFI_REWARD":100.00000000}',
  };
  const apr = (await shownPool(oceanNode(answers, { rows: { view: store, position: undefined } }), 2)).apr as Record<string, number>;
  // Per year and per DFI of liquidity (400): 1051200 custom, 18250 share, and 0.25 * 0.2468 * 405.04 * 1051200 loan.
  assert.equal(apr.reward, 68_349.888904);
  // 1 % of 10 DFI at 4 USD, 365 times, by a liquidity of 926.97...
  assert.equal(apr.commission, 0.1575022012);
  assert.equal(apr.total, 68_350.0464062012);
});

const DUSD_DFI = poolText({
  tokens: ['5', '0'],
  symbol: 'DUSD-DFI',
  reserves: ['400.00000000', '100.00000000'],
  prices: ['4.00000000', '0.25000000'],
});

function storeWith(fill: (view: Overlay) => void): MemoryStore {
  const store = new MemoryStore();
  const view = new Overlay(store);
  fill(view);
  store.writeRows(view.rowChanges());
  return store;
}

test('Volumes are those of the newest 24 hours and 30 days, the open ones included', async () => {
  const store = storeWith((view) => {
    for (const [interval, buckets] of [
      [3600, 26],
      [86_400, 31],
    ] as const) {
      for (let i = 0; i < buckets; i++) {
        const bucket = i * interval;
        view.put(swapBuckets, { interval, bucket }, i);
        // USDT, one more in each bucket.
        view.put(swapSums, { pool: 2, interval, bucket }, [{ tokenId: 3, amount: BigInt(i + 1) * 100_000_000n }]);
      }
    }
  });
  const ask = oceanNode(POOL_ANSWERS, { rows: { view: store, position: undefined } });
  // 3 + ... + 26, and 2 + ... + 31.
  assert.deepEqual((await shownPool(ask, 2)).volume, { h24: 348, d30: 495 });
  assert.deepEqual((await shownPool(ask, 4)).volume, NO_SWAPS);
});

test('Volumes of an index that is behind are computed again when it has another block', async () => {
  const store = new MemoryStore();
  const rows = { view: store, position: { height: 1, hash: new Uint8Array(32) } };
  // The tip stays the same all the time.
  const ask = oceanNode(POOL_ANSWERS, { rows });
  assert.deepEqual((await shownPool(ask, 2)).volume, NO_SWAPS);
  const view = new Overlay(store);
  view.put(swapBuckets, { interval: 3600, bucket: 3600 }, 1);
  view.put(swapSums, { pool: 2, interval: 3600, bucket: 3600 }, [{ tokenId: 3, amount: 5_00000000n }]);
  store.writeRows(view.rowChanges());
  rows.position = { height: 1, hash: new Uint8Array(32).fill(1) };
  assert.deepEqual((await shownPool(ask, 2)).volume, { h24: 5, d30: 0 });
});

test('Pools are listed by id, and those that burn are left out without effect on the cursor', async () => {
  const burn = poolText({ ...A_DFI, symbol: 'BURN-DFI' });
  const ask = oceanNode({ ...POOL_ANSWERS, listpoolpairs: objectText({ 2: poolText(A_DFI), 3: burn, 4: poolText(USDT_DFI) }) });
  const idsOf = (data: unknown) => (data as Shown[]).map(({ id }) => id);
  const first = (await ask('poolpairs?size=2')).body;
  assert.deepEqual([idsOf(first.data), first.page], [['2'], { next: '3' }]);
  const second = (await ask('poolpairs?size=2&next=3')).body;
  assert.deepEqual([idsOf(second.data), second.page], [['4'], undefined]);
  assert.equal((await ask('poolpairs?next=x')).body.error?.message, 'Invalid next token');
});

test('An unknown pool, and a text that is no id, are refused', async () => {
  const ask = oceanNode(POOL_ANSWERS);
  const unknown = await ask('poolpairs/9');
  assert.deepEqual([unknown.status, unknown.body.error?.message], [404, 'Unable to find poolpair']);
  const symbol = await ask('poolpairs/A-DFI');
  assert.deepEqual([symbol.status, symbol.body.error?.message], [400, 'Validation failed (numeric string is expected)']);
});

test('Figures of pools that were read before a block are not kept for the tip after it', async () => {
  let tip = new Uint8Array(32);
  let blocks = 0;
  const reserves = [['100.00000000', '200.00000000'] as const, ['101.00000000', '200.00000000'] as const];
  const answers = {
    ...POOL_ANSWERS,
    listpoolpairs: () => objectText({ 2: poolText({ ...A_DFI, reserves: reserves[blocks] ?? A_DFI.reserves }), 4: poolText(USDT_DFI) }),
    // The block connects between the two operations.
    listtokens: () => {
      if (blocks === 0) tip = Uint8Array.from(tip, () => 1);
      blocks = 1;
      return TOKENS;
    },
  };
  const ask = oceanNode(answers, { perTip: new TipCache(() => tip as never) });
  const reserve = async (): Promise<unknown> => ((await ask('poolpairs/2')).body.data as { tokenA: { reserve: unknown } }).tokenA.reserve;
  assert.deepEqual([await reserve(), await reserve()], ['100', '101']);
});

/** Market of a scene. */
async function marketOf(pools: Readonly<Record<string, string>>, tokens = TOKENS) {
  const tip = { hash: new Uint8Array(32), height: 100 };
  const chain = { params: networkParams({ network: 'regtest' }), tip } as unknown as OceanModules['chain'];
  const perTip = new TipCache(() => tip.hash);
  const operations = fakeOperations({ listtokens: tokens, listpoolpairs: objectText(pools) });
  return { known: await market({ chain, operations, perTip }) };
}

test('DFI is priced by its pools with USDT and USDC together', async () => {
  const usdc = poolText({ ...USDT_DFI, tokens: ['0', '6'], symbol: 'DFI-USDC', reserves: ['68.48712000', '200.00000000'] });
  const { known } = await marketOf({ 4: poolText(USDT_DFI), 7: usdc });
  // 1200 to 500.
  assert.equal(known.usdPerDfi?.toString(), '2.4');
  // Of two pools with one symbol, the one with the lower id counts.
  const twin = poolText({ ...USDT_DFI, reserves: ['1.00000000', '1.00000000'] });
  assert.equal((await marketOf({ 4: poolText(USDT_DFI), 5: twin })).known.usdPerDfi?.toNumber(), 2.317427929381853);
  assert.equal((await marketOf({ 2: poolText(A_DFI) })).known.usdPerDfi, undefined);
});

test('The value of a pool is that of its dollars, of its DFI, or of both tokens by their best paths to USDT', async () => {
  const usdtToken = tokenText('USDT');
  const tokens = objectText({ 0: tokenText('DFI'), 1: tokenText('A'), 3: usdtToken, 8: tokenText('B') });
  const pair = poolText({
    tokens: ['1', '8'],
    symbol: 'A-B',
    reserves: ['10.00000000', '5.00000000'],
    prices: ['2.00000000', '0.50000000'],
  });
  const pools = { 2: poolText(A_DFI), 4: poolText(USDT_DFI), 9: pair };
  const { known } = await marketOf(pools, tokens);
  // A gives 2 DFI of 2.31742792 USDT, B gives 2 A.
  assert.deepEqual([known.usdtReturns?.get('1'), known.usdtReturns?.get('8')], [463_485_584n, 926_971_168n]);
  // 926.97... of A-DFI, 2000 of USDT-DFI, and 46.3485584 + 46.3485584 of A-B.
  assert.equal((await totalLiquidityUsd(known)).toString(), '3019.6682885527411928');
});

test('A token is priced by its pool with DUSD, else by its pool with DFI', async () => {
  const tokens = objectText({ 0: tokenText('DFI'), 1: tokenText('A'), 3: tokenText('USDT'), 5: tokenText('DUSD'), 8: tokenText('B') });
  const inDusd = poolText({ ...A_DFI, tokens: ['1', '5'], symbol: 'A-DUSD', reserves: ['3.00000000', '1.00000000'] });
  const { known } = await marketOf({ 2: poolText(A_DFI), 4: poolText(USDT_DFI), 10: inDusd }, tokens);
  assert.equal(tokenUsd(known, 1).toString(), '0.33333333333333333333');
  assert.equal(tokenUsd(known, 3).toString(), '1');
  // DFI has no pool with DUSD, B has none, and token 99 does not exist.
  assert.deepEqual(
    [0, 8, 99].map((id) => tokenUsd(known, id).toString()),
    ['0', '0', '0'],
  );
  const withoutDusd = (await marketOf({ 2: poolText(A_DFI), 4: poolText(USDT_DFI) }, tokens)).known;
  assert.equal(tokenUsd(withoutDusd, 1).toString(), '4.634855858763705964');
});

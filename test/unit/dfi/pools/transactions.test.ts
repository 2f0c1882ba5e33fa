import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import { communityBalance } from '../../../../src/dfi/accounts/community-columns.js';
import { putHoldings } from '../../../../src/dfi/pools/columns.js';
import { swapHistory } from '../../../../src/dfi/pools/history-columns.js';
import { poolPaths } from '../../../../src/dfi/pools/paths.js';
import { rewardsOf, setReward } from '../../../../src/dfi/pools/reward-columns.js';
import { compositeSwap } from '../../../../src/dfi/pools/swap-transactions.js';
import { NO_REWARDS, updatePoolPair } from '../../../../src/dfi/pools/transactions.js';
import { poolRewards } from '../../../../src/dfi/rewards/event.js';
import { getToken, tokenBySymbol } from '../../../../src/dfi/tokens/columns.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { DecodeError, decode, encode } from '../../../../src/primitives/codec.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { GRAND_CENTRAL, script } from '../fixture.js';
import { COIN, funded, type PoolFixture, provide, provideMetals } from './pool-fixture.js';

const [me, you] = [script(1), script(2)];
const unchanged = { status: true, commission: -1n, owner: EMPTY_BYTES, rewards: [], names: undefined };

const fixture = (given?: HeightOverrides) => funded(me, given);
const add = (at: PoolFixture, amounts: readonly (readonly [number, bigint])[], to?: Uint8Array) => provide(at, me, amounts, to);
const addMetals = (at: PoolFixture, gold: bigint, silver: bigint, to?: Uint8Array) => provideMetals(at, me, gold, silver, to);

describe('CreatePoolPair', () => {
  test('creates a pool and its share token', () => {
    const at = fixture();
    assert.equal(at.createPool({ tokenA: 1, tokenB: 2 }), undefined);
    assert.deepEqual([at.pool(4).tokenA, at.pool(4).tokenB, at.pool(4).totalLiquidity], [1, 2, 0n]);
  });

  const refusals = [
    { name: 'a commission above 100 %', given: { tokenA: 1, tokenB: 2, commission: COIN + 1n }, text: 'wrong commission' },
    { name: 'a negative commission', given: { tokenA: 1, tokenB: 2, commission: -1n }, text: 'wrong commission' },
    { name: 'an unknown token', given: { tokenA: 1, tokenB: 77 }, text: 'token 77 does not exist!' },
    { name: 'a token with itself', given: { tokenA: 1, tokenB: 1, symbol: 'X' }, text: 'Error: tokens IDs are the same.' },
    { name: 'a slash in its symbol', given: { tokenA: 1, tokenB: 2, symbol: 'A/B' }, text: "token symbol should not contain '/'" },
    {
      name: 'a reward in an unknown token',
      given: { tokenA: 1, tokenB: 2, rewards: [{ tokenId: 99, amount: 1n }] },
      text: 'reward token 99 does not exist!',
    },
  ];
  for (const { name, given, text } of refusals) {
    test(`rejects ${name}`, () => assert.equal(fixture().createPool(given), `CreatePoolPairTx: ${text}`));
  }

  test('rejects a second pool of the same tokens, also in the other order', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    const text = 'CreatePoolPairTx: Error, there is already a poolpair with same tokens, but different poolId';
    assert.equal(at.createPool({ tokenA: 2, tokenB: 1 }), text);
  });
});

describe('UpdatePoolPair', () => {
  test('changes the given properties and keeps the others', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2, commission: COIN / 100n });
    const rewards = [{ tokenId: 3, amount: COIN }];
    assert.equal(at.failure(updatePoolPair, { ...unchanged, pool: 4, status: false, rewards }, { from: [at.member] }), undefined);
    assert.deepEqual([at.pool(4).status, at.pool(4).commission, at.pool(4).rewards], [false, COIN / 100n, rewards]);
    assert.equal(at.failure(updatePoolPair, { ...unchanged, pool: 4, rewards: NO_REWARDS }, { from: [at.member] }), undefined);
    assert.deepEqual([at.pool(4).rewards, rewardsOf(at.view, 4).custom], [[], []]);
  });

  test('needs the foundation and an existing pool', () => {
    const at = fixture();
    assert.equal(at.failure(updatePoolPair, { ...unchanged, pool: 4 }, { from: [me] }), 'UpdatePoolPairTx: tx not from foundation member');
    assert.equal(
      at.failure(updatePoolPair, { ...unchanged, pool: 9 }, { from: [at.member] }),
      'UpdatePoolPairTx: Pool with poolId 9 does not exist',
    );
  });
});

describe('names of a pool', () => {
  const rename = (at: PoolFixture, symbol: string, name = '') =>
    at.failure(updatePoolPair, { ...unchanged, pool: 4, names: { symbol, name } }, { from: [at.member] });
  const namesAt = (at: PoolFixture) => [getToken(at.view, 4)?.symbol, getToken(at.view, 4)?.name];

  test('change from DF23 on, cut to their lengths, and release the old symbol', () => {
    const at = fixture({ ...GRAND_CENTRAL, metachain: 100, df23: 100 });
    at.createPool({ tokenA: 1, tokenB: 2, symbol: 'OLD' });
    assert.equal(rename(at, ' NEW-NAME-OF-16-BYTES ', 'n'.repeat(129)), undefined);
    assert.deepEqual(namesAt(at), ['NEW-NAME-OF-16-B', 'n'.repeat(128)]);
    assert.equal(tokenBySymbol(at.view, 'OLD'), undefined);
    assert.equal(rename(at, '', 'name'), undefined);
    assert.equal(rename(at, 'eol/SYMBOL'), undefined);
    assert.deepEqual(namesAt(at), ['SYMBOL', 'name']);
    assert.equal(rename(at, '', ''), undefined);
    assert.equal(rename(at, 'GOLD'), "UpdatePoolPairTx: token with key 'GOLD' already exists!");
    const invalid = 'Invalid token symbol. Valid: Start with an alphabet, non-empty, not contain # or /';
    assert.equal(rename(at, 'A#B'), `UpdatePoolPairTx: ${invalid}`);
  });

  test('cannot change before', () => {
    const at = fixture({ ...GRAND_CENTRAL, metachain: 100, df23: 101 });
    at.createPool({ tokenA: 1, tokenB: 2, symbol: 'OLD' });
    const text = 'UpdatePoolPairTx: Poolpair symbol cannot be changed below DF23 height';
    assert.deepEqual([rename(at, 'NEW'), rename(at, '', 'new'), rename(at, '', '')], [text, text, undefined]);
  });

  test('are read, but cannot change, on a chain that has DF23 ahead and no Metachain', () => {
    const at = fixture({ ...GRAND_CENTRAL, df23: 101 });
    at.createPool({ tokenA: 1, tokenB: 2, symbol: 'OLD' });
    assert.equal(rename(at, 'NEW'), 'UpdatePoolPairTx: Poolpair symbol cannot be changed below DF23 height');
  });

  test('are not read before Metachain, even if they are empty', () => {
    const at = fixture({ ...GRAND_CENTRAL, metachain: 101 });
    at.createPool({ tokenA: 1, tokenB: 2, symbol: 'OLD' });
    assert.equal(rename(at, '', ''), 'UpdatePoolPairTx: deserialization failed: excess 2 bytes');
  });

  test('follow the rewards of a message, which one from before Clarke Quay does not have', () => {
    const codec = updatePoolPair.codec as NonNullable<typeof updatePoolPair.codec>;
    const bare = encode(codec, { ...unchanged, pool: 4, rewards: undefined });
    assert.equal(encode(codec, { ...unchanged, pool: 4, rewards: [] }).length, bare.length + 1);
    assert.equal(decode(codec, bare).rewards, undefined);
  });

  test('are both in a message, or neither', () => {
    const codec = updatePoolPair.codec as NonNullable<typeof updatePoolPair.codec>;
    const body = { ...unchanged, pool: 4 };
    const bare = encode(codec, body);
    const named = encode(codec, { ...body, names: { symbol: '', name: '' } });
    assert.equal(named.length, bare.length + 2);
    assert.deepEqual(decode(codec, named).names, { symbol: '', name: '' });
    assert.equal(decode(codec, bare).names, undefined);
    assert.throws(() => decode(codec, named.subarray(0, -1)), DecodeError);
  });
});

describe('rewards', () => {
  test('from a pool owner stop while it cannot pay, and are debited while it can', () => {
    const at = fixture();
    at.give(you, 3, 2n * COIN);
    at.createPool({ tokenA: 1, tokenB: 2, owner: you, rewards: [{ tokenId: 3, amount: COIN }] });
    addMetals(at, 100n * COIN, 100n * COIN);
    for (const [height, left, paid] of [
      [101, COIN, 1],
      [102, 0n, 1],
      [103, 0n, 0],
    ] as const) {
      at.runEvent(poolRewards, height);
      assert.deepEqual([at.balance(you, 3), rewardsOf(at.view, 4).custom.length], [left, paid]);
    }
  });

  test('from the block subsidy that are negative are credited to no fund', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 100n * COIN, 100n * COIN);
    setReward(at.view, 4, 'coinbase', 101, -COIN);
    at.runEvent(poolRewards, 101);
    assert.equal(communityBalance(at.view, 'incentive'), 0n);
  });

  test('pay commissions of auctions instead of those of transactions of the same block, and leave none for the next', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 100n * COIN, 100n * COIN);
    const swap = (height: number, fee: bigint) => {
      const pool = at.pool(4);
      putHoldings(at.view, 4, height, { ...pool, commissionA: pool.commissionA + fee }, true);
      return [at.view.get(swapHistory, { pool: 4, height })?.commissionA, at.pool(4).commissionA];
    };
    assert.deepEqual(swap(101, 5n), [5n, 5n]);
    at.runEvent(poolRewards, 101);
    assert.equal(at.pool(4).commissionA, 0n);
    assert.deepEqual(
      [swap(101, 7n), swap(101, 3n)],
      [
        [7n, 0n],
        [3n, 0n],
      ],
    );
    // Without a transaction before them they are paid with the next swap.
    at.runEvent(poolRewards, 103);
    assert.deepEqual(
      [swap(103, 11n), swap(104, 1n)],
      [
        [11n, 11n],
        [12n, 12n],
      ],
    );
  });

  test('before Eunos count as paid also if they are 0', () => {
    const at = fixture({ amk: 0, bayfront: 0, bayfrontGardens: 0 });
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 100n * COIN, 100n * COIN);
    addMetals(at, 1n, 1n, you);
    const paidUpTo = () => at.view.get(materialisedHeights, you);
    at.runEvent(poolRewards, 101);
    const before = paidUpTo();
    const pool = at.pool(4);
    putHoldings(at.view, 4, 102, { ...pool, commissionA: pool.commissionA + 5n }, true);
    at.runEvent(poolRewards, 102);
    assert.equal(at.balance(you, 1), 0n);
    assert.deepEqual([before, paidUpTo()], [100, 103]);
  });

  test('of a pool that the empty script owns are debited from no account', () => {
    const at = fixture();
    at.give(EMPTY_BYTES, 3, COIN);
    at.createPool({ tokenA: 1, tokenB: 2, owner: EMPTY_BYTES, rewards: [{ tokenId: 3, amount: COIN }] });
    addMetals(at, 100n * COIN, 100n * COIN);
    at.runEvent(poolRewards, 101);
    assert.deepEqual([at.balance(EMPTY_BYTES, 3), rewardsOf(at.view, 4).custom.length], [COIN, 1]);
  });
});

describe('PoolSwap', () => {
  function routed(): PoolFixture {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 0 });
    at.createPool({ tokenA: 2, tokenB: 0 });
    at.createPool({ tokenA: 2, tokenB: 3 });
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [2, 3],
    ] as const)
      add(at, [
        [a, 100n * COIN],
        [b, 100n * COIN],
      ]);
    return at;
  }
  const maxPrice = { integer: 2n ** 63n - 1n, fraction: 2n ** 63n - 1n };
  const swap = { from: me, tokenFrom: 1, amountFrom: COIN, to: you, tokenTo: 3, maxPrice };

  test('finds paths through one, two and three pools', () => {
    const { view } = routed();
    // Paths that go back and forth come last; `defid` tries them too.
    assert.deepEqual(poolPaths(view, 1, 0), [[4], [4, 4, 4], [4, 5, 5]]);
    assert.deepEqual(poolPaths(view, 1, 2), [[4, 5]]);
    assert.deepEqual(poolPaths(view, 1, 3), [[4, 5, 6]]);
    assert.deepEqual(poolPaths(view, 1, 9), []);
  });

  test('follows a path and pays at its end', () => {
    const at = routed();
    assert.equal(at.failure(compositeSwap, { ...swap, path: [4, 5, 6] }, { from: [me] }), undefined);
    // Each of the pools of 100 and 100 coins pays out one satoshi less than its curve gives.
    assert.equal(at.balance(you, 3), 97_087_376n);
    assert.equal(at.balance(you, 0), 0n);
  });

  const refusals = [
    { name: 'no path, and no pool of the two tokens', given: { path: [] }, text: 'Cannot find the pool pair.' },
    { name: 'more than three pools', given: { path: [4, 5, 5, 6] }, text: 'Too many pool IDs provided, max 3 allowed, 4 provided' },
    { name: 'an amount of 0', given: { path: [4, 5, 6], amountFrom: 0n }, text: 'Input amount should be positive' },
    {
      name: 'a path that ends with another token',
      given: { path: [4, 5] },
      text: 'Final swap pool should have idTokenTo, incorrect final pool ID provided',
    },
    {
      name: 'a price above the limit',
      given: { path: [4, 5, 6], maxPrice: { integer: 1n, fraction: 0n } },
      text: 'Price is higher than indicated.',
    },
  ];
  for (const { name, given, text } of refusals) {
    test(`rejects ${name}`, () =>
      assert.equal(routed().failure(compositeSwap, { ...swap, ...given }, { from: [me] }), `PoolSwapTx: ${text}`));
  }

  test('without a recipient pays the sender, from Grand Central on', () => {
    for (const [grandCentral, gets] of [
      [100, true],
      [101, false],
    ] as const) {
      const at = fixture({ ...GRAND_CENTRAL, grandCentral });
      at.createPool({ tokenA: 1, tokenB: 2 });
      addMetals(at, 100n * COIN, 100n * COIN);
      const before = at.balance(me, 2);
      assert.equal(at.failure(compositeSwap, { ...swap, to: EMPTY_BYTES, tokenTo: 2, path: [] }, { from: [me] }), undefined);
      assert.equal(at.balance(me, 2) > before, gets);
      assert.equal(at.balance(EMPTY_BYTES, 2) > 0n, !gets);
    }
  });
});

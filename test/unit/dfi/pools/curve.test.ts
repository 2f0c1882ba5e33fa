import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PoolPair } from '../../../../src/dfi/pools/columns.js';
import { type PoolPrice, swapInPool } from '../../../../src/dfi/pools/curve.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { heights, script } from '../fixture.js';
import { COIN } from './pool-fixture.js';

const NO_FEES = { in: 0n, out: 0n };
const NO_LIMIT: PoolPrice = { integer: 2n ** 63n - 1n, fraction: 2n ** 63n - 1n };
const pool: PoolPair = {
  tokenA: 1,
  tokenB: 2,
  commission: 0n,
  owner: script(9),
  status: true,
  creationTx: NULL_HASH,
  creationHeight: 1,
  rewards: [],
  reserveA: 1_000n * COIN,
  reserveB: 250n * COIN,
  totalLiquidity: 500n * COIN,
  commissionA: 0n,
  commissionB: 0n,
};

function swap(
  given: Partial<PoolPair>,
  tokenId: number,
  amount: bigint,
  upgrades: HeightOverrides = {},
  rest: { limit?: PoolPrice; fees?: typeof NO_FEES } = {},
) {
  const { limit = NO_LIMIT, fees = NO_FEES } = rest;
  return swapInPool({ ...pool, ...given }, { tokenId, amount }, { fees, limit, height: 100, params: heights(upgrades) });
}

describe('a swap in one pool', () => {
  const eras: readonly { readonly name: string; readonly upgrades: HeightOverrides; readonly out: bigint }[] = [
    // A hundred steps lose slightly less than a single one on the curve.
    { name: 'in steps until Bayfront Gardens', upgrades: { bayfrontGardens: 101 }, out: 2_274_795_216n },
    { name: 'on the curve from Bayfront Gardens on', upgrades: { bayfrontGardens: 100 }, out: 2_272_727_273n },
    { name: 'one satoshi less from Fort Canning Hill on', upgrades: { bayfrontGardens: 100, fortCanningHill: 100 }, out: 2_272_727_272n },
  ];
  for (const { name, upgrades, out } of eras) {
    test(`is computed ${name}`, () => {
      const result = swap({}, 1, 100n * COIN, upgrades);
      assert.deepEqual(result.out, { tokenId: 2, amount: out });
      assert.equal(result.pool.reserveA, 1_100n * COIN);
      assert.equal(result.pool.reserveB, 250n * COIN - out);
    });
  }

  test('in steps is not changed by Fort Canning Hill', () => {
    assert.equal(swap({}, 1, 100n * COIN, { fortCanningHill: 0 }).out.amount, 2_274_795_216n);
  });

  test('commission is subtracted from the amount and added to no reserve', () => {
    const { pool: after } = swap({ commission: COIN / 100n }, 2, 10n * COIN, { bayfrontGardens: 0 });
    assert.deepEqual([after.commissionA, after.commissionB], [0n, COIN / 10n]);
    assert.equal(after.reserveB, 250n * COIN + 10n * COIN - COIN / 10n);
  });

  test('fees are burnt from the amount paid in, after the commission, and from the amount paid out', () => {
    const fees = { in: COIN / 10n, out: COIN / 4n };
    const { out, burntIn, burntOut } = swap({ commission: COIN / 2n }, 1, 20n * COIN, { bayfrontGardens: 0 }, { fees });
    assert.equal(burntIn, COIN);
    const received = 250n * COIN - (250n * 1_000n * COIN * COIN) / (1_009n * COIN);
    assert.equal(burntOut, received / 4n);
    assert.equal(out.amount, received - received / 4n);
  });

  test('is rejected above the price limit; before Dakota the price is inverted', () => {
    const limit = { integer: 3n, fraction: 0n };
    assert.throws(() => swap({}, 1, COIN, { dakota: 100 }, { limit }), /Price is higher than indicated\./);
    assert.doesNotThrow(() => swap({}, 1, COIN, { dakota: 101 }, { limit }));
    assert.throws(() => swap({}, 2, COIN, { dakota: 101 }, { limit }), /Price is higher than indicated\./);
    assert.doesNotThrow(() => swap({}, 1, COIN, { dakota: 100 }, { limit: { integer: 4n, fraction: 0n } }));
    assert.throws(() => swap({}, 1, COIN, { dakota: 100 }, { limit: { integer: 3n, fraction: COIN - 1n } }), /Price is higher/);
  });

  test('negative parts of a limit wrap around to huge ones', () => {
    assert.doesNotThrow(() => swap({}, 1, COIN, { dakota: 0 }, { limit: { integer: -1n, fraction: 0n } }));
  });

  const refusals: readonly {
    readonly name: string;
    readonly given: Partial<PoolPair>;
    readonly tokenId: number;
    readonly amount: bigint;
    readonly text: RegExp;
  }[] = [
    { name: 'another token', given: {}, tokenId: 3, amount: 1n, text: /input token ID \(3\) doesn't match pool tokens \(1,2\)/ },
    { name: 'a disabled pool', given: { status: false }, tokenId: 1, amount: 1n, text: /Pool trading is turned off!/ },
    { name: 'a reserve below 1000', given: { reserveB: 999n }, tokenId: 1, amount: 1n, text: /Lack of liquidity\./ },
    {
      name: 'a reserve that overflows',
      given: {},
      tokenId: 1,
      amount: 2n ** 63n - 1n,
      text: /Swapping will lead to pool's reserve overflow/,
    },
  ];
  for (const { name, given, tokenId, amount, text } of refusals) {
    test(`rejects ${name}`, () => assert.throws(() => swap(given, tokenId, amount, { bayfrontGardens: 0 }), text));
  }

  test('a reserve of 1000 is enough', () => {
    assert.doesNotThrow(() => swap({ reserveA: 1_000n, reserveB: 1_000n }, 1, 1n, { bayfrontGardens: 0 }));
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountToAccount } from '../../../../src/dfi/accounts/transactions.js';
import { shareHeight } from '../../../../src/dfi/pools/columns.js';
import { addPoolLiquidity, removePoolLiquidity } from '../../../../src/dfi/pools/liquidity-transactions.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { GRAND_CENTRAL, script } from '../fixture.js';
import { COIN, funded, type PoolFixture, provide, provideMetals } from './pool-fixture.js';

const [me, you] = [script(1), script(2)];
const fixture = (given?: HeightOverrides) => funded(me, given);
const add = (at: PoolFixture, amounts: readonly (readonly [number, bigint])[], to?: Uint8Array) => provide(at, me, amounts, to);
const addMetals = (at: PoolFixture, gold: bigint, silver: bigint, to?: Uint8Array) => provideMetals(at, me, gold, silver, to);

describe('liquidity', () => {
  test('the first 1000 shares have no owner', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    assert.equal(addMetals(at, 400n * COIN, 100n * COIN), undefined);
    assert.equal(at.balance(me, 4), 200n * COIN - 1_000n);
    assert.equal(at.pool(4).totalLiquidity, 200n * COIN);
    assert.equal(shareHeight(at.view, 4, me), 100);
  });

  test('is rejected if there would be 1000 shares or fewer', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    assert.equal(addMetals(at, 1_000n, 1_000n), 'AddPoolLiquidityTx: liquidity too low');
    assert.equal(addMetals(at, 1_001n, 1_001n), undefined);
  });

  test('is rejected if its ratio differs by 3 %, from Bayfront Marina on', () => {
    for (const [bayfrontMarina, text] of [
      [100, 'AddPoolLiquidityTx: Exceeds max ratio slippage protection of 3%'],
      [101, undefined],
    ] as const) {
      const at = fixture({ ...GRAND_CENTRAL, bayfrontMarina });
      at.createPool({ tokenA: 1, tokenB: 2 });
      addMetals(at, 100n * COIN, 100n * COIN);
      assert.equal(addMetals(at, 10_000n, 10_299n), undefined);
      assert.equal(addMetals(at, 10_000n, 10_301n), text);
    }
  });

  test('is accepted if the difference of the shares in percent overflows 63 bits', () => {
    const at = fixture();
    at.give(me, 1, 200_000_000_000_000_000n);
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 100n * COIN, 100n * COIN);
    for (const [much, text] of [
      [90_000_000_000_000_000n, 'AddPoolLiquidityTx: Exceeds max ratio slippage protection of 3%'],
      [150_000_000_000_000_000n, undefined],
    ] as const) {
      assert.equal(addMetals(at, much, 1n), text);
    }
  });

  test('an owner who withdraws all shares is no provider any more', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 100n * COIN, 100n * COIN);
    const amount = { tokenId: 4, amount: at.balance(me, 4) };
    assert.equal(at.failure(removePoolLiquidity, { from: me, amount }, { from: [me] }), undefined);
    assert.equal(shareHeight(at.view, 4, me), undefined);
    assert.equal(at.pool(4).totalLiquidity, 1_000n);
  });

  test('more is worth the smaller of both parts, and leaves the pool in the same part', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 400n * COIN, 100n * COIN);
    assert.equal(addMetals(at, 40n * COIN + 3n, 10n * COIN, you), undefined);
    assert.equal(at.balance(you, 4), 20n * COIN);
    // A quarter of the shares: the withdrawal rounds down, so the pool keeps the rest.
    const amount = { tokenId: 4, amount: 5n * COIN };
    assert.equal(at.failure(removePoolLiquidity, { from: you, amount }, { from: [you] }), undefined);
    const { reserveA, reserveB, totalLiquidity } = at.pool(4);
    assert.deepEqual(at.amounts(you), { 1: 10n * COIN, 2: (5n * COIN) / 2n, 4: 15n * COIN });
    assert.deepEqual([reserveA, reserveB, totalLiquidity], [430n * COIN + 3n, (215n * COIN) / 2n, 215n * COIN]);
  });

  test('needs two positive amounts of tokens of one pool, and the authorisation of those who pay them', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    const refused = (text: string) => `AddPoolLiquidityTx: ${text}`;
    const two = refused('the pool pair requires two tokens');
    const positive = refused('amount cannot be less than or equal to zero');
    assert.equal(add(at, [[1, COIN]]), two);
    assert.equal(
      add(at, [
        [1, COIN],
        [2, COIN],
        [3, COIN],
      ]),
      two,
    );
    assert.equal(addMetals(at, COIN, -1n), positive);
    // The sum ends with the first negative amount, whose token counts with an amount of 0.
    assert.equal(
      add(at, [
        [1, -1n],
        [3, COIN],
      ]),
      two,
    );
    assert.equal(
      add(at, [
        [1, COIN],
        [3, COIN],
      ]),
      refused('there is no such pool pair'),
    );
    const balances = [1, 2].map((tokenId) => ({ tokenId, amount: COIN }));
    assert.equal(
      at.failure(addPoolLiquidity, { from: [{ owner: me, balances }], shareAddress: me }, { from: [you] }),
      refused('tx must have at least one input from account owner'),
    );
  });

  test('is withdrawn for a positive amount of own shares only', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 100n * COIN, 100n * COIN);
    const withdraw = (tokenId: number, amount: bigint, from = me) =>
      at.failure(removePoolLiquidity, { from: me, amount: { tokenId, amount } }, { from: [from] })?.replace('RemovePoolLiquidityTx: ', '');
    assert.equal(withdraw(4, 0n), 'amount cannot be less than or equal to zero');
    assert.equal(withdraw(9, -1n), 'amount cannot be less than or equal to zero');
    assert.equal(withdraw(1, 1n), 'there is no such pool pair');
    assert.equal(withdraw(9, 1n, you), 'there is no such pool pair');
    assert.equal(withdraw(4, 1n, you), 'tx must have at least one input from account owner');
    assert.equal(withdraw(4, 100n * COIN - 999n), 'amount 99.99999000 is less than 99.99999001');
    assert.equal(withdraw(4, 1n), undefined);
  });

  test('a recipient of shares becomes a provider', () => {
    const at = fixture();
    at.createPool({ tokenA: 1, tokenB: 2 });
    addMetals(at, 100n * COIN, 100n * COIN);
    const balances = [{ tokenId: 4, amount: at.balance(me, 4) }];
    assert.equal(at.failure(accountToAccount, { from: me, to: [{ owner: you, balances }] }, { from: [me], height: 105 }), undefined);
    assert.deepEqual([shareHeight(at.view, 4, me), shareHeight(at.view, 4, you)], [undefined, 105]);
  });
});

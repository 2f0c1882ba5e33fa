import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Accounts } from '../../../../src/dfi/accounts/columns.js';
import { attributes, messageAttributes } from '../../../../src/dfi/attributes/attributes.js';
import type { AttributeKey } from '../../../../src/dfi/attributes/key.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import type { AttributeValue } from '../../../../src/dfi/attributes/value.js';
import type { BlockEventContext } from '../../../../src/dfi/context/block-event.js';
import { BlockHistory } from '../../../../src/dfi/context/history.js';
import { pendingVariables } from '../../../../src/dfi/governance/columns.js';
import { interestRates } from '../../../../src/dfi/loans/columns.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { type PoolPair, poolOf, putHoldings, putNewPool, putSwapEntry } from '../../../../src/dfi/pools/columns.js';
import { dexFeeOf, setDexFee } from '../../../../src/dfi/pools/fee-columns.js';
import { swapHistory } from '../../../../src/dfi/pools/history-columns.js';
import { earlyTokenSplits, lateTokenSplits } from '../../../../src/dfi/splits/event.js';
import { executeSplits } from '../../../../src/dfi/splits/execute.js';
import { getToken, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { lockedTokens } from '../../../../src/dfi/tokens/lock-columns.js';
import { depositToVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { decode, encode } from '../../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { addAsset } from '../governance-context.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const SPLIT_HEIGHT = 101;
const [OLD_POOL, OTHER_POOL, NEW_TOKEN, NEW_POOL] = [3, 4, 5, 6];
const MINIMUM = 1_000n;
const provider = script(8);
const lock = (id: number) => `v0/locks/token/${id}`;

/** State with a pool of 100 TSLA and 400 DUSD, whose shares but the minimum one provider has, and another pool; TSLA is to be split in two. */
class SplitFixture extends LoanFixture {
  constructor(given: HeightOverrides = GRAND_CENTRAL) {
    super(heights(given));
    this.addPool(OLD_POOL, 'TSLA-DUSD', TSLA, DUSD);
    this.addPool(OTHER_POOL, 'DUSD-DFI', DUSD, DFI);
    this.give(provider, OLD_POOL, COIN - MINIMUM);
    this.attribute(`v0/oracles/splits/${SPLIT_HEIGHT}`, { kind: 'splits', value: [{ id: TSLA, multiplier: 2n }] });
    this.attribute(lock(TSLA), { kind: 'bool', value: true });
  }

  /** Adds a pool with one coin of shares. */
  addPool(id: number, symbol: string, tokenA: number, tokenB: number): void {
    addAsset(this.view, id, symbol, TokenFlag.poolShare);
    const terms = {
      tokenA,
      tokenB,
      commission: 0n,
      owner,
      status: true,
      rewards: [],
      creationTx: NULL_HASH,
      creationHeight: 1,
    };
    putNewPool(this.view, id, terms);
    const holdings = { reserveA: 100n * COIN, reserveB: 400n * COIN, totalLiquidity: COIN, commissionA: 7n, commissionB: 9n };
    putHoldings(this.view, id, 90, { ...terms, ...holdings });
  }

  split(): void {
    const { view, params } = this;
    const history = new BlockHistory(SPLIT_HEIGHT, params, true);
    const pools = [{ poolId: OLD_POOL, txid: Buffer.alloc(32, 8) }];
    const creation = { tokenId: TSLA, multiplier: { value: 2n, isFraction: false }, token: Buffer.alloc(32, 7), pools };
    const block = { height: SPLIT_HEIGHT, time: 1_600_000_000, blockHash: Buffer.alloc(32, 9), transactions: [], params };
    const lookups = { coin: () => undefined, blockTime: () => undefined };
    executeSplits({ ...block, ...lookups, view, history, splits: [creation] }, [creation]);
  }

  stored(path: string): AttributeValue | undefined {
    return this.view.get(attributes, attributeAt(path));
  }

  pool(id: number): PoolPair {
    const found = poolOf(this.view, id);
    assert.ok(found);
    return found;
  }

  /** Symbol of the token that the split would create. */
  get successor(): string | undefined {
    return getToken(this.view, NEW_TOKEN)?.symbol;
  }
}

describe('pools of a split token', () => {
  test('are replaced with all of their liquidity', () => {
    const fixture = new SplitFixture();
    fixture.split();
    assert.equal(fixture.successor, 'TSLA');
    const { reserveA, reserveB, totalLiquidity, tokenA, tokenB, status } = fixture.pool(NEW_POOL);
    // The square root of 200 and 400 coins, rounded down.
    assert.deepEqual([reserveA, reserveB, totalLiquidity], [200n * COIN, 400n * COIN, 28_284_271_247n]);
    assert.deepEqual([tokenA, tokenB, status], [NEW_TOKEN, DUSD, true]);
    const old = fixture.pool(OLD_POOL);
    assert.deepEqual([old.reserveA, old.reserveB, old.totalLiquidity, old.status], [0n, 0n, 0n, false]);
    assert.deepEqual([fixture.balance(provider, NEW_POOL), fixture.balance(provider, OLD_POOL)], [28_284_270_247n, 0n]);
  });

  test('stop the split if shares remain', () => {
    const fixture = new SplitFixture();
    new Accounts(fixture.view).sub(provider, { tokenId: OLD_POOL, amount: 1n });
    fixture.split();
    assert.equal(fixture.successor, undefined);
    assert.equal(getToken(fixture.view, TSLA)?.symbol, 'TSLA');
    assert.deepEqual([fixture.pool(OLD_POOL).totalLiquidity, fixture.balance(provider, OLD_POOL)], [COIN, COIN - MINIMUM - 1n]);
  });

  test('lose their fees; those of other tokens and pools remain', () => {
    const fixture = new SplitFixture();
    const { view } = fixture;
    for (const tokenId of [TSLA, DUSD]) {
      setDexFee(view, { pool: OLD_POOL, tokenId }, 1n);
      setDexFee(view, { pool: OTHER_POOL, tokenId }, 2n);
      for (const way of ['in', 'out'] as const) setDexFee(view, { way, tokenId }, 3n);
    }
    fixture.split();
    const fees = (pool: number, tokenId: number) => (['in', 'out'] as const).map((way) => dexFeeOf(view, way, pool, tokenId));
    assert.deepEqual(
      [fees(OLD_POOL, TSLA), fees(OLD_POOL, DUSD)],
      [
        [0n, 0n],
        [3n, 3n],
      ],
    );
    assert.deepEqual(
      [fees(OTHER_POOL, TSLA), fees(OTHER_POOL, DUSD)],
      [
        [2n, 2n],
        [2n, 2n],
      ],
    );
  });

  test('have a version that counts only pools of destroyed tokens', () => {
    const fixture = new SplitFixture();
    addAsset(fixture.view, OTHER_POOL, 'TSLA-DUSD/v8', TokenFlag.poolShare);
    fixture.split();
    assert.equal(getToken(fixture.view, OLD_POOL)?.symbol, 'TSLA-DUSD/v1');
  });

  test('pass on their attributes, without those of the token with the same number', () => {
    const fixture = new SplitFixture();
    const fee: AttributeValue = { kind: 'amount', value: 5n };
    fixture.attribute(`v0/poolpairs/${OLD_POOL}/token_a_fee_pct`, fee);
    fixture.attribute(`v0/poolpairs/${OTHER_POOL}/token_a_fee_pct`, fee);
    fixture.attribute(`v0/token/${OLD_POOL}/dex_in_fee_pct`, fee);
    fixture.split();
    assert.equal(fixture.stored(`v0/poolpairs/${OLD_POOL}/token_a_fee_pct`), undefined);
    assert.deepEqual(fixture.stored(`v0/poolpairs/${NEW_POOL}/token_a_fee_pct`), fee);
    assert.deepEqual(fixture.stored(`v0/poolpairs/${OTHER_POOL}/token_a_fee_pct`), fee);
    assert.deepEqual(fixture.stored(`v0/token/${OLD_POOL}/dex_in_fee_pct`), fee);
  });

  test('from DF24 on pass on their commissions, converted, if the newest entry has a swap', () => {
    const entry = (df24: number, swapped: boolean) => {
      const fixture = new SplitFixture({ ...GRAND_CENTRAL, metachain: 0, df24 });
      putSwapEntry(fixture.view, OLD_POOL, 100, { swapped, commissionA: 7n, commissionB: 9n });
      fixture.split();
      assert.equal(fixture.successor, 'TSLA');
      return fixture.view.get(swapHistory, { pool: NEW_POOL, height: SPLIT_HEIGHT });
    };
    assert.deepEqual(entry(0, true), { swapped: true, commissionA: 14n, commissionB: 18n });
    assert.equal(entry(0, false), undefined);
    assert.equal(entry(SPLIT_HEIGHT + 1, true), undefined);
  });
});

test('a token with future swaps switched off cannot be split', () => {
  for (const given of [GRAND_CENTRAL, { ...GRAND_CENTRAL, metachain: 0 }]) {
    for (const value of [false, true]) {
      const fixture = new SplitFixture(given);
      fixture.attribute(`v0/token/${TSLA}/dfip2203`, { kind: 'bool', value });
      fixture.split();
      const split = [fixture.successor, getToken(fixture.view, TSLA)?.symbol];
      assert.deepEqual(split, value ? ['TSLA', 'TSLA/v1'] : [undefined, 'TSLA']);
    }
  }
});

describe('attributes after a split', () => {
  test('lack its order, and later orders for the old token', () => {
    const fixture = new SplitFixture();
    const both = [
      { id: DUSD, multiplier: 3n },
      { id: TSLA, multiplier: 3n },
    ];
    fixture.attribute('v0/oracles/splits/200', { kind: 'splits', value: both });
    fixture.attribute('v0/oracles/splits/300', { kind: 'splits', value: both.slice(1) });
    fixture.split();
    assert.equal(fixture.stored(`v0/oracles/splits/${SPLIT_HEIGHT}`), undefined);
    assert.deepEqual(fixture.stored('v0/oracles/splits/200'), { kind: 'splits', value: both.slice(0, 1) });
    assert.equal(fixture.stored('v0/oracles/splits/300'), undefined);
    assert.deepEqual([fixture.stored(lock(TSLA)), fixture.stored(lock(NEW_TOKEN))], [undefined, { kind: 'bool', value: true }]);
  });

  test('lack the order of an unlocked token too, and keep the later ones', () => {
    const fixture = new SplitFixture();
    fixture.view.delete(attributes, attributeAt(lock(TSLA)));
    const later: AttributeValue = { kind: 'splits', value: [{ id: TSLA, multiplier: 3n }] };
    fixture.attribute('v0/oracles/splits/200', later);
    fixture.split();
    assert.equal(fixture.successor, undefined);
    assert.equal(fixture.stored(`v0/oracles/splits/${SPLIT_HEIGHT}`), undefined);
    assert.deepEqual(fixture.stored('v0/oracles/splits/200'), later);
  });

  test('from Grand Central on change the lock of the successor at the height that was set for the old token', () => {
    const pendingLock = (grandCentral: number): AttributeKey | undefined => {
      const fixture = new SplitFixture({ ...GRAND_CENTRAL, grandCentral });
      const at = { height: 200, name: 'ATTRIBUTES' };
      const unlock: AttributeValue = { kind: 'bool', value: false };
      fixture.view.put(pendingVariables, at, encode(messageAttributes, [{ key: attributeAt(lock(TSLA)), value: unlock }]));
      fixture.split();
      assert.equal(fixture.successor, 'TSLA');
      return decode(messageAttributes, fixture.view.get(pendingVariables, at) ?? new Uint8Array())[0]?.key;
    };
    assert.deepEqual(pendingLock(SPLIT_HEIGHT), attributeAt(lock(NEW_TOKEN)));
    assert.deepEqual(pendingLock(SPLIT_HEIGHT + 1), attributeAt(lock(TSLA)));
  });
});

test('a split moves the interest of a loan to the new token', () => {
  const fixture = new SplitFixture();
  fixture.attribute(lock(TSLA), { kind: 'bool', value: false });
  const vaultId = fixture.openVault();
  fixture.give(owner, DFI, 30n * COIN);
  assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: DFI, amount: 30n * COIN } }), undefined);
  assert.equal(fixture.failure(takeLoan, { vaultId, to: owner, amounts: [{ tokenId: TSLA, amount: 5n * COIN }] }), undefined);
  fixture.attribute(lock(TSLA), { kind: 'bool', value: true });
  const accrued = { negative: false, amount: 123n };
  const old = fixture.view.get(interestRates, { vaultId, tokenId: TSLA });
  assert.ok(old);
  fixture.view.put(interestRates, { vaultId, tokenId: TSLA }, { ...old, toHeight: accrued });
  fixture.split();
  assert.equal(fixture.view.get(interestRates, { vaultId, tokenId: TSLA }), undefined);
  // Ten coins at 10 % a year: 10^8 satoshis * 10^16 / 52,560 blocks.
  const perBlock = { negative: false, amount: 19_025_875_190_258_751_902n };
  const expected = { height: 100, perBlock, toHeight: { negative: false, amount: 246n } };
  assert.deepEqual(fixture.view.get(interestRates, { vaultId, tokenId: NEW_TOKEN }), expected);
});

test('a split converts locked amounts from DF24 on', () => {
  const locked = (df24: number) => {
    const fixture = new SplitFixture({ ...GRAND_CENTRAL, metachain: 0, df24 });
    fixture.view.put(lockedTokens, owner, [
      { tokenId: DUSD, amount: 4n },
      { tokenId: TSLA, amount: 5n },
    ]);
    fixture.split();
    return fixture.view.get(lockedTokens, owner);
  };
  const dollars = { tokenId: DUSD, amount: 4n };
  assert.deepEqual(locked(SPLIT_HEIGHT), [dollars, { tokenId: NEW_TOKEN, amount: 10n }]);
  assert.deepEqual(locked(SPLIT_HEIGHT + 1), [dollars, { tokenId: TSLA, amount: 5n }]);
});

test('splits run late in the block before Metachain, and early from then on', () => {
  const params = heights({ ...GRAND_CENTRAL, fortCanningCrunch: 50, metachain: 100 });
  const due = (height: number) => [lateTokenSplits, earlyTokenSplits].map((event) => event.isDue({ height, params } as BlockEventContext));
  assert.deepEqual([49, 50, 99, 100].map(due), [
    [false, false],
    [true, false],
    [true, false],
    [false, true],
  ]);
});

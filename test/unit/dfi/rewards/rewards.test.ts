import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Accounts, balanceOf, materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import { earnedPerShare, NOTHING_EARNED } from '../../../../src/dfi/pools/history-columns.js';
import { materialiseRewards } from '../../../../src/dfi/rewards/owner-rewards.js';
import { type Payment, paymentsOf } from '../../../../src/dfi/rewards/payments.js';
import { rewardRuns } from '../../../../src/dfi/rewards/reward-runs.js';
import type { Overlay } from '../../../../src/storage/overlay.js';
import type { StateView } from '../../../../src/storage/view.js';
import { fc } from '../../../property.js';
import { heights } from '../fixture.js';
import { END, type Entries, owner, POOL, paramsOf, type Story, story, tell } from './stories.js';

/** Entry at or below a height. */
function newest<V>(entries: Entries<V>, height: number): readonly [number, V] | undefined {
  return [...entries].filter(([at]) => at <= height).sort(([a], [b]) => b - a)[0];
}

/** A column as a query sees it: empty, unless an entry is at or below its begin or follows from Grand Central on. */
function seen<V>(
  entries: Entries<V>,
  begin: number,
  end: number,
  grandCentral: number,
): { readonly from: number; readonly first: number } | undefined {
  const before = newest(entries, begin);
  if (before) return { from: begin, first: before[0] };
  for (let k = Math.max(begin, grandCentral); k < end; k++) {
    const found = newest(entries, k);
    if (found) return { from: k, first: found[0] };
  }
  return undefined;
}

/** Block by block, as the specification words it. */
function byTheLoop(view: Overlay, story: Story, begin: number, end: number): void {
  const accounts = new Accounts(view);
  const { gardens, grandCentral } = story;
  const valueAt = <V>(entries: Entries<V>, height: number): V | undefined => {
    const window = seen(entries, begin, end, grandCentral);
    return window && height >= window.from ? newest(entries, height)?.[1] : undefined;
  };
  const pay = (tokenId: number, amount: bigint) => {
    try {
      accounts.add(owner, { tokenId, amount });
    } catch {
      // The balance overflows: the payment of the block is lost.
    }
  };
  for (let x = begin; x < end; x++) {
    const total = valueAt(story.liquidity, x) ?? 0n;
    if (total === 0n) continue;
    const shares = balanceOf(view, owner, POOL);
    const exact = (amount: bigint) => (amount * shares) / total;
    const old = (amount: bigint) => (x < gardens ? (amount * ((shares * 10_000n) / total)) / 10_000n : exact(amount));
    pay(0, old(valueAt(story.reward, x) ?? 0n));
    pay(0, exact(valueAt(story.loan, x) ?? 0n));
    const window = seen(story.swap, begin, end, grandCentral);
    const swap = window && x >= window.first ? story.swap.get(x) : undefined;
    if (swap?.swapped) {
      pay(1, old(swap.commissionA));
      pay(2, old(swap.commissionB));
    }
    for (const { tokenId, amount } of valueAt(story.custom, x) ?? []) pay(tokenId, exact(amount));
  }
}

function everything(view: StateView): Record<number, bigint> {
  return Object.fromEntries([0, 1, 2, POOL, 9].map((tokenId) => [tokenId, balanceOf(view, owner, tokenId)]));
}

describe('rewards over runs of blocks', () => {
  test('equal those of a loop over blocks, in one call or in two', () => {
    fc.assert(
      fc.property(story, fc.integer({ min: 1, max: END }), (told, middle) => {
        const params = paramsOf(told);
        const expected = tell(told);
        const settled = tell(told);
        let begin = told.since;
        for (const end of [Math.min(middle, END), END]) {
          if (told.since >= end) continue;
          byTheLoop(expected, told, begin, end);
          materialiseRewards(settled, owner, { height: end, params });
          begin = end;
        }
        assert.deepEqual(everything(settled), everything(expected));
      }),
      { numRuns: 120 },
    );
  });

  test('come in as few runs as there are changes', () => {
    const told: Story = {
      liquidity: new Map([[0, 1_000_000n]]),
      reward: new Map([
        [0, 5n],
        [20, 6n],
      ]),
      loan: new Map(),
      swap: new Map([[10, { swapped: true, commissionA: 3n, commissionB: 0n }]]),
      custom: new Map(),
      shares: 1n,
      coins: 0n,
      since: 0,
      gardens: 0,
      grandCentral: 0,
    };
    const runs = [...rewardRuns(tell(told), POOL, 0, END, paramsOf(told))];
    assert.deepEqual(
      runs.map(({ begin, end, reward, commissionA }) => [begin, end, reward, commissionA]),
      [
        [0, 10, 5n, 0n],
        [10, 11, 5n, 3n],
        [11, 20, 5n, 0n],
        [20, END, 6n, 0n],
      ],
    );
  });
});

describe('rewards since DF24', () => {
  const params = heights({ bayfrontGardens: 0, grandCentral: 0, df24: 50 });
  const HIGH = 10n ** 16n;

  function earned(): Overlay {
    const view = tell({
      liquidity: new Map([[0, 100n]]),
      reward: new Map([[0, 100n]]),
      loan: new Map(),
      swap: new Map(),
      custom: new Map(),
      shares: 40n,
      coins: 0n,
      since: 40,
      gardens: 0,
      grandCentral: 0,
    });
    view.put(earnedPerShare, { pool: POOL, height: 50 }, { ...NOTHING_EARNED, coinbase: HIGH });
    const custom = [{ tokenId: 9, amount: HIGH / 3n }];
    view.put(
      earnedPerShare,
      { pool: POOL, height: 51 },
      { ...NOTHING_EARNED, coinbase: 2n * HIGH, tokenA: 1, commissionA: HIGH / 2n, custom },
    );
    return view;
  }

  test('blocks before DF24 are paid one by one, later ones by the rewards per share', () => {
    const view = earned();
    materialiseRewards(view, owner, { height: 52, params });
    assert.equal(balanceOf(view, owner, 0), 10n * 40n + 2n * 40n);
    assert.equal(balanceOf(view, owner, 1), 20n);
    assert.equal(balanceOf(view, owner, 9), 13n);
    assert.equal(view.get(materialisedHeights, owner), 52);
  });

  test('each call rounds once', () => {
    const view = earned();
    materialiseRewards(view, owner, { height: 51, params });
    assert.equal(balanceOf(view, owner, 0), 10n * 40n + 40n);
    materialiseRewards(view, owner, { height: 52, params });
    materialiseRewards(view, owner, { height: 52, params });
    assert.equal(balanceOf(view, owner, 0), 10n * 40n + 80n);
  });
});

test('an amount that reads as negative is neither credited nor debited', () => {
  const most = 0x7fff_ffff_ffff_ffffn;
  const params = heights({ bayfrontGardens: 0, grandCentral: 0, df24: 50 });
  const nothing = { liquidity: new Map(), reward: new Map(), loan: new Map(), swap: new Map(), custom: new Map() };
  const view = tell({ ...nothing, shares: 40n, coins: most, since: 51, gardens: 0, grandCentral: 0 });
  // Block 51 had no shares, so the sums restart at zero.
  view.put(earnedPerShare, { pool: POOL, height: 50 }, { ...NOTHING_EARNED, coinbase: 10n ** 16n });
  materialiseRewards(view, owner, { height: 52, params });
  assert.deepEqual([balanceOf(view, owner, 0), view.get(materialisedHeights, owner)], [most, 52]);
});

describe('payments of one block', () => {
  const run = {
    begin: 100,
    end: 101,
    totalLiquidity: 30_000n,
    reward: 1_000n,
    loanReward: 1_000n,
    custom: [],
    commissionA: 500n,
    commissionB: 0n,
  };
  const terms = { tokenA: 1, tokenB: 2 };
  const amounts = (payments: readonly Payment[]) => payments.map(({ kind, tokenId, amount: paid }) => [kind, tokenId, paid]);

  test('until Bayfront Gardens shares are rounded down to hundredths of a percent', () => {
    assert.deepEqual(amounts(paymentsOf(run, 10_000n, terms, heights({ bayfrontGardens: 101 }))), [
      ['coinbase', 0, 333n],
      ['loan', 0, 333n],
      ['commission', 1, 166n],
    ]);
    assert.deepEqual(amounts(paymentsOf({ ...run, reward: 1_000_000n }, 10_000n, terms, heights({ bayfrontGardens: 101 })))[0], [
      'coinbase',
      0,
      333_300n,
    ]);
  });

  test('from Bayfront Gardens on shares are exact', () => {
    assert.deepEqual(amounts(paymentsOf({ ...run, reward: 1_000_000n }, 10_000n, terms, heights({ bayfrontGardens: 100 })))[0], [
      'coinbase',
      0,
      333_333n,
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Accounts, balanceOf, materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import { putNewPool, setShare } from '../../../../src/dfi/pools/columns.js';
import {
  customRewardHistory,
  earnedPerShare,
  liquidityHistory,
  loanRewardHistory,
  NOTHING_EARNED,
  type PoolHeight,
  rewardHistory,
  swapHistory,
} from '../../../../src/dfi/pools/history-columns.js';
import { materialiseRewards } from '../../../../src/dfi/rewards/owner-rewards.js';
import { type Payment, paymentsOf } from '../../../../src/dfi/rewards/payments.js';
import { rewardRuns } from '../../../../src/dfi/rewards/reward-runs.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { Column, StateView } from '../../../../src/storage/view.js';
import { fc } from '../../../property.js';
import { heights, script } from '../fixture.js';

const POOL = 7;
const owner = script(1);
const END = 60;

/** Entries of one history by height. */
type Entries<V> = ReadonlyMap<number, V>;

interface Story {
  readonly liquidity: Entries<bigint>;
  readonly reward: Entries<bigint>;
  readonly loan: Entries<bigint>;
  readonly swap: Entries<{ swapped: boolean; commissionA: bigint; commissionB: bigint }>;
  readonly custom: Entries<{ tokenId: number; amount: bigint }[]>;
  readonly shares: bigint;
  /** Initial DFI balance of the owner; a large one may overflow. */
  readonly coins: bigint;
  readonly since: number;
  readonly gardens: number;
  readonly grandCentral: number;
}

function put<V>(view: Overlay, column: Column<PoolHeight, V>, entries: Entries<V>): void {
  for (const [height, value] of entries) view.put(column, { pool: POOL, height }, value);
}

function tell(story: Story): Overlay {
  const view = new Overlay(new MemoryStore());
  const terms = { tokenA: 1, tokenB: 2, commission: 0n, owner: script(9), status: true };
  putNewPool(view, POOL, { ...terms, creationTx: NULL_HASH, creationHeight: 1, rewards: [] });
  put(view, liquidityHistory, story.liquidity);
  put(view, rewardHistory, story.reward);
  put(view, loanRewardHistory, story.loan);
  put(view, swapHistory, story.swap);
  put(view, customRewardHistory, story.custom);
  new Accounts(view).addAll(owner, [
    { tokenId: 0, amount: story.coins },
    { tokenId: POOL, amount: story.shares },
  ]);
  setShare(view, POOL, owner, story.since);
  return view;
}

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

const height = fc.integer({ min: 0, max: END });
const amount = fc.bigInt({ min: 0n, max: 5_000_000_000n });
function entries<V>(value: fc.Arbitrary<V>): fc.Arbitrary<Entries<V>> {
  return fc.array(fc.tuple(height, value), { maxLength: 8 }).map((list) => new Map(list));
}
const custom = fc
  .uniqueArray(fc.record({ tokenId: fc.constantFrom(0, 1, POOL, 9), amount: fc.bigInt({ min: 1n, max: 1_000n }) }), {
    selector: ({ tokenId }) => tokenId,
    maxLength: 3,
  })
  .map((list) => [...list].sort((a, b) => a.tokenId - b.tokenId));
const story: fc.Arbitrary<Story> = fc.record({
  liquidity: entries(fc.oneof(fc.constant(0n), fc.bigInt({ min: 1_000_000n, max: 2_000_000n }))).map(
    (more) => new Map([[0, 1_500_000n], ...more]),
  ),
  reward: entries(amount),
  loan: entries(amount),
  swap: entries(fc.record({ swapped: fc.boolean(), commissionA: amount, commissionB: amount })),
  custom: entries(custom),
  shares: fc.bigInt({ min: 1n, max: 1_000_000n }),
  coins: fc.oneof(
    fc.constant(5n),
    fc.bigInt({ min: 0n, max: 40_000_000_000n }).map((room) => 2n ** 63n - 1n - room),
  ),
  since: fc.integer({ min: 0, max: 30 }),
  gardens: fc.integer({ min: 0, max: END }),
  grandCentral: fc.integer({ min: 0, max: END + 10 }),
});

function paramsOf({ gardens, grandCentral }: Pick<Story, 'gardens' | 'grandCentral'>): NetworkParams {
  return heights({ bayfrontGardens: gardens, grandCentral });
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accounts, balancesOf, materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import { earnedPerShare, NOTHING_EARNED } from '../../../../src/dfi/pools/history-columns.js';
import { holdersOf, RewardConsolidation } from '../../../../src/dfi/rewards/consolidation.js';
import type { ChainBlock } from '../../../../src/dfi/rewards/known-rewards.js';
import { materialiseRewards } from '../../../../src/dfi/rewards/owner-rewards.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import type { Overlay } from '../../../../src/storage/overlay.js';
import { finish } from '../../../../src/util/slicer.js';
import { fc } from '../../../property.js';
import { heights, script } from '../fixture.js';
import { END, owner, POOL, type Story, story, tell } from './stories.js';

const block = (height: number): ChainBlock => ({ height, ancestor: (at) => block(at) });

const PLAIN: Story = {
  liquidity: new Map([[0, 1_000n]]),
  reward: new Map([[0, 5_000n]]),
  loan: new Map(),
  swap: new Map(),
  custom: new Map(),
  shares: 100n,
  coins: 3n,
  since: 10,
  gardens: 0,
  grandCentral: 0,
};

function paramsOf({ gardens, grandCentral }: Story, df24: number): NetworkParams {
  return heights({ bayfrontGardens: gardens, grandCentral, df24 });
}

/** State of a story whose shares earn from DF24 on. */
function state(told: Story, df24: number): Overlay {
  const view = tell(told);
  for (let height = df24; height < END; height++) {
    const coinbase = BigInt(height) * 10n ** 19n + 7n;
    view.put(earnedPerShare, { pool: POOL, height }, { ...NOTHING_EARNED, coinbase });
  }
  return view;
}

function consolidated(told: Story, df24: number, height: number): { readonly view: Overlay; readonly done: boolean } {
  const view = state(told, df24);
  const done = finish(new RewardConsolidation(view, block(height), paramsOf(told, df24)).materialise(owner));
  return { view, done };
}

test('balances are in the end what they are without it', () => {
  let some = 0;
  const height = fc.integer({ min: 1, max: END + 5 });
  const early = story.map((told) => ({ ...told, grandCentral: told.grandCentral % 20 }));
  fc.assert(
    fc.property(early, height, height, (told, at, df24) => {
      const params = paramsOf(told, df24);
      const { view, done } = consolidated(told, df24, Math.min(at, END));
      if (done) some += 1;
      const expected = state(told, df24);
      for (const each of [view, expected]) materialiseRewards(each, owner, { height: END, params });
      assert.deepEqual([...balancesOf(view, owner)], [...balancesOf(expected, owner)]);
    }),
    { numRuns: 300 },
  );
  assert.ok(some > 20, `${some} owners were consolidated`);
});

test('the blocks below the tip are paid, and the height is noted', () => {
  const { view, done } = consolidated(PLAIN, 1_000, 30);
  assert.ok(done);
  assert.equal(new Accounts(view).balance(owner, 0), 3n + 20n * 500n);
  assert.equal(view.get(materialisedHeights, owner), 30);
});

test('blocks from DF24 on are not paid', () => {
  const { view, done } = consolidated(PLAIN, 25, 30);
  assert.ok(done);
  assert.equal(new Accounts(view).balance(owner, 0), 3n + 15n * 500n);
  assert.equal(view.get(materialisedHeights, owner), 25);
  assert.equal(finish(new RewardConsolidation(view, block(40), paramsOf(PLAIN, 25)).materialise(owner)), false, 'there are no others');
});

for (const { name, told } of [
  { name: 'a tip below Grand Central', told: { ...PLAIN, grandCentral: 31 } },
  { name: 'a pool that pays in its shares', told: { ...PLAIN, custom: new Map([[12, [{ tokenId: POOL, amount: 1n }]]]) } },
  { name: 'a balance near the largest amount', told: { ...PLAIN, coins: 2n ** 62n } },
  { name: 'a share that earns nothing yet', told: { ...PLAIN, since: 30 } },
]) {
  test(`nothing is materialised: ${name}`, () => {
    const { view, done } = consolidated(told, 1_000, 30);
    assert.equal(done, false);
    assert.equal(new Accounts(view).balance(owner, 0), told.coins);
    assert.equal(view.get(materialisedHeights, owner), undefined);
  });
}

test('holders: of some tokens, or all with a balance', () => {
  const view = state(PLAIN, 1_000);
  const other = script(2);
  new Accounts(view).add(other, { tokenId: 9, amount: 1n });
  const of = (...tokens: number[]) => finish(holdersOf(view, tokens.length > 0 ? new Set(tokens) : undefined));
  assert.deepEqual(of(POOL), [owner]);
  assert.deepEqual(of(9), [other]);
  assert.deepEqual(of(), [owner, other]);
  assert.deepEqual(of(5), []);
});

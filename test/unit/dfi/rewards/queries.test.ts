import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { putNewPool, setShare } from '../../../../src/dfi/pools/columns.js';
import { customRewardHistory, earnedPerShare, NOTHING_EARNED } from '../../../../src/dfi/pools/history-columns.js';
import { PastRewards, type Reward, TipRewardCounts } from '../../../../src/dfi/rewards/queries.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import type { Overlay } from '../../../../src/storage/overlay.js';
import { finish } from '../../../../src/util/slicer.js';
import { fc } from '../../../property.js';
import { script } from '../fixture.js';
import { END, owner, POOL, paramsOf, type Story, story, tell } from './stories.js';

const EMPTY_POOL = POOL + 1;

/** State of a story in which rewards are computed block by block, because a pool without liquidity may pay in shares of the other. */
function blockByBlock(told: Story, df24: number): Overlay {
  const view = prepared(told, df24);
  const terms = { tokenA: 3, tokenB: 4, commission: 0n, owner: script(9), status: true };
  putNewPool(view, EMPTY_POOL, { ...terms, creationTx: NULL_HASH, creationHeight: 1, rewards: [] });
  view.put(customRewardHistory, { pool: EMPTY_POOL, height: 1 }, [{ tokenId: POOL, amount: 1n }]);
  setShare(view, EMPTY_POOL, owner, 0);
  return view;
}

/** State of a story, with rewards per share from DF24 on. */
function prepared(told: Story, df24: number): Overlay {
  const view = tell(told);
  for (let height = df24; height < END; height++) {
    const coinbase = BigInt(height - df24 + (height % 3)) * 10n ** 14n;
    view.put(earnedPerShare, { pool: POOL, height }, { ...NOTHING_EARNED, coinbase, tokenA: 1, commissionA: coinbase / 7n });
  }
  return view;
}

function listed(view: Overlay, params: NetworkParams, begin: number, end: number): Reward[] {
  return [...new PastRewards(view, params).newestFirst(owner, begin, end)].flat();
}

const scene = fc.record({
  told: story,
  df24: fc.oneof(fc.constant(10_000_000), fc.integer({ min: 0, max: END })),
  blocks: fc.tuple(fc.nat({ max: END }), fc.nat({ max: END })).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
});

function paramsWith(told: Story, df24: number): NetworkParams {
  const params = paramsOf(told);
  return { ...params, upgrades: { ...params.upgrades, df24 } };
}

describe('past rewards', () => {
  test('are those of a computation block by block, newest block first', () => {
    fc.assert(
      fc.property(scene, ({ told, df24, blocks: [begin, end] }) => {
        const params = paramsWith(told, df24);
        const expected = listed(blockByBlock(told, df24), params, begin, end);
        assert.deepEqual(listed(prepared(told, df24), params, begin, end), expected);
        assert.deepEqual(
          expected.map(({ height }) => height),
          expected.map(({ height }) => height).sort((a, b) => b - a),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('are counted without being listed', () => {
    fc.assert(
      fc.property(scene, fc.constantFrom(undefined, 0, 1, 9), ({ told, df24, blocks: [begin, end] }, tokenId) => {
        const params = paramsWith(told, df24);
        const rewards = listed(blockByBlock(told, df24), params, begin, end);
        const counted = finish(new PastRewards(prepared(told, df24), params).count(owner, begin, end, tokenId));
        assert.equal(counted, rewards.filter((reward) => tokenId === undefined || reward.tokenId === tokenId).length);
      }),
      { numRuns: 300 },
    );
  });

  test('are the same in a call that asks for many ranges', () => {
    const range = fc.tuple(fc.nat({ max: END }), fc.nat({ max: END }));
    const record = fc.record({ tokenId: fc.constantFrom(0, 1, POOL), amount: fc.bigInt({ min: -5n, max: 5n }) });
    fc.assert(
      fc.property(scene, fc.array(fc.tuple(range, record), { minLength: 3, maxLength: 8 }), ({ told, df24 }, steps) => {
        const params = paramsWith(told, df24);
        const view = prepared(told, df24);
        const rewards = new PastRewards(view, params);
        steps.forEach(([[begin, end]], i) => {
          const once = new PastRewards(view, params);
          for (const [, difference] of steps.slice(0, i)) once.reverse(owner, [difference]);
          assert.deepEqual([...rewards.newestFirst(owner, begin, end)].flat(), [...once.newestFirst(owner, begin, end)].flat());
          rewards.reverse(owner, [steps[i]?.[1] as never]);
        });
      }),
      { numRuns: 300 },
    );
  });

  test('up to the tip are counted for one height after the other', () => {
    fc.assert(
      fc.property(scene, fc.array(fc.nat({ max: END }), { maxLength: 8 }), ({ told, df24 }, begins) => {
        const params = paramsWith(told, df24);
        const view = prepared(told, df24);
        const counts = new TipRewardCounts(view, params, END, undefined);
        const expected = begins.map((begin) => listed(blockByBlock(told, df24), params, begin, END).length);
        assert.deepEqual(
          begins.map((begin) => finish(counts.count(owner, begin))),
          expected,
        );
        const descending = [...begins].sort((a, b) => b - a);
        const again = new TipRewardCounts(view, params, END, undefined);
        for (const begin of descending) assert.equal(finish(again.count(owner, begin)), expected[begins.indexOf(begin)]);
      }),
      { numRuns: 300 },
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accounts, balancesOf, materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import { deleteShare, putNewPool, setShare } from '../../../../src/dfi/pools/columns.js';
import {
  customRewardHistory,
  earnedPerShare,
  liquidityHistory,
  NOTHING_EARNED,
  rewardHistory,
  swapHistory,
} from '../../../../src/dfi/pools/history-columns.js';
import { type ChainBlock, KnownRewards } from '../../../../src/dfi/rewards/known-rewards.js';
import { materialiseRewards } from '../../../../src/dfi/rewards/owner-rewards.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { StateView } from '../../../../src/storage/view.js';
import { INT64_MAX } from '../../../../src/util/numbers.js';
import { finish } from '../../../../src/util/slicer.js';
import { fc } from '../../../property.js';
import { heights, script } from '../fixture.js';

const POOLS = [7, 8] as const;
const OWNERS = [script(1), script(2)] as const;

/** Block of a test chain, with the state after it. */
class TestBlock implements ChainBlock {
  readonly height: number;

  constructor(
    readonly state: Overlay,
    readonly parent?: TestBlock,
  ) {
    this.height = parent ? parent.height + 1 : 0;
  }

  ancestor(height: number): TestBlock | undefined {
    let block: TestBlock | undefined = this;
    while (block && block.height > height) block = block.parent;
    return block;
  }
}

function genesis(): TestBlock {
  const view = new Overlay(new MemoryStore());
  for (const pool of POOLS) {
    const terms = { tokenA: 1, tokenB: pool - 5, commission: 0n, owner: script(9), status: true };
    putNewPool(view, pool, { ...terms, creationTx: NULL_HASH, creationHeight: 0, rewards: [] });
    view.put(liquidityHistory, { pool, height: 0 }, 1_000_003n);
    view.put(swapHistory, { pool, height: 0 }, { swapped: false, commissionA: 0n, commissionB: 0n });
    view.put(rewardHistory, { pool, height: 0 }, 1_000_000n);
    view.put(customRewardHistory, { pool, height: 0 }, []);
    for (const [i, owner] of OWNERS.entries()) {
      new Accounts(view).add(owner, { tokenId: pool, amount: 1_000n + BigInt(i) });
      setShare(view, pool, owner, 0);
    }
  }
  return new TestBlock(view);
}

/** Change of the state by a block. */
type Change = (view: Overlay, at: { readonly height: number; readonly params: NetworkParams }) => void;

const pool = fc.constantFrom(...POOLS);
const owner = fc.constantFrom(...OWNERS);
const amount = fc.bigInt({ min: 1n, max: 900_000n });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(pool, amount).map(
    ([pool, value]): Change =>
      (view, { height }) =>
        view.put(rewardHistory, { pool, height }, value),
  ),
  fc.tuple(pool, amount).map(
    ([pool, by]): Change =>
      (view, { height }) =>
        view.put(liquidityHistory, { pool, height }, 1_000_000n + by),
  ),
  fc.tuple(pool, amount).map(
    ([pool, value]): Change =>
      (view, { height }) =>
        view.put(swapHistory, { pool, height }, { swapped: true, commissionA: value, commissionB: 5n }),
  ),
  fc.tuple(pool, fc.constantFrom(3, 3, 3, 7), amount).map(
    ([pool, tokenId, value]): Change =>
      (view, { height }) =>
        view.put(customRewardHistory, { pool, height }, [{ tokenId, amount: value }]),
  ),
  fc.tuple(owner, pool, amount).map(
    ([owner, tokenId, value]): Change =>
      (view, at) => {
        materialiseRewards(view, owner, at);
        new Accounts(view).add(owner, { tokenId, amount: value });
        setShare(view, tokenId, owner, at.height);
      },
  ),
  // No rule changes shares without materialising; a sum for other shares would be wrong even so.
  fc.tuple(owner, pool, amount).map(
    ([owner, tokenId, value]): Change =>
      (view) =>
        new Accounts(view).add(owner, { tokenId, amount: value }),
  ),
  fc.tuple(owner, pool).map(
    ([owner, pool]): Change =>
      (view, at) => {
        materialiseRewards(view, owner, at);
        deleteShare(view, pool, owner);
      },
  ),
  fc.tuple(owner, fc.bigInt({ min: 0n, max: 10n ** 9n })).map(
    ([owner, room]): Change =>
      (view) => {
        const accounts = new Accounts(view);
        const left = INT64_MAX - accounts.balance(owner, 0) - room;
        if (left > 0n) accounts.add(owner, { tokenId: 0, amount: left });
      },
  ),
);

/** One part of a chain: blocks disconnected first, then blocks connected, the first of them with these changes. */
const part = fc.record({
  disconnected: fc.oneof(fc.constant(0), fc.nat({ max: 150 })),
  connected: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 90, max: 700 })),
  changes: fc.array(change, { maxLength: 3 }),
});

function connect(parent: TestBlock, params: NetworkParams, changes: readonly Change[]): TestBlock {
  const height = parent.height + 1;
  const state = changes.length === 0 ? parent.state : new Overlay(parent.state);
  for (const apply of changes) apply(state, { height, params });
  for (const pool of height >= params.upgrades.df24 ? POOLS : []) {
    const coinbase = BigInt(height % 50) * 10n ** 15n;
    state.put(earnedPerShare, { pool, height }, { ...NOTHING_EARNED, coinbase, tokenA: 1, commissionA: coinbase });
  }
  return new TestBlock(state, parent);
}

function balances(view: StateView, owner: Uint8Array): unknown[] {
  return [view.get(materialisedHeights, owner), ...balancesOf(view, owner)];
}

test('kept sums of rewards give what materialising gives, over blocks, disconnects and changes of shares', () => {
  let hits = 0;
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(0, 300, 10_000_000),
      fc.constantFrom(400, 10_000_000),
      fc.constantFrom(1, 100),
      (parts, grandCentral, df24, maxShares) => {
        const params = heights({ bayfrontGardens: 200, grandCentral, df24 });
        const known = new KnownRewards(maxShares);
        let tip = genesis();
        for (const { disconnected, connected, changes } of parts) {
          tip = tip.ancestor(Math.max(0, tip.height - disconnected)) as TestBlock;
          for (let i = 0; i < connected; i++) tip = connect(tip, params, i === 0 ? changes : []);
          const scratch = new Overlay(tip.state);
          const reading = known.at(scratch, tip, params);
          for (const owner of OWNERS) {
            const expected = new Overlay(tip.state);
            materialiseRewards(expected, owner, { height: tip.height + 1, params });
            finish(reading.materialise(owner));
            assert.deepEqual(balances(scratch, owner), balances(expected, owner));
          }
        }
        hits += known.hits;
        assert.ok(known.size <= maxShares);
      },
    ),
    { numRuns: 150 },
  );
  assert.ok(hits > 50, `${hits} sums were continued`);
});

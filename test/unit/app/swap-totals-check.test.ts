import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireSwapTotals } from '../../../src/app/swap-totals-check.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { marks } from '../../../src/chain/records.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { liveKey } from '../../../src/dfi/attributes/live-totals.js';
import { swapHistory } from '../../../src/dfi/pools/history-columns.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';

const NEEDS_REINDEX = /^ConfigError: Live dex needs reindex\. Please restart with -reindex/;

/** A chain whose database has a swap. */
class Swapped {
  readonly #store = new MemoryStore();
  readonly #blocks = new MemoryBlocks();
  chain = this.open(false);

  /** Opens the chain again. @param keepsTotals -dexstats */
  open(keepsTotals: boolean): Chain {
    const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true, keepsSwapTotals: keepsTotals });
    const deps = { store: this.#store, blocks: this.#blocks, clock: new FixedClock(1_600_000_000), log: silentLogger };
    this.chain = new Chain({ params }, deps);
    return this.chain;
  }

  amend(change: (state: Overlay) => void): void {
    const changes = new Overlay(this.chain.state);
    change(changes);
    this.chain.amendTip(changes);
  }

  swap(): void {
    this.amend((state) =>
      state.put(swapHistory, { pool: 1, height: this.chain.tip.height }, { swapped: true, commissionA: 0n, commissionB: 0n }),
    );
  }

  check(): void {
    this.chain.close();
    requireSwapTotals(this.#store);
  }
}

test('-dexstats is refused after a swap without it, and accepted before', () => {
  const db = new Swapped();
  extend(db.chain, 2);
  db.check();
  db.swap();
  assert.throws(() => db.check(), NEEDS_REINDEX);
});

test('after -dexstats was off, it is refused if blocks were connected or replaced', () => {
  for (const replaces of [false, true]) {
    const db = new Swapped();
    extend(db.open(true), 1);
    db.swap();
    extend(db.chain, 1);
    db.check();
    db.open(false);
    db.check();
    if (replaces) db.chain.invalidate(db.chain.tip);
    extend(db.chain, 1, 9);
    assert.throws(() => db.check(), NEEDS_REINDEX);
  }
});

test('blocks that are disconnected and connected with -dexstats stay in the totals', () => {
  const db = new Swapped();
  extend(db.open(true), 3);
  db.swap();
  const { tip } = db.chain;
  db.chain.invalidate(tip);
  assert.equal(db.chain.state.get(marks, 'swapTotals'), 2);
  db.check();
  db.chain.reconsider(tip);
  assert.equal(db.chain.state.get(marks, 'swapTotals'), 3);
});

test('totals of earlier versions, which have no mark, count as complete', () => {
  const db = new Swapped();
  extend(db.chain, 1);
  db.swap();
  db.amend((state) => state.put(attributes, liveKey('dex'), { kind: 'dex', value: [] }));
  db.check();
});

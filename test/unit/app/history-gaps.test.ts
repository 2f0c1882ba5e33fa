import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteHistoryGaps } from '../../../src/app/history-gaps.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

/** Runs of one database: each connects blocks with or without the history of accounts. */
class Runs {
  readonly #disk = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger };

  /** @returns the heights of the warnings at the start */
  run(acindex: boolean, blocks: number): (readonly [string, unknown])[] {
    const warnings: [string, unknown][] = [];
    const warn = (text: string, facts?: Readonly<Record<string, unknown>>) => {
      warnings.push([/-\w+/.exec(text)?.[0] ?? text, facts?.height]);
    };
    noteHistoryGaps(this.#disk.store, { acindex, vaultindex: true }, { warn });
    const chain = new Chain({ params, accountHistory: acindex }, this.#disk);
    extend(chain, blocks);
    chain.close();
    return warnings;
  }
}

test('each start with -acindex warns if earlier blocks were connected without it', () => {
  const runs = new Runs();
  assert.deepEqual(runs.run(true, 3), []);
  assert.deepEqual(runs.run(true, 1), []);
  assert.deepEqual(runs.run(false, 2), []);
  assert.deepEqual(runs.run(false, 2), []);
  assert.deepEqual(runs.run(true, 5), [['-acindex', 8]]);
  assert.deepEqual(runs.run(true, 1), [['-acindex', 8]]);
  assert.deepEqual(runs.run(false, 1), []);
  assert.deepEqual(runs.run(true, 1), [['-acindex', 15]]);
});

test('a chain without blocks has no gap', () => {
  const runs = new Runs();
  assert.deepEqual(runs.run(false, 0), []);
  assert.deepEqual(runs.run(true, 4), []);
  assert.deepEqual(runs.run(true, 1), []);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BlockFiles } from '../../src/chain/block-files.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { blockBytes, COUNTER, columns, MAGIC } from './fixtures/store-layout.js';
import { runAndKill } from './killed-writer.js';

/** Lets the writer work for a while and kills it. @returns the last batch that it acknowledged */
async function writeAndKill(args: readonly string[], afterMs: number): Promise<number> {
  const printed = await runAndKill('store-writer.ts', args, afterMs);
  return Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1));
}

test('a writer killed at any moment leaves whole batches and whole blocks, and loses no acknowledged batch', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'dfi-kill-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const [directory, blocksDirectory] = [join(root, 'db'), join(root, 'blocks')];
  let blocksBefore = 0;
  let last = 0;
  for (const { sync, afterMs } of [
    { sync: 'sync', afterMs: 40 },
    { sync: 'no', afterMs: 150 },
    { sync: 'sync', afterMs: 90 },
    { sync: 'no', afterMs: 300 },
  ]) {
    const acknowledged = await writeAndKill([directory, blocksDirectory, sync], afterMs);
    assert.ok(acknowledged > last, 'the writer made progress');
    const store = await RocksStore.open(directory, columns);
    const counters = columns.map((column) => store.get(column, COUNTER));
    last = counters[0] as number;
    assert.deepEqual(
      counters,
      columns.map(() => last),
    );
    assert.ok(last >= acknowledged, `batch ${acknowledged} is lost, ${last} is the last`);
    const expected = Array.from({ length: Math.min(last, 50) }, (_, i) => Math.max(last - 50, 0) + 1 + i);
    for (const column of columns) {
      const rows = [...store.entries(column)].filter(([key]) => key !== COUNTER);
      assert.deepEqual(
        rows,
        expected.map((n) => [n, n]),
      );
    }
    await store.close();
    const blocks = new BlockFiles(blocksDirectory, { magic: MAGIC });
    const positions = [...blocks.records()];
    assert.ok(positions.length - blocksBefore >= 1);
    const newest = positions.at(-1);
    assert.ok(newest);
    // The block is written before its batch, so the last one may belong to a batch that was never written.
    const newestBytes = Buffer.from(blocks.read(newest));
    assert.ok([last, last + 1].some((n) => newestBytes.equals(blockBytes(n))));
    assert.equal(positions.length >= last, true);
    blocksBefore = positions.length;
    blocks.close();
  }
});

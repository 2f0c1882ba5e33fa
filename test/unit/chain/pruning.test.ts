import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BlockFiles } from '../../../src/chain/block-files.js';
import { type BlockStore, MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { BlockFileIndex } from '../../../src/chain/file-index.js';
import { filesToFree, type PruneOptions, Pruner } from '../../../src/chain/pruning.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { finish } from '../../../src/util/slicer.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

function open(store: MemoryStore, blocks: BlockStore, prune?: PruneOptions, now = 1_600_000_000, log = silentLogger): Chain {
  return new Chain({ params, prune }, { store, blocks, clock: new FixedClock(now), log });
}

const MIB = 2 ** 20;
const files = [0, 1, 2, 3].map((file) => ({ file, bytes: 100 * MIB }));

const targets = [
  { name: 'enough room', usedBytes: 400 * MIB, targetBytes: 500 * MIB, catchingUp: false, expected: [] },
  { name: 'the next stretch would exceed the target', usedBytes: 534 * MIB, targetBytes: 550 * MIB, catchingUp: false, expected: [0] },
  { name: 'a tenth more during initial download', usedBytes: 600 * MIB, targetBytes: 550 * MIB, catchingUp: true, expected: [0, 1] },
  { name: 'after initial download', usedBytes: 600 * MIB, targetBytes: 550 * MIB, catchingUp: false, expected: [0] },
  { name: 'all deletable files', usedBytes: 2000 * MIB, targetBytes: 550 * MIB, catchingUp: false, expected: [0, 1, 2, 3] },
];
for (const { name, expected, ...state } of targets) {
  test(`files to delete for a target: ${name}`, () => {
    assert.deepEqual(
      filesToFree(files, state).map(({ file }) => file),
      expected,
    );
  });
}

test('the target is kept while a file is being filled, not only when a new one is begun', () => {
  const perFile = 128;
  const target = 550 * MIB;
  const stored = new Map<number, number>();
  const fileIndex = new BlockFileIndex();
  const pruner = new Pruner(
    { at: () => undefined, all: () => [] },
    {
      fileIndex,
      get blockFiles() {
        return [...stored].map(([file, bytes]) => ({ file, bytes }));
      },
      isUnderWay: () => false,
      removeBlockFile: (file) => void stored.delete(file),
      forgetBlock() {},
      flush() {},
    },
  );
  let most = 0;
  for (let height = 0; height < 1500; height++) {
    const file = Math.floor(height / perFile);
    stored.set(file, (stored.get(file) ?? 0) + MIB);
    fileIndex.note({ height, position: { file, offset: 0, size: MIB } });
    finish(pruner.pruneToTarget(target, { height: height - 288, catchingUp: false }));
    most = Math.max(
      most,
      [...stored.values()].reduce((sum, bytes) => sum + bytes, 0),
    );
  }
  assert.ok(most <= target, `${most / MIB} MiB`);
  assert.ok(most > target - 32 * MIB, 'no more is deleted than necessary');
});

test('a deletion that ends early is completed by the next one', () => {
  const fileIndex = new BlockFileIndex();
  // Three blocks of the active chain, and one of a branch.
  const places = [
    { height: 0, file: 0 },
    { height: 1, file: 0 },
    { height: 2, file: 1 },
    { height: 1, file: 0 },
  ];
  const entries = places.map(({ height, file }, offset) => ({ height, isActive: offset < 3, position: { file, offset, size: 1 } }));
  for (const entry of entries) fileIndex.note(entry);
  const done: (number | string)[] = [];
  const tree = { at: (height: number) => entries[height], all: () => entries } as never;
  const pruner = new Pruner(tree, {
    fileIndex,
    blockFiles: [0, 1].map((file) => ({ file, bytes: 2 })),
    isUnderWay: () => false,
    removeBlockFile: (file) => void done.push(`file ${file}`),
    forgetBlock: (entry) => {
      done.push(entry.position?.offset ?? 'forgotten before');
      entry.position = undefined;
    },
    flush: () => void done.push('flush'),
  });
  const ended = pruner.pruneTo(1);
  ended.next();
  assert.deepEqual(done, [0]);
  assert.equal(finish(pruner.pruneTo(2)), 1);
  assert.deepEqual(done, [0, 1, 3, 'flush', 'file 0']);
});

test('blocks are connected while a long deletion is under way; closing the chain ends it, and the next one completes it', async () => {
  const store = new MemoryStore();
  const blocks = new MemoryBlocks();
  const chain = open(store, blocks, { targetBytes: 0 });
  extend(chain, 400);
  const deletion = chain.pruneTo(100, fillTurn);
  extend(chain, 1);
  assert.equal(chain.tip.height, 401);
  assert.equal(chain.entryAt(0)?.isPruned, true);
  chain.close();
  await deletion;
  assert.equal(chain.entryAt(100)?.isPruned, false);
  const again = open(store, blocks, { targetBytes: 0 });
  await Promise.all([again.pruneTo(90, fillTurn), again.pruneTo(100)]);
  assert.equal(again.lowestStored().height, 101);
  assert.deepEqual(blocks.files().length, 401 - 100);
});

/** Works for longer than a slice may take. */
function fillTurn(): void {
  for (const since = performance.now(); performance.now() - since < 6; );
}

test('a rebuild with -prune deletes no file whose blocks are not imported yet', async () => {
  const blocks = new MemoryBlocks();
  extend(open(new MemoryStore(), blocks), 420);
  const deps = { store: new MemoryStore(), blocks, clock: new FixedClock(1_600_000_000), log: silentLogger };
  // Changes are written, and files deleted, after each block.
  const options = { params: { ...params, pruneAfterHeight: 100 }, prune: { targetBytes: 1 }, flushIntervalSec: 0 };
  const chain = new Chain(options, deps);
  assert.equal(await chain.recover(), 420);
  assert.equal(chain.tip.height, 420);
  assert.equal(chain.lowestStored().height, 420 - 288 + 1);
});

test('a rebuild with -prune keeps the files of blocks that wait for their parents', async () => {
  const [first, second] = [new MemoryBlocks(), new MemoryBlocks()];
  const source = open(new MemoryStore(), first);
  const made = extend(source, 420);
  // The last block is stored before all others, and the parent of another one at the end. Each has a file of its own.
  const order = [made[419], ...made.slice(0, 399), ...made.slice(400, 419), made[399]];
  second.append(first.read({ file: 0, offset: 0, size: 0 }));
  for (const block of order) second.append(bytesOf(source, block ?? assert.fail()));
  const deps = { blocks: second, clock: new FixedClock(1_600_000_000), log: silentLogger };
  const options = { params: { ...params, pruneAfterHeight: 100 }, prune: { targetBytes: 1 }, flushIntervalSec: 0 };
  const store = new MemoryStore();
  const stopped = new Chain(options, { store, ...deps });
  const stop = new AbortController();
  stopped.on('tip', ({ height }) => height === 350 && stop.abort());
  await assert.rejects(stopped.recover(stop.signal));
  stopped.close();
  const chain = new Chain(options, { store, ...deps });
  await chain.recover();
  assert.equal(chain.tip.height, 420);
});

test('blocks far below the tip are deleted with their undo records; their headers stay, also after a restart', async () => {
  const store = new MemoryStore();
  const blocks = new MemoryBlocks();
  const chain = open(store, blocks, { targetBytes: 0 });
  extend(chain, 320);
  assert.equal(chain.lowestStored().height, 0);
  const before = chain.sizeOnDisk;
  await chain.pruneTo(20);
  assert.equal(chain.lowestStored().height, 21);
  assert.ok(chain.sizeOnDisk < before);
  await chain.pruneTo(1_000_000);
  // The last 288 blocks are never deleted.
  assert.equal(chain.lowestStored().height, 320 - 288 + 1);
  for (const each of [chain, open(store, blocks, { targetBytes: 0 })]) {
    const gone = each.entryAt(32);
    const kept = each.entryAt(33);
    assert.ok(gone && kept);
    assert.deepEqual([gone.isPruned, gone.hasData, gone.nTx], [true, false, 1]);
    assert.deepEqual([each.block(gone), each.rawBlock(gone), each.spentCoins(gone)], [undefined, undefined, undefined]);
    assert.equal(each.header(gone).time, gone.time);
    assert.equal(kept.isPruned, false);
    assert.equal(each.spentCoins(kept)?.length, 1);
    assert.equal(each.lowestStored(), kept);
    assert.equal(each.tip.chainTx, chain.tip.chainTx);
  }
});

test('a chain that was pruned can be extended, reorganised and verified', async () => {
  const logged: string[] = [];
  const log = { ...silentLogger, info: (text: string) => void logged.push(text) };
  const chain = open(new MemoryStore(), new MemoryBlocks(), { targetBytes: 0 }, undefined, log);
  extend(chain, 300);
  await chain.pruneTo(12);
  assert.equal(await chain.verify(4, 0), true);
  assert.ok(logged.includes('block verification stopping at height 12 (pruning, no data)'));
  chain.invalidate(chain.entryAt(200) as never);
  extend(chain, 5, 3);
  assert.equal(chain.tip.height, 204);
  chain.reconsider(chain.entryAt(199) as never);
  assert.equal(chain.tip.height, 300);
});

test('a side branch whose first block was deleted waits for that block', async () => {
  const chain = open(new MemoryStore(), new MemoryBlocks(), { targetBytes: 0 });
  extend(chain, 2);
  let parent = chain.entryAt(1);
  for (let i = 0; i < 2; i++) {
    assert.ok(parent);
    const side = blockOn(chain, parent, { tag: 9 });
    chain.submitBlock(bytesOf(chain, side));
    parent = chain.entry(side.hash);
  }
  extend(chain, 290);
  const { tip } = chain;
  await chain.pruneTo(2);
  // The branch cannot be activated without its first blocks, so the tip does not change.
  chain.invalidate(chain.entryAt(chain.tip.height) as never);
  assert.equal(chain.tip, tip.parent);
});

test('pruned data cannot be opened without pruning', async () => {
  const store = new MemoryStore();
  const blocks = new MemoryBlocks();
  const chain = open(store, blocks, { targetBytes: 0 });
  extend(chain, 300);
  await chain.pruneTo(5);
  assert.throws(() => open(store, blocks), {
    message: 'You need to rebuild the database using -reindex to go back to unpruned mode.  This will redownload the entire blockchain',
  });
});

test('whole files are deleted on disk; those that an unclean shutdown left are deleted at the next start', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'dfi-prune-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const directory = join(root, 'blocks');
  const options = { magic: params.p2pMagic, fileBytes: 20_000, pruned: true };
  const store = new MemoryStore();
  const blocks = new BlockFiles(directory, options);
  const chain = open(store, blocks, { targetBytes: 0 });
  await chain.recover();
  extend(chain, 400);
  const all = readdirSync(directory).length;
  assert.ok(all > 3, `${all} files`);
  const copy = join(root, 'copy');
  copyFileSync(join(directory, 'blk00000.dat'), copy);
  await chain.pruneTo(chain.tip.height);
  const rest = readdirSync(directory);
  const lowest = chain.lowestStored().height;
  assert.ok(rest.length < all && lowest > 0 && lowest <= 400 - 288 + 1, `${rest.length} of ${all} files, from ${lowest}`);
  assert.equal(chain.entryAt(lowest)?.position?.offset, 8, 'the lowest block stands at the beginning of a file');
  chain.close();
  blocks.close();
  // An unclean shutdown came before the file was deleted.
  assert.ok(!rest.includes('blk00000.dat'));
  copyFileSync(copy, join(directory, 'blk00000.dat'));
  const filesAgain = new BlockFiles(directory, options);
  const again = open(store, filesAgain, { targetBytes: 0 });
  assert.ok(!readdirSync(directory).includes('blk00000.dat'));
  assert.equal(again.lowestStored().height, lowest);
  assert.equal(again.tip.height, 400);
  extend(again, 3);
  assert.equal(again.tip.height, 403);
  filesAgain.close();
});

test('with a target, files are deleted automatically when the chain is long enough', async () => {
  const blocks = new MemoryBlocks();
  const chain = open(new MemoryStore(), blocks, { targetBytes: 18 * MIB }, params.genesis.header.time + 5_000);
  // Not below the height at which the network allows pruning, and never the last 288 blocks.
  extend(chain, 1000);
  assert.equal(chain.lowestStored().height, 0);
  Object.defineProperty(blocks, 'files', { value: () => bigFiles(blocks) });
  extend(chain, 1);
  // Waits for the deletion under way.
  await chain.pruneTo(0);
  assert.equal(chain.lowestStored().height, 1001 - 288 + 1);
});

/** Block files as if each block had one MiB. */
function bigFiles(blocks: MemoryBlocks) {
  return MemoryBlocks.prototype.files.call(blocks).map(({ file }) => ({ file, bytes: MIB }));
}

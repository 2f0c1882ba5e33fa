import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Activator } from '../../../src/chain/activation.js';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { BlockTree } from '../../../src/chain/block-tree.js';
import type { ChainEvents } from '../../../src/chain/events.js';
import { UnlinkedBlocks } from '../../../src/chain/unlinked-blocks.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { networkParams } from '../../../src/params/index.js';
import { Emitter } from '../../../src/util/events.js';
import { silentLogger } from '../../../src/util/logger.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

/** Tree of genesis and three headers above it, and an activator whose connector accepts all blocks but `invalid`. */
function fixture(invalid?: number, { isLong = false, stopAtHeight = Number.POSITIVE_INFINITY } = {}) {
  const { genesis } = params;
  const tree = new BlockTree(params);
  const entries = [tree.add(genesis.hash, genesis.header, undefined)];
  for (let i = 1; i <= 3; i++) entries.push(tree.add(new Uint8Array(32).fill(i), genesis.header, entries.at(-1)));
  tree.push(entries[0] as BlockIndexEntry);
  const tips: number[] = [];
  const writes: number[] = [];
  const events = new Emitter<ChainEvents>();
  events.on('tip', ({ height }) => tips.push(height));
  const failed = new BlockInvalid('bad-cb-amount');
  const connector = {
    prepare: () => true,
    connect(entry: BlockIndexEntry) {
      if (entry.height === invalid) return failed;
      tree.push(entry);
      return undefined;
    },
    disconnect: () => tree.pop(),
  };
  const best = () => (invalid === undefined || tree.tip.height < invalid - 1 ? (entries[3] as BlockIndexEntry) : tree.tip);
  const activator = new Activator({
    tree,
    candidates: { best, drop() {} },
    unlinked: new UnlinkedBlocks(),
    connector,
    checkedBlocks: { require: () => assert.fail('no branch is left') },
    flusher: {
      isLong,
      flushIfDue() {
        writes.push(tree.tip.height);
      },
    },
    events,
    log: silentLogger,
    stopAtHeight,
  });
  return { tree, tips, writes, failed, activator, entries };
}

test('an activation returns the verdicts of the blocks that it tried', () => {
  const { tips, activator, entries } = fixture();
  const { verdicts, pending } = activator.activate();
  assert.deepEqual(
    [...verdicts],
    [1, 2, 3].map((i) => [entries[i], undefined]),
  );
  assert.deepEqual([pending, tips], [false, [3]]);
});

test('the verdict on an invalid block is the rule that it breaks; blocks above it are not tried', () => {
  const { tree, failed, activator, entries } = fixture(2);
  const { verdicts } = activator.activate();
  assert.deepEqual([...verdicts.values()], [undefined, failed]);
  assert.equal(tree.tip, entries[1]);
});

test('when time is up, the activation is pending', () => {
  const { tree, activator } = fixture();
  const { verdicts, pending } = activator.activate(() => true);
  assert.deepEqual([verdicts.size, pending, tree.tip.height], [1, true, 1]);
});

test('many changes are left to the next call also if there is time', () => {
  const { activator, writes } = fixture(undefined, { isLong: true });
  const first = activator.activate(() => false, true);
  assert.deepEqual([first.pending, first.unwritten, writes], [true, true, []]);
  const second = activator.activate(() => false, true);
  assert.deepEqual([second.pending, second.unwritten, writes], [false, false, [3]]);
});

test('changes are written in the same call, or in the next one if time is up and the caller can wait', () => {
  const patient = fixture();
  const pending = [1, 2, 3].map(() => patient.activator.activate(() => true, true).pending);
  assert.deepEqual([pending, patient.writes, patient.tree.tip.height], [[true, true, true], [], 3]);
  assert.equal(patient.activator.activate(() => true, true).pending, false);
  assert.deepEqual(patient.writes, [3]);
  const { activator, writes } = fixture();
  activator.activate(() => true);
  activator.activate(() => false, true);
  assert.deepEqual(writes, [1, 3]);
});

test('no block is connected above the height at which the node stops', () => {
  const { tree, activator, tips } = fixture(undefined, { stopAtHeight: 2 });
  assert.equal(activator.isStopped, false);
  const { pending } = activator.activate();
  assert.deepEqual([pending, activator.isStopped, tree.tip.height, tips], [false, true, 2, [2]]);
  assert.equal(activator.activate().verdicts.size, 0);
});

test('a tip above the height at which the node stops is extended by one block, as in defid', () => {
  for (const stopAtHeight of [0, -1]) {
    const { tree, activator } = fixture(undefined, { stopAtHeight });
    activator.activate();
    assert.deepEqual([activator.isStopped, tree.tip.height], [true, 1]);
    activator.activate();
    assert.equal(tree.tip.height, 1);
  }
});

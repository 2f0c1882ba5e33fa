import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import type { WorkReport } from '../../../src/util/work-report.js';
import { extend } from '../../chains/block-builder.js';
import { openPool } from '../../chains/memory-pool.js';
import { answer, type TestNode } from './node.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const NOW = 1_600_000_000;

const reports: WorkReport[] = [];

function node(targetBytes: number | undefined): TestNode {
  const clock = new FixedClock(NOW);
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger };
  const chain = new Chain({ params, prune: targetBytes === undefined ? undefined : { targetBytes } }, deps);
  return {
    chain,
    clock,
    verification: { level: 3, blocks: 6 },
    showsWitness: true,
    warnings: { text: '' },
    deprecated: [],
    report: (report) => void reports.push(report),
    ...openPool(chain, clock),
  };
}

let pruned: TestNode;

before(() => {
  pruned = node(0);
  extend(pruned.chain, 1000);
});

const misc = (message: string) => JSON.stringify({ code: -1, message });
const invalid = (message: string) => JSON.stringify({ code: -8, message });

test('without -prune the call is refused before its argument is read', async () => {
  const all = node(undefined);
  const message = misc('Cannot prune blocks because node is not in prune mode.');
  assert.equal(await answer(all, 'pruneblockchain', '[1]'), message);
  assert.equal(await answer(all, 'pruneblockchain', '["x"]'), message);
  const info = JSON.parse(await answer(all, 'getblockchaininfo', '[]'));
  assert.equal(info.pruned, false);
  assert.equal('pruneheight' in info, false);
});

test('a chain that is too short is not pruned', async () => {
  assert.equal(await answer(node(0), 'pruneblockchain', '[1]'), misc('Blockchain is too short for pruning.'));
});

test('errors of the argument', async () => {
  assert.equal(await answer(pruned, 'pruneblockchain', '[-1]'), invalid('Negative block height.'));
  assert.equal(await answer(pruned, 'pruneblockchain', '[1001]'), invalid('Blockchain is shorter than the attempted prune height.'));
  assert.equal(
    await answer(pruned, 'pruneblockchain', `[${pruned.chain.tip.maxTime + 7201}]`),
    invalid('Could not find block with at least the specified timestamp.'),
  );
  assert.match(await answer(pruned, 'pruneblockchain', '["x"]'), /"code":-1,/);
});

test('a height: the answer is the lowest remaining block, and reads of pruned ones fail with the reason', async () => {
  reports.length = 0;
  // Statistics are kept, but not shown any more.
  assert.equal(JSON.parse(await answer(pruned, 'getblockstats', '[100]')).height, 100);
  assert.equal(await answer(pruned, 'pruneblockchain', '[100]'), '101');
  assert.deepEqual(reports.at(0), { work: 'pruning blocks', percent: 0, isOver: false });
  assert.deepEqual(reports.at(-1), { work: 'pruning blocks', percent: 100, isOver: true });
  const hash = formatHash(pruned.chain.entryAt(100)?.hash ?? new Uint8Array());
  const gone = misc('Block not available (pruned data)');
  for (const params of [`["${hash}"]`, `["${hash}",0]`, `["${hash}",2]`]) assert.equal(await answer(pruned, 'getblock', params), gone);
  assert.equal(await answer(pruned, 'getblockstats', '[100]'), gone);
  assert.equal(JSON.parse(await answer(pruned, 'getblockheader', `["${hash}"]`)).height, 100);
  assert.equal(JSON.parse(await answer(pruned, 'getblockstats', '[101]')).height, 101);
  const info = JSON.parse(await answer(pruned, 'getblockchaininfo', '[]'));
  assert.deepEqual([info.pruned, info.pruneheight, info.automatic_pruning, info.prune_target_size], [true, 101, false, undefined]);
  assert.equal(await answer(pruned, 'verifychain', '[4,0]'), 'true');
});

test('a time: blocks older by two hours are pruned; the last 288 stay', async () => {
  // The time of block 400 is that of block 398 too, and that of 397 is lower.
  const times = [397, 398, 400].map((height) => pruned.chain.entryAt(height)?.time ?? 0);
  assert.ok(times[0] !== times[1] && times[1] === times[2]);
  assert.equal(await answer(pruned, 'pruneblockchain', `[${(times[2] ?? 0) + 7200}]`), '399');
  assert.equal(await answer(pruned, 'pruneblockchain', '[1000]'), String(1000 - 288 + 1));
});

test('a prune target is reported in bytes', async () => {
  const info = JSON.parse(await answer(node(576_716_800), 'getblockchaininfo', '[]'));
  assert.deepEqual([info.pruned, info.pruneheight, info.automatic_pruning, info.prune_target_size], [true, 0, true, 576_716_800]);
});

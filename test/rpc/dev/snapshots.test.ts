import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NodeError } from '../../../src/util/errors.js';
import { digest } from '../../chains/state-digest.js';
import { fc } from '../../property.js';
import { type DevNode, startDevNode } from './dev-node.js';

let node: DevNode;
before(async () => {
  node = await startDevNode();
});
after(() => node.end());

/** Answers that a snapshot covers. */
async function world(): Promise<unknown> {
  const pooled = [...node.mempool.pool.entries()].map(({ key }) => key).sort();
  const answers: unknown[] = [digest(node.chain), node.chain.tip.height, node.clock.mockTime, pooled];
  for (const [method, ...args] of [['getbalances'], ['listunspent', 0], ['listtransactions', '*', 1000], ['listaccounts']] as const) {
    answers.push(JSON.stringify(await node.call(method, args)));
  }
  return answers;
}

type Step = 'mine' | 'send' | 'account' | 'advance' | 'snapshot' | 'revert';
const steps = fc.array(fc.constantFrom<Step>('mine', 'send', 'send', 'account', 'advance', 'snapshot', 'revert'), { maxLength: 20 });

async function run(step: Step, kept: Map<number, unknown>): Promise<void> {
  const { call, founder } = node;
  if (step === 'mine') await call('dev_mine', [2]);
  else if (step === 'send') await call('sendtoaddress', [await call('getnewaddress', []), 1]);
  else if (step === 'account') await call('utxostoaccount', [{ [founder]: '1@DFI' }]);
  else if (step === 'advance') await call('dev_advanceTime', [100]);
  else if (step === 'snapshot') kept.set(Number(await call('dev_snapshot', [])), await world());
  else {
    const ids = [...kept.keys()];
    const id = ids[Math.floor(ids.length / 2)];
    if (id === undefined) return;
    await call('dev_revert', [id]);
    for (const later of ids) if (later > id) kept.delete(later);
    assert.deepEqual(await world(), kept.get(id));
  }
}

test('after a revert, state, mempool, clock and wallet are as at the snapshot', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const kept = new Map<number, unknown>();
      await run('snapshot', kept);
      for (const step of all) await run(step, kept);
      await run('revert', kept);
    }),
    { numRuns: 4 },
  );
});

test('the same blocks can be mined again after a revert', async () => {
  const id = await node.call('dev_snapshot', []);
  const first = await node.call('dev_mine', [3]);
  await node.call('dev_revert', [id]);
  const second = await node.call('dev_mine', [3]);
  assert.notDeepEqual(first, second);
  assert.equal((second as unknown[]).length, 3);
});

test('times of blocks: the given interval, the fixed one, never that of the parent', async () => {
  const { call, chain, clock } = node;
  await call('dev_setTime', [chain.tip.time + 1_000]);
  const start = clock.seconds();
  await call('dev_mine', [3, 60]);
  assert.deepEqual(
    [2, 1, 0].map((below) => (chain.entryAt(chain.tip.height - below)?.time ?? 0) - start),
    [0, 60, 120],
  );
  await call('dev_setNextBlockTime', [start + 5_000]);
  assert.equal(clock.seconds(), start + 5_000);
  await call('dev_mine', [2]);
  assert.equal(chain.entryAt(chain.tip.height - 1)?.time, start + 5_000);
  assert.equal(chain.tip.time, start + 5_001);
});

test('reverting to an unknown snapshot, or to one whose tip was invalidated, is refused', async () => {
  assert.match(String(await node.call('dev_revert', [1_000])), /there is no snapshot 1000/);
  await node.call('dev_mine', []);
  const id = Number(await node.call('dev_snapshot', []));
  node.chain.invalidate(node.chain.tip);
  assert.throws(() => node.devNetwork.snapshots.revert(id), NodeError);
});

test('automatic mining: a block for the transactions of a turn; a revert restores the mode and mines nothing', async () => {
  const { call, chain, founder, devNetwork, mempool } = node;
  const { mining, snapshots } = devNetwork;
  const height = chain.tip.height;
  await call('sendtoaddress', [founder, 1]);
  const pooled = mempool.pool.size;
  const waiting = snapshots.take();
  await call('dev_setAutomine', [true]);
  await mining.pending;
  assert.equal(chain.tip.height, height + 1);
  await call('sendtoaddress', [founder, 1]);
  await mining.pending;
  assert.equal(chain.tip.height, height + 2);
  snapshots.revert(waiting);
  assert.equal(mining.mode, 'off');
  assert.equal(mining.pending, undefined);
  assert.equal(chain.tip.height, height);
  assert.equal(mempool.pool.size, pooled);
  await call('dev_setIntervalMining', [1_000]);
  assert.equal(mining.mode, 1_000);
  await call('dev_setIntervalMining', [0]);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { formatHash } from '../../../src/primitives/hash.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { digest, placelessDigest } from '../../chains/state-digest.js';
import { fc } from '../../property.js';
import { type DevNode, startDevNode } from './dev-node.js';

let node: DevNode;
before(async () => {
  node = await startDevNode();
});
after(() => node.end());

/** Answers that a dump covers. */
async function world({ chain, clock, mempool, call }: DevNode): Promise<unknown> {
  const pooled = [...mempool.pool.entries()].map(({ key }) => key).sort();
  const wallet = [JSON.stringify(await call('getbalances', [])), JSON.stringify(await call('listunspent', [0]))];
  return [digest(chain), chain.tip.height, clock.seconds(), pooled, ...wallet];
}

type Step = 'mine' | 'send' | 'account' | 'advance' | 'dump' | 'load' | 'revert';
const steps = fc.array(fc.constantFrom<Step>('mine', 'send', 'send', 'account', 'advance', 'dump', 'load', 'revert'), { maxLength: 16 });

interface Kept {
  readonly dumps: { readonly text: unknown; readonly world: unknown }[];
  readonly snapshot: unknown;
}

async function run(step: Step, { dumps, snapshot }: Kept, choose: number): Promise<void> {
  const { call, founder } = node;
  if (step === 'mine') await call('dev_mine', [2]);
  else if (step === 'send') await call('sendtoaddress', [await call('getnewaddress', []), 1]);
  else if (step === 'account') await call('utxostoaccount', [{ [founder]: '1@DFI' }]);
  else if (step === 'advance') await call('dev_advanceTime', [100]);
  else if (step === 'revert') await call('dev_revert', [snapshot]);
  else if (step === 'dump') dumps.push({ text: await call('dev_dumpState', []), world: await world(node) });
  else {
    const dump = dumps[choose % dumps.length];
    if (!dump) return;
    const { height } = (await call('dev_loadState', [dump.text])) as { height: number };
    assert.equal(height, node.chain.tip.height);
    assert.deepEqual(await world(node), dump.world);
  }
}

test('a state that is loaded is that of the dump: chain, mempool, clock, coins of the wallet', async () => {
  await node.call('setmocktime', [node.chain.tip.time + 10]);
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const kept: Kept = { dumps: [], snapshot: await node.call('dev_snapshot', []) };
      await run('dump', kept, 0);
      for (const [i, step] of all.entries()) await run(step, kept, i);
      await run('dump', kept, 0);
      await run('mine', kept, 0);
      for (const i of kept.dumps.keys()) await run('load', kept, i);
    }),
    { numRuns: 4 },
  );
});

test('another node loads a dump, and refuses what is none', async () => {
  const other = await startDevNode();
  try {
    await other.call('dev_mine', [3]);
    await node.call('sendtoaddress', [node.founder, 1]);
    const text = String(await node.call('dev_dumpState', []));
    await other.call('dev_loadState', [text]);
    assert.equal(placelessDigest(other.chain), placelessDigest(node.chain));
    assert.equal(formatHash(other.chain.tip.hash), formatHash(node.chain.tip.hash));
    assert.deepEqual(
      [...other.mempool.pool.entries()].map(({ key }) => key),
      [...node.mempool.pool.entries()].map(({ key }) => key),
    );
    const own = await world(other);
    const bytes = gunzipSync(fromHex(text.slice(2)));
    const damaged = Buffer.from(bytes);
    const root = damaged.indexOf(node.chain.block(node.chain.tip)?.header.merkleRoot ?? Buffer.alloc(32));
    damaged[root] = (damaged[root] ?? 0) ^ 1;
    for (const bad of ['', '0x00', 'zz', `0x${toHex(gzipSync(bytes.subarray(1)))}`, `0x${toHex(gzipSync(damaged))}`]) {
      assert.match(
        String(await other.call('dev_loadState', [bad])),
        /not a state of dev_dumpState|a block of the state is invalid/,
        bad.slice(0, 20),
      );
      assert.equal(digest(other.chain), (own as unknown[])[0]);
    }
  } finally {
    await other.end();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../../src/params/index.js';
import { getNetworkHashPs, hashRate } from '../../../../src/services/mining/hash-rate.js';
import { turnsOf } from '../../../event-loop-turns.js';
import { jsonRpcCall } from '../../../rpc/json-rpc-call.js';

const params = networkParams({ network: 'regtest' });

/** Rate of two blocks with this work and time between them. */
function rate(work: bigint, seconds: number): number {
  const parent = { height: 1, time: 1000, chainWork: 7n, parent: undefined };
  return hashRate({ height: 2, time: 1000 + seconds, chainWork: 7n + work, parent }, 1, params);
}

test('hash rate: work beyond 64 bits is rounded word by word, as by `defid`', () => {
  assert.equal(rate(6n, 3), 2);
  assert.equal(rate(2n ** 100n, 1), 2 ** 100);
  // Rounded once, the work would be one unit in the last place larger, and smaller.
  assert.equal(rate(25_505_986_164_534_757_748n, 4842).toPrecision(16), '5267655135178595');
  assert.equal(rate(255_985_885_976_499_502_976n, 4875).toPrecision(17), '52509925328512720');
});

test('getnetworkhashps: yields to other work on long chains', async () => {
  type Block = { readonly height: number; readonly time: number; readonly chainWork: bigint; readonly parent: Block | undefined };
  let tip: Block | undefined;
  for (let height = 0; height <= 10_000; height++) tip = { height, time: 1_000 + 30 * height, chainWork: BigInt(2 * height), parent: tip };
  const chain = { params: networkParams({ network: 'regtest' }), tip, entryAt: () => undefined };
  let answer: unknown;
  const turns = await turnsOf(async () => {
    answer = await getNetworkHashPs({ chain } as never, { nblocks: 100_000 } as never, jsonRpcCall);
  });
  assert.deepEqual(answer, { hashesPerSecond: 2 / 30 });
  // A slice is five clock reads, one after every 64 blocks.
  assert.ok(turns > 10_000 / 64 / 6, `${turns} turns`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubscribeRescanResponse } from '../../../gen/ts/dfi/node/v1/control.js';
import { subscribeRescan } from '../../../src/services/node/control/rescans.js';
import { silentLogger } from '../../../src/util/logger.js';
import { Rescan, type ScannedChain } from '../../../src/wallet/rescan.js';
import { jsonRpcCall } from '../json-rpc-call.js';

/** Rescan of a chain with this number of blocks, each of which takes the time of a slice. */
function scanOf(blocks: number): { readonly rescan: Rescan; run(): Promise<void> } {
  const entries = Array.from({ length: blocks }, (_, height) => ({ height, chainTx: height, time: height }));
  const chain = {
    tip: entries.at(-1),
    entryAt: (height: number) => entries[height],
    isActive: () => true,
    *mayHave() {
      for (const end = performance.now() + 11; performance.now() < end; );
      yield;
      return false;
    },
  } as unknown as ScannedChain;
  const rescan = new Rescan(chain, {} as never, () => {}, { log: silentLogger, wallet: '' });
  const run = async (): Promise<void> => {
    const release = rescan.reserve();
    await rescan.run(entries[0] as never).finally(release);
  };
  return { rescan, run };
}

async function readAll(stream: AsyncIterable<SubscribeRescanResponse>): Promise<SubscribeRescanResponse[]> {
  const messages: SubscribeRescanResponse[] = [];
  for await (const each of stream) messages.push(each);
  return messages;
}

const modulesOf = (rescan: Rescan) => ({ wallets: { find: () => ({ rescan }) } }) as never;

test('without a rescan one message reports that', async () => {
  const messages = await readAll(subscribeRescan(modulesOf(scanOf(1).rescan), {}, jsonRpcCall));
  assert.deepEqual(messages, [{ running: false, progress: 0, duration: 0 }]);
});

test('progress is reported immediately, every second, and at the end', async () => {
  const { rescan, run } = scanOf(120);
  const done = run();
  const messages = await readAll(subscribeRescan(modulesOf(rescan), {}, jsonRpcCall));
  await done;
  assert.deepEqual(messages.at(-1), { running: false, progress: 0, duration: 0 });
  const during = messages.slice(0, -1);
  assert.ok(during.length >= 2 && during.every(({ running }) => running), JSON.stringify(messages));
  assert.ok(during.every(({ progress, duration }, n) => duration >= n && progress > (during[n - 1]?.progress ?? -1)));
});

test('a caller that disconnects does not end the rescan', async () => {
  const { rescan, run } = scanOf(20);
  const done = run();
  const leaving = new AbortController();
  const stream = subscribeRescan(modulesOf(rescan), {}, { ...jsonRpcCall, signal: leaving.signal })[Symbol.asyncIterator]();
  assert.equal((await stream.next()).value?.running, true);
  setTimeout(() => leaving.abort(new Error('left')), 30);
  await assert.rejects(stream.next(), /left/);
  assert.ok(rescan.state);
  await done;
  assert.equal(rescan.state, undefined);
});

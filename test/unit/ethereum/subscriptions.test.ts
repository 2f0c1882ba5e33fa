import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServingNode } from './serving-node.js';

type Json = Record<string, unknown>;

/** Waits until notifications were sent. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

function resultsOf(received: readonly unknown[], id: unknown): unknown[] {
  const of = received.filter((each) => ((each as Json).params as Json).subscription === id);
  return of.map((each) => ((each as Json).params as Json).result);
}

test('heads and logs of connected blocks', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const { received, ask } = node.open();
  const heads = await ask('eth_subscribe', 'newHeads');
  const logs = await ask('eth_subscribe', 'logs', {});
  const none = await ask('eth_subscribe', 'logs', { address: `0x${'77'.repeat(20)}` });
  assert.match(String(heads), /^0x[0-9a-f]{32}$/);
  for (let i = 0; i < 4; i++) node.connect();
  await settled();
  const blocks = (await Promise.all([1, 2, 3, 4].map((number) => node.ask('eth_getBlockByNumber', number)))) as Json[];
  assert.deepEqual(
    resultsOf(received, heads),
    blocks.map(({ transactions: _, uncles: __, ...head }) => head),
  );
  const all = (await node.ask('eth_getLogs', { fromBlock: '0x1' })) as Json[];
  const order = ({ blockNumber, logIndex }: Json) => Number(blockNumber) * 1000 + Number(logIndex);
  assert.deepEqual(
    resultsOf(received, logs),
    [...all].sort((a, b) => order(a) - order(b)),
  );
  assert.deepEqual(resultsOf(received, none), []);
  assert.deepEqual(Object.keys(received[0] as Json), ['jsonrpc', 'method', 'params']);
});

test('a block that is disconnected before its notification is not announced', async () => {
  const node = new ServingNode('main', { blocks: 2 });
  const { received, ask } = node.open();
  await ask('eth_subscribe', 'newHeads');
  node.connect();
  node.disconnect();
  await settled();
  assert.deepEqual(received, []);
});

test('unsubscribing, and the end of a connection', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const { received, ask, close } = node.open();
  const id = await ask('eth_subscribe', 'newHeads');
  await ask('eth_subscribe', 'logs', { topics: ['11'.repeat(32)] });
  assert.equal(await node.open().ask('eth_unsubscribe', id), false, 'of another connection');
  assert.equal(await ask('eth_unsubscribe', id), true);
  assert.equal(await ask('eth_unsubscribe', id), false);
  assert.equal(node.rpc.subscriptions, 1);
  close();
  assert.equal(node.rpc.subscriptions, 0);
  node.connect();
  await settled();
  assert.deepEqual(received, []);
});

test('syncing: heights while behind, then false, then nothing', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const { received, ask } = node.open();
  Object.assign(node.bestHeader, { height: 1_000_000 });
  const id = await ask('eth_subscribe', 'syncing');
  node.connect();
  Object.assign(node.bestHeader, { height: 0 });
  node.connect();
  node.connect();
  const current = `0x${(node.tip.height - 2).toString(16)}`;
  const [first, ...rest] = resultsOf(received, id) as [Json];
  assert.deepEqual([first.syncing, first.startingBlock, first.highestBlock], [true, '0x0', '0xf4240']);
  assert.ok(Number(first.currentBlock) >= Number(current) - 2);
  assert.deepEqual(rest, [false]);
});

test('wrong kinds, and limits of a connection and of all', async () => {
  const node = new ServingNode('main', { blocks: 1, maxSubscriptions: 2 });
  const { ask } = node.open();
  const invalid = (message: string) => ({ code: -32602, message });
  assert.deepEqual(
    await ask('eth_subscribe', 'news'),
    invalid('unknown variant `news`, expected one of `newHeads`, `logs`, `newPendingTransactions`, `syncing` at line 1 column 6'),
  );
  assert.deepEqual(
    await ask('eth_subscribe', 'logs', { fromBlock: '0x0' }),
    invalid('unknown field `fromBlock`, expected `address` or `topics` at line 1 column 12'),
  );
  await ask('eth_subscribe', 'newHeads');
  await ask('eth_subscribe', 'newPendingTransactions');
  assert.deepEqual(await ask('eth_subscribe', 'newHeads'), {
    code: -32006,
    message: 'Too many subscriptions on the connection',
    data: 'Exceeded max limit of 2',
  });
  const address = Array.from({ length: 150_000 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`);
  const other = node.open();
  await other.ask('eth_subscribe', 'logs', { address });
  assert.equal(((await other.ask('eth_subscribe', 'logs', { address })) as Json).code, -32006);
  other.close();
  assert.match(String(await node.open().ask('eth_subscribe', 'logs', { address })), /^0x/);
  assert.deepEqual(await node.ask('eth_subscribe', 'newHeads'), { code: -32601, message: 'Method not found' }, 'over HTTP');
});

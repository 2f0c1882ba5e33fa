import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnsOf } from '../../event-loop-turns.js';
import { evm, transfer } from '../mempool/evm-transactions.js';
import { hashOf, pooled } from './pooled.js';
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

test('syncing: a status at once and with each EVM block while behind, then false, then nothing', async () => {
  const node = new ServingNode('main', { blocks: 2 });
  const { received, ask } = node.open();
  const status = (current: number, highest: number) => {
    const [currentBlock, highestBlock] = [current, highest].map((number) => `0x${number.toString(16)}`);
    return { syncing: true, startingBlock: '0x1', currentBlock, highestBlock };
  };
  Object.assign(node.bestHeader, { height: node.tip.height + 10 });
  const id = await ask('eth_subscribe', 'syncing');
  await settled();
  assert.deepEqual(resultsOf(received, id), [status(1, 11)]);
  node.connectDvm();
  node.connect();
  Object.assign(node.bestHeader, { height: 0 });
  node.connect();
  node.connect();
  const highest = Number((resultsOf(received, id)[1] as Json).highestBlock);
  assert.deepEqual(resultsOf(received, id), [status(1, 11), status(2, highest), false]);
});

test('syncing at the tip ends with its first notification and counts for no limit; without an EVM block it is silent', async () => {
  const node = new ServingNode('main', { blocks: 1, maxSubscriptions: 1 });
  const { received, ask } = node.open();
  for (let i = 0; i < 3; i++) {
    const id = await ask('eth_subscribe', 'syncing');
    await settled();
    assert.deepEqual(resultsOf(received, id), [false]);
    assert.equal(await ask('eth_unsubscribe', id), false);
  }
  const empty = new ServingNode('main', { blocks: 0 });
  const session = empty.open();
  Object.assign(empty.bestHeader, { height: 10 });
  await session.ask('eth_subscribe', 'syncing');
  await settled();
  empty.connect();
  await settled();
  assert.deepEqual([session.received, empty.rpc.subscriptions], [[], 0]);
});

test('transactions that enter the pool, with those of transfers between DVM and EVM', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const { received, ask } = node.open();
  const id = await ask('eth_subscribe', 'newPendingTransactions');
  const added = [pooled(node, evm(1, 0)), pooled(node, transfer(2, 0)), pooled(node, transfer(3, 0, 'out'))];
  assert.deepEqual(resultsOf(received, id), added.map(hashOf));
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

test('a kind may be an object with one member of its name, which is null', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const { received, ask } = node.open();
  const id = await ask('eth_subscribe', { newHeads: null });
  assert.match(String(id), /^0x[0-9a-f]{32}$/);
  node.connect();
  await settled();
  assert.equal(resultsOf(received, id).length, 1);
  const unknown = 'unknown variant `news`, expected one of `newHeads`, `logs`, `newPendingTransactions`, `syncing`';
  const refused: readonly (readonly [unknown, string])[] = [
    [{}, 'expected value at line 1 column 2'],
    [{ news: null }, `${unknown} at line 1 column 7`],
    [{ newHeads: 1 }, 'invalid type: integer `1`, expected unit at line 1 column 13'],
    [{ newHeads: {} }, 'invalid type: map, expected unit at line 1 column 12'],
    [{ newHeads: null, logs: null }, 'expected value at line 1 column 16'],
    [5, 'expected value at line 1 column 1'],
    [['newHeads'], 'expected value at line 1 column 1'],
  ];
  for (const [kind, message] of refused) assert.deepEqual(await ask('eth_subscribe', kind), { code: -32602, message });
});

test('a subscription with many addresses is read in several turns, and not kept if the connection ends meanwhile', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const addresses = Array.from({ length: 5000 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`);
  const { ask, close } = node.open();
  const turns = await turnsOf(async () => assert.match(String(await ask('eth_subscribe', 'logs', { address: addresses })), /^0x/));
  assert.ok(turns > 5, String(turns));
  assert.equal(node.rpc.subscriptions, 1);
  await turnsOf(async () => {
    const late = ask('eth_subscribe', 'logs', { address: addresses });
    close();
    assert.match(JSON.stringify(await late), /Client disconnected/);
  });
  assert.equal(node.rpc.subscriptions, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Filters } from '../../../src/ethereum/filters.js';
import { turnsOf } from '../../event-loop-turns.js';
import { evm, transfer } from '../mempool/evm-transactions.js';
import { hashOf, pooled } from './pooled.js';
import { ServingNode } from './serving-node.js';

const custom = (text: string) => ({ code: -32001, message: `Custom error: error calling EVM : "${text}"` });

test('ids are counted over all kinds; unknown ids', async () => {
  const node = new ServingNode('main', { blocks: 2 });
  assert.equal(await node.ask('eth_newBlockFilter'), '0x1');
  assert.equal(await node.ask('eth_newFilter', {}), '0x2');
  assert.equal(await node.ask('eth_newPendingTransactionFilter'), '0x3');
  assert.deepEqual(await node.ask('eth_getFilterChanges', '0x4'), custom('filter not found'));
  assert.deepEqual(await node.ask('eth_getFilterLogs', '0x4'), custom('filter not found'));
  assert.deepEqual(await node.ask('eth_getFilterLogs', '0x1'), custom('invalid filter'));
  assert.equal(await node.ask('eth_uninstallFilter', '0x1'), true);
  assert.equal(await node.ask('eth_uninstallFilter', '0x1'), false);
  assert.deepEqual(await node.ask('eth_getFilterChanges', '0x1'), custom('filter not found'));
});

test('block filters report the blocks since the last poll, not that of their creation', async () => {
  const node = new ServingNode('main', { blocks: 2 });
  const id = await node.ask('eth_newBlockFilter');
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
  node.connect();
  node.connect();
  const hashes = node.built.slice(2).map(({ hash }) => `0x${Buffer.from(hash).toString('hex')}`);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), hashes);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
});

test('log filters with blocks report from the first on, then what is new', async () => {
  const node = new ServingNode('main', { blocks: 2 });
  const id = await node.ask('eth_newFilter', { fromBlock: '0x0', toBlock: '0x100' });
  const before = (await node.ask('eth_getLogs', {})) as unknown[];
  assert.ok(before.length > 0);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), before);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
  for (let i = 0; i < 4; i++) node.connect();
  const after = (await node.ask('eth_getLogs', {})) as unknown[];
  assert.ok(after.length > before.length);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), after.slice(before.length));
  assert.deepEqual(await node.ask('eth_getFilterLogs', id), after);
});

test('log filters polled after each block report its logs', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const id = await node.ask('eth_newFilter', {});
  const polled: unknown[] = [];
  for (let number = 1; number <= 5; number++) {
    node.connect();
    const own = await node.ask('eth_getLogs', { fromBlock: number, toBlock: number });
    assert.deepEqual(await node.ask('eth_getFilterChanges', id), own);
    polled.push(...(own as unknown[]));
  }
  assert.ok(polled.length > 0);
});

test('log filters without blocks follow the chain; with -rpcstrict they end where they were made', async () => {
  for (const isStrict of [false, true]) {
    const node = new ServingNode('main', { blocks: 2, isStrict });
    const before = (await node.ask('eth_getLogs', {})) as unknown[];
    const id = await node.ask('eth_newFilter', {});
    assert.deepEqual(await node.ask('eth_getFilterChanges', id), isStrict ? before : []);
    for (let i = 0; i < 4; i++) node.connect();
    const added = ((await node.ask('eth_getLogs', {})) as unknown[]).slice(before.length);
    assert.deepEqual(await node.ask('eth_getFilterChanges', id), isStrict ? [] : added);
    assert.deepEqual(await node.ask('eth_getFilterLogs', id), isStrict ? before : added);
  }
});

test('log filters are checked as ranges of logs are', async () => {
  const node = new ServingNode('main', { blocks: 2 });
  assert.deepEqual(await node.ask('eth_newFilter', { fromBlock: '0x1', toBlock: '0x0' }), custom('fromBlock is greater than toBlock'));
  assert.deepEqual(await node.ask('eth_newFilter', { fromBlock: '0x0', toBlock: '0x7D1' }), custom('block range exceed max limit'));
  assert.deepEqual(await node.ask('eth_newFilter', { topics: new Array(5).fill('11'.repeat(32)) }), custom('exceed max topics'));
  const refused = await node.ask('eth_newFilter', { blockHash: '11'.repeat(32) });
  assert.equal((refused as { code: number }).code, -32602);
});

test('pending filters report EVM transactions that entered the pool, with those of transfers between DVM and EVM', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  pooled(node, evm(1, 0));
  const id = await node.ask('eth_newPendingTransactionFilter');
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
  const added = [evm(1, 1), evm(2, 0), transfer(3, 0), transfer(4, 0, 'out')].map((tx) => pooled(node, tx));
  const pending = (await node.ask('eth_pendingTransactions')) as { readonly hash: string }[];
  assert.deepEqual(
    pending.slice(1).map(({ hash }) => hash),
    added.map(hashOf),
  );
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), added.map(hashOf));
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
});

test('pending filters with -rpcstrict: the whole pool first, then later seconds, and all again after an empty poll', async () => {
  const node = new ServingNode('main', { blocks: 1, isStrict: true });
  const first = pooled(node, evm(1, 0), 10);
  const id = await node.ask('eth_newPendingTransactionFilter');
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), [hashOf(first)]);
  const lost = pooled(node, evm(1, 1), 10);
  const later = pooled(node, evm(2, 0), 11);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), [hashOf(later)]);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), [first, lost, later].map(hashOf));
});

test('before the first EVM block: no filter is looked up, and block 0 is not reported later', async () => {
  const node = new ServingNode('main', { blocks: 0 });
  const missing = { code: -32001, message: 'Custom error: header not found' };
  const id = await node.ask('eth_newBlockFilter');
  for (const each of [id, '0x7']) {
    assert.deepEqual(await node.ask('eth_getFilterChanges', each), missing);
    assert.deepEqual(await node.ask('eth_getFilterLogs', each), missing);
  }
  assert.equal(((await node.ask('eth_getFilterLogs', `0x1${'0'.repeat(16)}`)) as typeof missing).code, -32001);
  assert.deepEqual(await node.ask('eth_getLogs', { blockHash: '22'.repeat(32) }), missing);
  assert.deepEqual(await node.ask('eth_newFilter', {}), missing);
  node.connect();
  node.connect();
  assert.deepEqual(await node.ask('eth_getFilterChanges', id), [`0x${Buffer.from(node.built[1]?.hash ?? []).toString('hex')}`]);
});

test('log filters with -rpcstrict forget a first block that is still to come; without it they wait for it', async () => {
  for (const isStrict of [false, true]) {
    const node = new ServingNode('main', { blocks: 2, isStrict });
    const id = await node.ask('eth_newFilter', { fromBlock: '0x4', toBlock: '0x100' });
    assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
    for (let i = 0; i < 4; i++) node.connect();
    const expected = await node.ask('eth_getLogs', { fromBlock: isStrict ? '0x2' : '0x4' });
    assert.deepEqual(await node.ask('eth_getFilterChanges', id), expected);
  }
});

test('log filters report the blocks of a new branch', async () => {
  for (const isStrict of [false, true]) {
    const node = new ServingNode('main', { blocks: 5, isStrict });
    const id = await node.ask('eth_newFilter', { fromBlock: '0x0', toBlock: '0x100' });
    await node.ask('eth_getFilterChanges', id);
    const again = (await node.ask('eth_getLogs', { fromBlock: '0x2' })) as unknown[];
    assert.ok(again.length > 0);
    for (let i = 0; i < 3; i++) node.disconnect();
    assert.deepEqual(await node.ask('eth_getFilterChanges', id), []);
    for (let i = 0; i < 3; i++) node.connect();
    assert.deepEqual(await node.ask('eth_getFilterChanges', id), again);
  }
});

test('filters report blocks that replaced others between two polls, except with -rpcstrict', async () => {
  for (const isStrict of [false, true]) {
    const node = new ServingNode('main', { blocks: 5, isStrict });
    const logs = await node.ask('eth_newFilter', { fromBlock: '0x0', toBlock: '0x100' });
    const blocks = await node.ask('eth_newBlockFilter');
    await node.ask('eth_getFilterChanges', logs);
    node.connect();
    assert.equal(((await node.ask('eth_getFilterChanges', blocks)) as unknown[]).length, 1);
    await node.ask('eth_getFilterChanges', logs);
    for (let i = 0; i < 3; i++) node.disconnect();
    for (let i = 0; i < 3; i++) node.connect();
    assert.deepEqual(await node.ask('eth_getFilterChanges', blocks), [], 'the blocks are those of before');
    assert.deepEqual(await node.ask('eth_getFilterChanges', logs), []);
    node.replace(3);
    const hashes = [3, 4, 5].map((number) => `0x${number.toString(16).padStart(2, '0').repeat(32)}`);
    assert.deepEqual(await node.ask('eth_getFilterChanges', blocks), isStrict ? [] : hashes);
    const replaced = (await node.ask('eth_getLogs', { fromBlock: '0x3' })) as unknown[];
    assert.ok(replaced.length > 0);
    assert.deepEqual(await node.ask('eth_getFilterChanges', logs), isStrict ? [] : replaced);
    assert.deepEqual(await node.ask('eth_getFilterChanges', logs), []);
  }
});

test('the least recently used filter is dropped beyond the limit', () => {
  const filters = new Filters();
  const ids = Array.from({ length: 5000 }, () => filters.install({ kind: 'blocks', next: 0 }));
  filters.require(1n);
  for (let i = 0; i < 5000; i++) filters.install({ kind: 'blocks', next: 0 });
  assert.equal(filters.size, 5000);
  assert.equal(ids.filter((id) => filters.uninstall(id)).length, 0);
  filters.require(10_000n);
});

test('addresses and topics of all filters are bounded', () => {
  const filters = new Filters();
  const logs = (count: number) => {
    const addresses = new Set(Array.from({ length: count }, (_, i) => BigInt(i)));
    return { kind: 'logs', filter: { addresses, topics: [] }, from: 0, to: 0, next: 0 } as const;
  };
  for (let i = 0; i < 30; i++) filters.install(logs(10_000));
  assert.equal(filters.size, 20);
  const large = filters.install(logs(250_000));
  assert.equal(filters.size, 1);
  filters.uninstall(large);
  for (let i = 0; i < 30; i++) filters.install(logs(10_000));
  assert.equal(filters.size, 20);
});

test('transactions of the mempool are known by hash and count for the tag pending, except with -rpcstrict', async () => {
  for (const isStrict of [false, true]) {
    const node = new ServingNode('main', { blocks: 1, isStrict });
    const first = pooled(node, evm(1, 0));
    pooled(node, evm(1, 1));
    pooled(node, evm(1, 3));
    const from = `0x${first.evm?.signed.sender.toString(16).padStart(40, '0')}`;
    const found = (await node.ask('eth_getTransactionByHash', hashOf(first))) as Record<string, unknown> | null;
    assert.deepEqual(found && [found.from, found.blockHash, found.blockNumber], isStrict ? null : [from, null, null]);
    assert.equal(await node.ask('eth_getTransactionCount', from, 'pending'), isStrict ? '0x0' : '0x2');
    assert.equal(await node.ask('eth_getTransactionCount', from, 'latest'), '0x0');
    const [shown] = (await node.ask('eth_pendingTransactions')) as [Record<string, unknown>];
    assert.deepEqual([shown.hash, shown.blockNumber, shown.transactionIndex], [hashOf(first), 'null', '0x0']);
    assert.deepEqual(await node.ask('txpool_status'), { pending: '0x2', queued: '0x1' });
    const content = (await node.ask('txpool_contentFrom', from)) as Record<string, object>;
    assert.deepEqual([Object.keys(content.pending ?? {}), Object.keys(content.queued ?? {})], [['0', '1'], ['3']]);
    assert.deepEqual(await node.ask('txpool_content'), { pending: { [from]: content.pending }, queued: { [from]: content.queued } });
    const inspected = (await node.ask('txpool_inspect')) as Record<string, Record<string, Record<string, string>>>;
    assert.equal(inspected.queued?.[from]?.['3'], `0x${'00'.repeat(7)}10${'00'.repeat(12)}: 0 wei + 21000 gas × 30000000000 wei`);
    node.pool.remove([first], 'expiry');
    assert.equal(await node.ask('eth_getTransactionByHash', hashOf(first)), null);
  }
});

test('a long mempool is shown in slices', async () => {
  const node = new ServingNode('main', { blocks: 1 });
  const id = await node.ask('eth_newPendingTransactionFilter');
  const count = 400;
  for (let nonce = 0; nonce < count; nonce++) pooled(node, evm(1 + (nonce % 8), nonce >> 3));
  const sizeOf = (answer: unknown) => JSON.stringify(answer).match(/0x[0-9a-f]{64}"/g)?.length ?? 0;
  for (const [method, ...params] of [['txpool_content'], ['txpool_status'], ['txpool_inspect'], ['eth_getFilterChanges', id]] as const) {
    let answer: unknown;
    const turns = await turnsOf(async () => {
      answer = await node.ask(method, ...params);
    });
    assert.ok(turns > 2, `${method} ${turns}`);
    if (method === 'txpool_status') assert.deepEqual(answer, { pending: `0x${count.toString(16)}`, queued: '0x0' });
    if (method === 'eth_getFilterChanges') assert.equal(sizeOf(answer), count);
  }
});

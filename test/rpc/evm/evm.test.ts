import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../../src/rpc/handler.js';
import { evmHandlers } from '../../../src/services/evm/index.js';
import { NodeError } from '../../../src/util/errors.js';
import { RecordedNode } from '../../unit/ethereum/recorded-node.js';

const A = '0xc50d87f19c20dfdd140a387a20365f7e4198ca6a';
const TOKEN = '0xff00000000000000000000000000000000000001';
/** Reverts. */
const C3 = '0xc4bbb93e9e85addc5d186399e3ee921af90b8d89';
const CALL = { to: '', data: '', from: '', value: '', gas: 0n, gasPrice: '', block: 'latest' };
const node = new RecordedNode('main').connect();
const context = { dialect: 'document', signal: new AbortController().signal } as unknown as CallContext;
const { modules } = node;

test('blocks, transactions and receipts, as Ethereum JSON-RPC answers them', async () => {
  for (const [number, built] of node.built.entries()) {
    const { block } = await evmHandlers.getEvmBlock(modules, { block: String(number) }, context);
    const known = (await node.ask('eth_getBlockByNumber', `0x${number.toString(16)}`, true)) as Record<string, unknown>;
    assert.equal(block?.hash, known.hash);
    assert.deepEqual(await evmHandlers.getEvmBlock(modules, { block: block?.hash ?? '' }, context), { block });
    assert.equal(block?.stateRoot, known.stateRoot);
    assert.deepEqual([block?.number, block?.gasUsed], [number, built.header.gasUsed]);
    for (const hash of new Set(block?.transactions)) {
      const place = (await node.ask('eth_getTransactionReceipt', hash)) as Record<string, string>;
      const { receipt } = await evmHandlers.getEvmReceipt(modules, { hash }, context);
      assert.equal(receipt?.blockHash, place.blockHash);
      assert.equal(receipt?.gasUsed, BigInt(place.gasUsed as string));
      assert.equal(receipt?.cumulativeGasUsed, BigInt(place.cumulativeGasUsed as string));
      assert.equal(receipt?.contract ?? null, place.contractAddress);
      assert.equal(receipt?.logs.length, (place.logs as unknown as unknown[]).length);
      const { transaction } = await evmHandlers.getEvmTransaction(modules, { hash }, context);
      const tx = (await node.ask('eth_getTransactionByHash', hash)) as Record<string, string>;
      assert.deepEqual(
        [transaction?.from, transaction?.to ?? null, transaction?.input, transaction?.v, transaction?.r],
        [tx.from, tx.to, tx.input, tx.v, tx.r],
      );
      assert.equal(BigInt(transaction?.value ?? ''), BigInt(tx.value as string));
    }
  }
});

test('calls and estimates', async () => {
  const data = `0x70a08231${A.slice(2).padStart(64, '0')}`;
  const { output } = await evmHandlers.callEvm(modules, { ...CALL, to: TOKEN, data, block: '4' }, context);
  assert.equal(BigInt(output), 10n * 10n ** 18n);
  const { gas } = await evmHandlers.estimateEvmGas(modules, { ...CALL, from: A, to: `0x${'ab'.repeat(20)}`, value: '1' }, context);
  assert.equal(gas, 21_000n);
});

test('errors are those of operations', async () => {
  const kinds: readonly (readonly [Promise<unknown>, string])[] = [
    [evmHandlers.getEvmBlock(modules, { block: '99' }, context) as Promise<unknown>, 'block-not-found'],
    [evmHandlers.getEvmBlock(modules, { block: 'abc' }, context) as Promise<unknown>, 'invalid-parameter'],
    [evmHandlers.getEvmReceipt(modules, { hash: `0x${'00'.repeat(32)}` }, context) as Promise<unknown>, 'transaction-not-found'],
    [evmHandlers.callEvm(modules, { ...CALL, to: C3 }, context) as Promise<unknown>, 'misc'],
    [evmHandlers.callEvm(modules, { ...CALL, to: C3, value: '1.5' }, context) as Promise<unknown>, 'invalid-parameter'],
  ];
  for (const [answer, kind] of kinds) await assert.rejects(answer, (error) => error instanceof NodeError && error.kind === kind, kind);
});

test('logs, listed and streamed', async () => {
  const filter = { addresses: [], topics: [] };
  const { logs } = await evmHandlers.listEvmLogs(modules, { ...filter, fromBlock: '', toBlock: '' }, context);
  assert.ok(logs.length > 3);
  const known = (await node.ask('eth_getLogs', { fromBlock: '0x0' })) as Record<string, string>[];
  // Ethereum's JSON-RPC groups the logs of a block by address.
  assert.deepEqual(
    logs.map(({ transactionHash, data }) => transactionHash + data).sort(),
    known.map((log) => `${log.transactionHash}${log.data}`).sort(),
  );

  const young = new RecordedNode('main').connect(2);
  const ended = new AbortController();
  const stream = evmHandlers.subscribeEvmLogs(young.modules, filter, { ...context, signal: ended.signal })[Symbol.asyncIterator]();
  const later = logs.filter(({ blockNumber }) => blockNumber > 2);
  const first = stream.next();
  young.connect();
  young.announceTip();
  const received = [(await first).value?.log];
  while (received.length < later.length) received.push((await stream.next()).value?.log);
  assert.deepEqual(received, later);
  ended.abort(new Error('gone'));
  await assert.rejects(stream.next());
});

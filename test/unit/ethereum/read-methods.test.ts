import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Transaction } from 'ethers';
import { encodeHeader } from '../../../src/evm/codec/header.js';
import { toHex } from '../../../src/util/bytes.js';
import { recordedChains } from '../evm/recorded-blocks.js';
import { ServingNode } from './serving-node.js';

type Json = Record<string, unknown>;

const node = new ServingNode('main');
const recorded = recordedChains.main.blocks;
const last = recorded.length - 1;
const custom = (text: string) => ({ code: -32001, message: `Custom error: ${text}` });
const engine = (text: string) => custom(`error calling EVM : "${text}"`);
const invalid = (message: string) => ({ code: -32602, message });

test('blocks by number, tag and hash show the header of the recording', async () => {
  for (const block of recorded) {
    const shown = (await node.ask('eth_getBlockByNumber', `0x${block.number.toString(16)}`)) as Json;
    assert.deepEqual(
      [shown.hash, shown.stateRoot, shown.receiptsRoot, shown.transactionsRoot],
      [block.hash, block.stateRoot, block.receiptsRoot, block.transactionsRoot].map((hash) => `0x${hash}`),
    );
    assert.equal(shown.size, `0x${(block.header.length / 2).toString(16)}`);
    assert.deepEqual(
      shown.transactions,
      block.receipts.map(({ hash }) => `0x${hash}`),
    );
    assert.deepEqual(await node.ask('eth_getBlockByHash', `0x${block.hash}`), shown);
    assert.deepEqual(await node.ask('eth_getBlockByNumber', block.number), shown);
    assert.deepEqual(await node.ask('eth_getBlockByNumber', String(block.number), false), shown);
  }
  const names =
    'author baseFeePerGas difficulty extraData gasLimit gasUsed hash logsBloom miner mixHash nonce number parentHash receiptsRoot ';
  const more = 'sealFields sha3Uncles size stateRoot timestamp totalDifficulty transactionsRoot transactions uncles';
  assert.deepEqual(Object.keys((await node.ask('eth_getBlockByNumber', 'latest')) as Json), (names + more).split(' '));
  assert.equal(toHex(encodeHeader(node.built[last]?.header as never)), recorded[last]?.header);
});

test('block tags', async () => {
  const numberOf = async (tag: unknown) => ((await node.ask('eth_getBlockByNumber', tag)) as Json).number ?? 'none';
  const hash = `0x${recorded[3]?.hash}`;
  for (const tag of ['latest', 'pending', `0x${last.toString(16)}`]) assert.equal(await numberOf(tag), `0x${last.toString(16)}`);
  assert.equal(await numberOf('earliest'), '0x0');
  assert.equal(await numberOf({ blockHash: hash, requireCanonical: true }), '0x3');
  assert.equal(await numberOf({ blockNumber: '0x2' }), '0x2');
  for (const tag of ['safe', 'finalized', '0x20', 1000, '9999999999999999999', { blockHash: `0x${'11'.repeat(32)}` }])
    assert.deepEqual(await node.ask('eth_getBlockByNumber', tag), custom('header not found'), String(tag));
  assert.deepEqual(
    await node.ask('eth_getBlockByNumber', 'latest', 'x'),
    invalid('invalid type: string "x", expected a boolean at line 1 column 3'),
  );
});

test('before the first block every tag is unknown', async () => {
  const empty = new ServingNode('main', { blocks: 0 });
  assert.equal(await empty.ask('eth_blockNumber'), '0x0');
  for (const tag of ['latest', 'earliest', 'safe', '0x0', 0])
    assert.deepEqual(await empty.ask('eth_getBlockByNumber', tag), custom('header not found'));
  assert.deepEqual(await empty.ask('eth_getBalance', `0x${'00'.repeat(20)}`), custom('header not found'));
  assert.equal(await empty.ask('eth_getBlockByHash', `0x${'00'.repeat(32)}`), null);
});

test('counts, uncles and unknown hashes', async () => {
  assert.equal(await node.ask('eth_blockNumber'), `0x${last.toString(16)}`);
  assert.equal(await node.ask('eth_getBlockTransactionCountByNumber', '0x2'), recorded[2]?.receipts.length);
  assert.equal(await node.ask('eth_getBlockTransactionCountByHash', `0x${recorded[2]?.hash}`), recorded[2]?.receipts.length);
  assert.equal(await node.ask('eth_getBlockTransactionCountByHash', '11'.repeat(32)), 0);
  assert.equal(await node.ask('eth_getTransactionByHash', `0x${'11'.repeat(32)}`), null);
  assert.equal(await node.ask('eth_getTransactionReceipt', `0x${'11'.repeat(32)}`), null);
  assert.equal(await node.ask('eth_getTransactionByBlockNumberAndIndex', '0x2', '0xffff'), null);
  assert.deepEqual(
    await node.ask('eth_getTransactionByBlockNumberAndIndex', `0x${'f'.repeat(20)}`, '0x0'),
    custom('Error fetching block by number'),
  );
  assert.equal(await node.ask('eth_getUncleByBlockHashAndIndex', 'x', 1), null);
  assert.equal(await node.ask('eth_getUncleCountByBlockNumber', '0x0'), '0x0');
});

test('transactions are those that their signatures say', async () => {
  let checked = 0;
  for (const block of recorded) {
    const full = (await node.ask('eth_getBlockByNumber', block.number, true)) as { readonly transactions: readonly Json[] };
    for (const [index, shown] of full.transactions.entries()) {
      assert.deepEqual(await node.ask('eth_getTransactionByHash', shown.hash), shown);
      assert.deepEqual(await node.ask('eth_getTransactionByBlockHashAndIndex', `0x${block.hash}`, `0x${index.toString(16)}`), shown);
      assert.deepEqual(
        await node.ask('eth_getTransactionByBlockNumberAndIndex', `0x${block.number.toString(16)}`, `0x${index.toString(16)}`),
        shown,
      );
      const { raw } =
        block.items.find((item) => item.error === null && item.raw.includes('|') === false && hashOf(item.raw) === shown.hash) ?? {};
      if (raw === undefined) continue;
      const parsed = Transaction.from(`0x${raw}`);
      assert.equal(shown.from, parsed.from?.toLowerCase());
      assert.equal(shown.to, parsed.to?.toLowerCase() ?? null);
      assert.equal(BigInt(shown.nonce as string), BigInt(parsed.nonce));
      assert.equal(shown.input, parsed.data);
      assert.equal(BigInt(shown.value as string), parsed.value);
      assert.equal(BigInt(shown.gas as string), parsed.gasLimit);
      assert.equal(BigInt(shown.r as string), BigInt(parsed.signature?.r ?? 0));
      assert.equal(BigInt(shown.chainId as string), parsed.chainId);
      assert.equal((shown.accessList as unknown[] | undefined)?.length ?? 0, parsed.accessList?.length ?? 0);
      assert.equal('maxFeePerGas' in shown, parsed.type === 2);
      checked += 1;
    }
  }
  assert.ok(checked > 10, String(checked));
});

function hashOf(raw: string): string | undefined {
  try {
    return Transaction.from(`0x${raw}`).hash ?? undefined;
  } catch {
    return undefined; // ethers refuses high s values and other forms that the network accepts
  }
}

test('receipts add up and agree with the recording', async () => {
  for (const block of recorded) {
    let [gas, logIndex] = [0n, 0];
    for (const [index, expected] of block.receipts.entries()) {
      const shown = (await node.ask('eth_getTransactionReceipt', expected.hash)) as Json & { readonly logs: readonly Json[] };
      if (shown.blockNumber !== `0x${block.number.toString(16)}`) continue; // an equal entry of a later block
      gas += BigInt(expected.gas);
      assert.deepEqual(
        [shown.status, shown.gasUsed, shown.cumulativeGasUsed, shown.effectiveGasPrice, shown.transactionIndex],
        [expected.status, expected.gas, gas, BigInt(expected.price), index].map((value) => `0x${value.toString(16)}`),
      );
      assert.equal(shown.contractAddress, expected.contract === null ? null : `0x${expected.contract}`);
      for (const [i, log] of shown.logs.entries()) {
        assert.deepEqual(
          [log.address, log.topics, log.data],
          [`0x${expected.logs[i]?.a}`, expected.logs[i]?.t.map((t) => `0x${t}`), `0x${expected.logs[i]?.d}`],
        );
        assert.equal(log.logIndex, `0x${logIndex.toString(16)}`);
        logIndex += 1;
      }
      assert.equal(shown.logs.length, expected.logs.length);
    }
  }
});

test('accounts after each block are those of the recording', async () => {
  let checked = 0;
  for (const block of recorded) {
    for (const { address, absent, balance, nonce } of Object.values(block.accounts)) {
      const tag = `0x${block.number.toString(16)}`;
      const expected = absent ? ['0x0', '0x0'] : [`0x${BigInt(balance).toString(16)}`, `0x${BigInt(nonce).toString(16)}`];
      assert.deepEqual([await node.ask('eth_getBalance', address, tag), await node.ask('eth_getTransactionCount', address, tag)], expected);
      checked += 1;
    }
  }
  assert.ok(checked > 20, String(checked));
  assert.equal(await node.ask('eth_getCode', `0x${'77'.repeat(20)}`), '0x');
  assert.equal(await node.ask('eth_getStorageAt', `0x${'77'.repeat(20)}`, '0'), `0x${'00'.repeat(32)}`);
  assert.match(String(await node.ask('eth_getCode', '0xdf00000000000000000000000000000000000001', 'latest')), /^0x6080/);
});

test('white space in numbers is skipped', async () => {
  const address = `0x${'00'.repeat(20)}`;
  assert.deepEqual(await node.ask('eth_getStorageAt', address, ` 0\n0${'0'.repeat(60)}`), `0x${'00'.repeat(32)}`);
});

test('facts about network and node', async () => {
  assert.deepEqual([await node.ask('eth_chainId'), await node.ask('net_version')], ['0x46d', '1133']);
  assert.equal(await node.ask('net_peerCount'), '0x3');
  assert.equal(await node.ask('web3_clientVersion'), `DeFiChain/1.2.3/${process.platform}-${process.arch}`);
  assert.equal(await node.ask('web3_sha3', '0x68656c6c6f'), '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8');
  assert.deepEqual(
    [await node.ask('eth_mining'), await node.ask('eth_hashrate'), await node.ask('eth_submitWork', 'a', 'b', 'c')],
    [false, '0x0', false],
  );
  assert.deepEqual(await node.ask('eth_getWork'), new Array(3).fill(`0x${'00'.repeat(32)}`));
  assert.deepEqual(await node.ask('eth_getProof', 'x'), { code: -32601, message: 'Method not found' });
});

test('eth_syncing: false at the tip, else numbers of EVM blocks in snake case', async () => {
  const behind = new ServingNode('main', { blocks: 2 });
  Object.assign(behind.bestHeader, { height: behind.tip.height });
  assert.equal(await behind.ask('eth_syncing'), false);
  behind.connect();
  Object.assign(behind.bestHeader, { height: behind.tip.height + 16 });
  assert.deepEqual(await behind.ask('eth_syncing'), { starting_block: '0x1', current_block: '0x2', highest_block: '0x12' });
});

test('eth_syncing before the first EVM block, and before any block', async () => {
  const empty = new ServingNode('main', { blocks: 0 });
  assert.deepEqual(await empty.ask('eth_syncing'), custom('Block index not available'));
  Object.assign(empty.tip, { height: 5 });
  Object.assign(empty.bestHeader, { height: 5 });
  assert.equal(await empty.ask('eth_syncing'), false);
  Object.assign(empty.bestHeader, { height: 6 });
  assert.deepEqual(await empty.ask('eth_syncing'), custom('header not found'));
});

test('eth_getLogs: ranges, addresses, topics, and errors', async () => {
  const all = (await node.ask('eth_getLogs', {})) as Json[];
  const count = recorded.flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs)).length;
  assert.ok(count > 5);
  assert.equal(all.length, count);
  const [log] = all as [Json & { readonly topics: readonly string[] }];
  const same = all.filter(({ address }) => address === log.address);
  assert.deepEqual(await node.ask('eth_getLogs', { address: log.address }), same);
  assert.deepEqual(await node.ask('eth_getLogs', { address: [log.address], topics: null }), same);
  const byTopic = all.filter(({ topics }) => (topics as string[]).length === 0 || (topics as string[])[0] === log.topics[0]);
  assert.deepEqual(await node.ask('eth_getLogs', { topics: [log.topics[0]] }), byTopic);
  // Nulls of a flat list are dropped, so that the topic moves to the first position.
  assert.deepEqual(await node.ask('eth_getLogs', { topics: [null, log.topics[0]] }), byTopic);
  assert.deepEqual(await node.ask('eth_getLogs', { topics: [[null], []] }), all);
  assert.deepEqual(
    await node.ask('eth_getLogs', { blockHash: log.blockHash }),
    all.filter(({ blockHash }) => blockHash === log.blockHash),
  );
  assert.deepEqual(await node.ask('eth_getLogs', { fromBlock: '0x100', toBlock: 600 }), []);

  assert.deepEqual(await node.ask('eth_getLogs', { blockHash: log.blockHash, fromBlock: '0x0' }), engine('invalid filter'));
  assert.deepEqual(await node.ask('eth_getLogs', { blockHash: log.blockHash, fromBlock: 'safe' }), custom('header not found'));
  assert.deepEqual(await node.ask('eth_getLogs', { blockHash: '22'.repeat(32) }), engine('header not found'));
  assert.deepEqual(await node.ask('eth_getLogs', { fromBlock: '0x1', toBlock: '0x0' }), engine('fromBlock is greater than toBlock'));
  assert.deepEqual(await node.ask('eth_getLogs', { fromBlock: '0x0', toBlock: '0x7D1' }), engine('block range exceed max limit'));
  // Blocks to come, beyond the 32 bits of stored numbers.
  assert.deepEqual(await node.ask('eth_getLogs', { fromBlock: '0x10000000000', toBlock: '0x10000000001' }), []);
  assert.deepEqual(
    await node.ask('eth_getLogs', { fromBlock: '0x10000000001', toBlock: '0x10000000000' }),
    engine('fromBlock is greater than toBlock'),
  );
  assert.deepEqual(
    await node.ask('eth_getLogs', { fromBlock: '0x10000000000', toBlock: '0x100000007d1' }),
    engine('block range exceed max limit'),
  );
  assert.deepEqual(await node.ask('eth_getLogs', { topics: new Array(5).fill(log.topics[0]) }), engine('exceed max topics'));
  assert.deepEqual(
    await node.ask('eth_getLogs', { limit: 3 }),
    invalid('unknown field `limit`, expected one of `address`, `blockHash`, `fromBlock`, `toBlock`, `topics` at line 1 column 8'),
  );
  assert.deepEqual(
    await node.ask('eth_getLogs', []),
    invalid('invalid length 1, expected struct GetLogsRequest with 5 elements at line 1 column 2'),
  );
  assert.deepEqual(
    await node.ask('eth_getLogs', { topics: {} }),
    invalid('data did not match any variant of untagged enum LogRequestTopics at line 1 column 13'),
  );
});

test('logs of a block are grouped by ascending addresses, then in their order', async () => {
  const all = (await node.ask('eth_getLogs', {})) as {
    readonly blockNumber: string;
    readonly address: string;
    readonly logIndex: string;
  }[];
  const keys = all.map(({ blockNumber, address, logIndex }) => [blockNumber, address, logIndex].map((hex) => hex.padStart(50, '.')).join());
  assert.deepEqual(keys, [...keys].sort());
  assert.ok(new Set(all.map(({ address }) => address)).size > 1);
});

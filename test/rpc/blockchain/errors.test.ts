import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentCall } from '../json-rpc-call.js';
import { coinbase, genesis, mintedNode, tip } from './minted-chain.js';
import { answer } from './node.js';

const node = mintedNode();
const unknown = '00'.repeat(32);

const cases: readonly (readonly [method: string, params: readonly unknown[], code: number, message: string])[] = [
  ['getblockhash', [24], -8, 'Block height out of range'],
  ['getblockhash', [-1], -8, 'Block height out of range'],
  ['getblockhash', ['1'], -1, 'JSON value is not an integer as expected'],
  ['getblockhash', [1.5], -1, 'JSON integer out of range'],
  ['getblock', ['zz'], -8, "blockhash must be of length 64 (not 2, for 'zz')"],
  ['getblock', ['z'.repeat(64)], -8, `blockhash must be hexadecimal string (not '${'z'.repeat(64)}')`],
  ['getblock', [5], -1, 'JSON value is not a string as expected'],
  ['getblock', [unknown], -5, 'Block not found'],
  // The verbosity is checked before the block.
  ['getblock', [unknown, ''], -1, 'JSON value is not a boolean as expected'],
  ['getblockheader', ['zz'], -8, "hash must be of length 64 (not 2, for 'zz')"],
  ['getblockheader', [unknown, 1], -1, 'JSON value is not a boolean as expected'],
  ['getblockheader', [unknown], -5, 'Block not found'],
  ['getblockstats', [-1], -8, 'Target block height -1 is negative'],
  ['getblockstats', [24], -8, 'Target block height 24 after current tip 23'],
  ['getblockstats', ['5'], -8, "hash_or_height must be of length 64 (not 1, for '5')"],
  ['getblockstats', [null], -1, 'JSON value is not a string as expected'],
  ['getblockstats', [0], -1, "Can't read undo data from disk"],
  ['getblockstats', [1, 'txs'], -1, 'JSON value is not an array as expected'],
  // The block is looked up before the names are read, and the error names the first unknown name in alphabetical order.
  ['getblockstats', [24, 'txs'], -8, 'Target block height 24 after current tip 23'],
  ['getblockstats', [1, ['zz', 'aa', 'txs']], -8, 'Invalid selected statistic aa'],
  ['getblockstats', [1, ['totalOut']], -8, 'Invalid selected statistic totalOut'],
  ['getblockstats', [1, ['constructor']], -8, 'Invalid selected statistic constructor'],
  ['getchaintxstats', [23], -8, "Invalid block count: should be between 0 and the block's height - 1"],
  ['getchaintxstats', [-1], -8, "Invalid block count: should be between 0 and the block's height - 1"],
  ['getchaintxstats', ['x', unknown], -5, 'Block not found'],
  ['gettxout', [coinbase, 'x'], -1, 'JSON value is not an integer as expected'],
  ['gettxout', [coinbase, 0, 1], -1, 'JSON value is not a boolean as expected'],
  ['gettxoutproof', [[coinbase, coinbase]], -8, `Invalid parameter, duplicated txid: ${coinbase}`],
  ['gettxoutproof', [[]], -5, 'Transaction not yet in block'],
  ['gettxoutproof', [[unknown]], -5, 'Transaction not yet in block'],
  ['gettxoutproof', [['0', 2]], -8, "txid must be of length 64 (not 1, for '0')"],
  ['gettxoutproof', [[2, '0']], -1, 'JSON value is not a string as expected'],
  ['gettxoutproof', [[coinbase], unknown], -5, 'Block not found'],
  ['gettxoutproof', [[coinbase], genesis], -5, 'Not all transactions found in specified or retrieved block'],
  ['verifytxoutproof', ['00'], -1, 'CDataStream::read(): end of data: iostream error'],
  ['verifytxoutproof', [5], -8, "proof must be hexadecimal string (not '')"],
  ['verifytxoutproof', ['5'], -8, "proof must be hexadecimal string (not '5')"],
  ['getblockfilter', [tip, 'basik'], -5, 'Unknown filtertype'],
  ['getblockfilter', [unknown], -5, 'Block not found'],
  ['preciousblock', [unknown], -5, 'Block not found'],
  ['verifychain', [3, null, 1], -1, ''],
];

for (const [method, params, code, message] of cases) {
  test(`${method} ${JSON.stringify(params).slice(0, 60)}: ${code} ${message}`, async () => {
    const expected = message === '' ? '{"code":-1,"usage":true}' : JSON.stringify({ code, message });
    assert.equal(await answer(node, method, JSON.stringify(params)), expected);
  });
}

test('getblockfilter without an index', async () => {
  const { filterIndex: _, ...without } = node;
  const expected = JSON.stringify({ code: -1, message: 'Index is not enabled for filtertype basic' });
  assert.equal(await answer(without, 'getblockfilter', JSON.stringify([unknown])), expected);
});

test('gettxoutproof without an index: only while an output is unspent', async () => {
  const { txIndex: _, ...without } = node;
  assert.match(await answer(without, 'gettxoutproof', JSON.stringify([[coinbase]])), /^"00000020/);
  const expected = JSON.stringify({ code: -5, message: 'Transaction not yet in block' });
  assert.equal(await answer({ ...without, chain: hidingCoins() }, 'gettxoutproof', JSON.stringify([[coinbase]])), expected);
  assert.match(await answer({ ...node, chain: hidingCoins() }, 'gettxoutproof', JSON.stringify([[coinbase]])), /^"00000020/);
});

test('gettxoutproof of a transaction that is in the mempool again: not in a block, also with an index', async () => {
  const mempool = { ...node.mempool, pool: { get: () => ({}) } };
  const expected = JSON.stringify({ code: -5, message: 'Transaction not yet in block' });
  const again = { ...node, chain: hidingCoins(), mempool } as never;
  assert.equal(await answer(again, 'gettxoutproof', JSON.stringify([[coinbase]])), expected);
});

function hidingCoins() {
  const { chain } = node;
  return Object.create(chain, {
    hasUnspent: { value: () => undefined },
    ...Object.fromEntries(['params', 'tip'].map((name) => [name, { get: () => Reflect.get(chain, name, chain) }])),
    ...Object.fromEntries(['entry', 'entryAt', 'outline'].map((name) => [name, { value: Reflect.get(chain, name, chain).bind(chain) }])),
  });
}

test('the month-long window of the operations document is reduced on a shorter chain', async () => {
  assert.match(await answer(node, 'getchaintxstats', '[86400]', documentCall), /"window_block_count":22,"window_tx_count":22/);
  assert.match(await answer(node, 'getchaintxstats', '[86401]', documentCall), /Invalid block count/);
});

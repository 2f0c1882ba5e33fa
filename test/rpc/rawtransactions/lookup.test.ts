import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest' });
const ADDRESS = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const UNKNOWN = 'ab'.repeat(32);

type Options = Parameters<typeof startServices>[1];

/** Three blocks, and the second of them with its coinbase. */
async function threeBlocks(options: Options = {}) {
  const node = startServices(params, { operate: [0], ...options });
  await node.ask('generatetoaddress', `[3, "${ADDRESS}"]`);
  const entry = node.chain.entryAt(2);
  assert.ok(entry);
  const coinbase = node.chain.block(entry)?.transactions[0];
  assert.ok(coinbase);
  const ask = (...args: unknown[]) => node.ask('getrawtransaction', JSON.stringify(args));
  return { ...node, ask, entry, blockhash: formatHash(entry.hash), coinbase, txid: formatHash(coinbase.txid) };
}

test('getrawtransaction: found by the index, as hex or object', async () => {
  const { ask, txid, blockhash, entry } = await threeBlocks();
  assert.match(await ask(txid), /^"02000000000101/);
  const shown = JSON.parse(await ask(txid, 1)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(shown), [
    ...['txid', 'hash', 'version', 'size', 'vsize', 'weight', 'locktime', 'vin', 'vout', 'hex'],
    ...['blockhash', 'confirmations', 'time', 'blocktime'],
  ]);
  assert.deepEqual([shown.blockhash, shown.confirmations, shown.time, shown.blocktime], [blockhash, 2, entry.time, entry.time]);
});

test('getrawtransaction: a named block is searched without an index', async () => {
  const { ask, txid, blockhash, chain } = await threeBlocks({ withTransactionIndex: false });
  const shown = JSON.parse(await ask(txid, true, blockhash)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(shown).slice(0, 2), ['in_active_chain', 'txid']);
  assert.equal(shown.in_active_chain, true);
  const other = formatHash(chain.tip.hash);
  const text = '-5 No such transaction found in the provided block. Use gettransaction for wallet transactions.';
  assert.equal(await ask(txid, true, other), text);
});

test('getrawtransaction: transactions of the genesis block are always found', async () => {
  const { ask, blockhash } = await threeBlocks({ withTransactionIndex: false });
  const txid = '7eab5c88d62a0ceb9b0a53f60c0d955d80306c221b1a33d4c16983af5c598c62';
  for (const args of [
    [txid, true],
    [txid, true, blockhash],
  ]) {
    const shown = JSON.parse(await ask(...args)) as Record<string, unknown>;
    assert.deepEqual([shown.txid, shown.blockhash, shown.confirmations], [txid, formatHash(params.genesis.hash), 4]);
  }
});

test('getrawtransaction: off the active chain without confirmations and times', async () => {
  const { ask, txid, blockhash, chain, entry } = await threeBlocks();
  chain.invalidate(entry);
  const shown = JSON.parse(await ask(txid, true, blockhash)) as Record<string, unknown>;
  assert.deepEqual([shown.in_active_chain, shown.confirmations, 'time' in shown], [false, 0, false]);
});

test('getrawtransaction: -rpcserialversion=0 omits the witness', async () => {
  const { ask, txid } = await threeBlocks({ showsWitness: false });
  assert.match(await ask(txid), /^"020000000100000000/);
});

const missing = [
  {
    name: 'with an index',
    options: {},
    text: '-5 No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
  },
  {
    name: 'without an index',
    options: { withTransactionIndex: false },
    text: '-5 No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions.',
  },
];
for (const { name, options, text } of missing) {
  test(`getrawtransaction: an unknown txid ${name}`, async () => {
    const { ask } = await threeBlocks(options);
    assert.equal(await ask(UNKNOWN), text);
  });
}

test('getrawtransaction: an unknown block, and one with only its header', async () => {
  const { ask, txid, chain } = await threeBlocks();
  assert.equal(await ask(txid, false, UNKNOWN), '-5 Block hash not found');
  // Header of another branch, signed by the same operator.
  const other = startServices(params, { operate: [1] });
  await other.ask('generatetoaddress', `[1, "${ADDRESS}"]`);
  const header = chain.acceptHeader(other.chain.header(other.chain.tip));
  assert.equal(await ask(txid, false, formatHash(header.hash)), '-1 Block not available');
});

test('getrawtransaction: arguments are read in order', async () => {
  const { ask, txid } = await threeBlocks();
  assert.equal(await ask('zz', 'x', 'y'), "-8 parameter 1 must be of length 64 (not 2, for 'zz')");
  assert.equal(await ask(txid, 'x', 'y'), '-1 JSON value is not a boolean as expected');
  assert.equal(await ask(txid, 0, 'y'), "-8 parameter 3 must be of length 64 (not 1, for 'y')");
});

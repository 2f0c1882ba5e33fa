import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BlockCache } from '../../../src/chain/block-cache.js';
import { startWalletNode, type WalletNode } from './wallet-node.js';

let node: WalletNode;
/** Keys of the wallet that was paid, and an address that it only watches. */
const keys: unknown[] = [];
let watched: unknown;
/** Hash of a block without transactions of the wallet. */
let foreignBlock: Uint8Array;
let payingBlock: Uint8Array;

before(async () => {
  node = await startWalletNode({}, ['', 'paid', 'other']);
  const foreign = await node.call('getnewaddress', [], '');
  await node.mint(110, foreign);
  for (const type of ['legacy', 'p2sh-segwit', 'bech32']) {
    const address = await node.call('getnewaddress', ['', type], 'paid');
    keys.push(await node.call('dumpprivkey', [address], 'paid'));
    await node.call('sendtoaddress', [address, 3], '');
    await node.mint(1, foreign);
  }
  payingBlock = node.chain.tip.hash;
  watched = await node.call('getnewaddress', [], 'other');
  await node.call('sendtoaddress', [watched, 5], '');
  await node.mint(3, foreign);
  foreignBlock = node.chain.tip.hash;
  // It spends a coin of the wallet and pays none.
  await node.call('sendtoaddress', [foreign, 2, '', '', true], 'paid');
  await node.mint(1, foreign);
});

after(() => node.end());

function emptyCache(): BlockCache {
  const cache = node.chain.blockCache as BlockCache;
  for (let height = 0; height <= node.chain.tip.height; height++) cache.delete(node.chain.entryAt(height)?.hash ?? assert.fail());
  assert.equal(cache.bytes, 0);
  return cache;
}

/** Imports the keys into a new wallet, which scans all blocks for each. @returns its transactions, by id */
async function imported(name: string, watches: boolean): Promise<unknown> {
  assert.equal(((await node.call('createwallet', [name, false, true])) as { name?: string }).name, name);
  for (const key of keys) assert.equal(await node.call('importprivkey', [key, '', true], name), null);
  if (watches) assert.equal(await node.call('importaddress', [watched, '', true], name), null);
  const listed = (await node.call('listtransactions', ['*', 100, 0, true], name)) as Record<string, unknown>[];
  assert.ok(listed.length >= 4);
  const facts = listed.map(({ txid, vout, category, amount, blockhash, confirmations }) => ({
    txid,
    vout,
    category,
    amount,
    blockhash,
    confirmations,
  }));
  return facts.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

test('a rescan finds the same in blocks on disk as in blocks in memory', async () => {
  for (const watches of [false, true]) {
    const known = await imported(`memory-${watches}`, watches);
    emptyCache();
    assert.deepEqual(await imported(`disk-${watches}`, watches), known);
  }
});

test('a rescan decodes only blocks with transactions of the wallet', async () => {
  const cache = emptyCache();
  await node.call('rescanblockchain', [], 'memory-true');
  assert.ok(cache.get(payingBlock));
  assert.equal(cache.get(foreignBlock), undefined);
});

test('rescans of the wallet that was paid change nothing', async () => {
  const before = await node.call('getbalances', [], 'paid');
  emptyCache();
  const { tip } = node.chain;
  assert.deepEqual(await node.call('rescanblockchain', [], 'paid'), { start_height: 0, stop_height: tip.height });
  assert.deepEqual(await node.call('getbalances', [], 'paid'), before);
});

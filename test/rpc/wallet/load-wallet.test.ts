import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startWalletNode, type WalletNode } from './wallet-node.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const NOT_LOADED = '-18 Requested wallet does not exist or is not loaded';

/** A node with an unloaded wallet that has missed blocks, each of which takes a slice to read. */
async function startWithSlowScan(): Promise<WalletNode> {
  const node = await startWalletNode({}, ['w']);
  const own = await node.call('getnewaddress', [], 'w');
  await node.call('unloadwallet', ['w']);
  await node.mint(1, own);
  await node.mint(20, ELSEWHERE);
  const block = node.chain.block.bind(node.chain);
  const slowBlock: typeof block = (entry) => {
    const until = performance.now() + 15;
    while (performance.now() < until);
    return block(entry);
  };
  Object.defineProperty(node.chain, 'block', { value: slowBlock });
  return node;
}

test('a wallet is not loaded for clients until it has scanned the blocks that it missed', async () => {
  const node = await startWithSlowScan();
  const loading = node.call('loadwallet', ['w']);
  await delay(30);
  assert.equal(await node.call('getbalance', [], 'w'), NOT_LOADED);
  assert.equal(await node.call('unloadwallet', ['w']), NOT_LOADED);
  assert.deepEqual(await node.call('listwallets'), []);
  assert.match(String(await node.call('loadwallet', ['w'])), /^-4 Wallet file verification failed: .*Duplicate -wallet filename/);
  assert.deepEqual(await loading, { name: 'w', warning: '' });
  const { immature } = ((await node.call('getbalances', [], 'w')) as { mine: { immature: number } }).mine;
  assert.equal(immature, 50);
  await node.end();
});

test('a shutdown during the scan aborts it, and the wallet scans again when it is loaded', async () => {
  const node = await startWithSlowScan();
  const loading = node.call('loadwallet', ['w']);
  await delay(30);
  await node.wallets.stop();
  assert.match(String(await loading), /^-\d+ /);
  assert.deepEqual([...node.wallets.loaded()], []);
  const again = await node.restart();
  assert.equal(((await again.call('getwalletinfo', [], 'w')) as { txcount: number }).txcount, 1);
  await again.end();
});

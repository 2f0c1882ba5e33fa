import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import { startWalletNode, type WalletNode } from './wallet-node.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const PUBLIC_KEY = '029a70f83cc1232954fa3fa74f73f0c24f1cda51237af78ddd420817bf22e9dfd3';

/** Ids of the transactions in the mempool. */
function pooled(node: WalletNode): string[] {
  return [...(node.wallets.get('')?.deps.mempool.pool.entries() ?? [])].map(({ tx }) => formatHash(tx.txid));
}

/** A node whose wallet has sent a payment, which is not in the mempool. */
async function startWithPayment(broadcast: boolean): Promise<{ readonly node: WalletNode; readonly txid: unknown }> {
  const node = await startWalletNode({ broadcast });
  await node.mint(1, await node.call('getnewaddress'));
  await node.mint(100, ELSEWHERE);
  const txid = await node.call('sendtoaddress', [ELSEWHERE, 10]);
  node.wallets.get('')?.deps.mempool.clear();
  assert.deepEqual(pooled(node), []);
  return { node, txid };
}

for (const [method, args] of [
  ['importaddress', [ELSEWHERE, '']],
  ['importpubkey', [PUBLIC_KEY, '']],
] as const) {
  test(`${method} submits payments again after a rescan, and not without one`, async () => {
    const { node, txid } = await startWithPayment(true);
    assert.equal(await node.call(method, [...args, false]), null);
    assert.deepEqual(pooled(node), []);
    assert.equal(await node.call(method, [...args, true]), null);
    assert.deepEqual(pooled(node), [txid]);
    await node.end();
  });
}

test('with -walletbroadcast=0 neither a rescan nor a restart submits payments', async () => {
  const { node: first } = await startWithPayment(false);
  assert.equal(await first.call('importaddress', [ELSEWHERE, '', true]), null);
  assert.deepEqual(pooled(first), []);
  const node = await first.restart();
  assert.deepEqual(pooled(node), []);
  await node.end();
});

test('a restart submits payments again', async () => {
  const { node: first, txid } = await startWithPayment(true);
  const node = await first.restart();
  assert.deepEqual(pooled(node), [txid]);
  await node.end();
});

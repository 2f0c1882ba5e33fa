import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startWalletNode, type WalletNode } from './wallet-node.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const NOT_LOADED = '-18 Requested wallet does not exist or is not loaded';

/** A node with an unloaded wallet that has missed blocks, each of which takes a slice to read. @param before blocks before its first coin */
async function startWithSlowScan(before = 0): Promise<WalletNode> {
  const node = await startWalletNode({}, ['w']);
  const own = await node.call('getnewaddress', [], 'w');
  await node.call('unloadwallet', ['w']);
  await node.mint(before, ELSEWHERE);
  await node.mint(1, own);
  await node.mint(20 - before, ELSEWHERE);
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

/** Makes the blocks up to a height those that were pruned. */
function pruneTo({ chain }: WalletNode, height: number, pruning: unknown): void {
  for (let at = 0; at <= height; at++) Object.assign(chain.entryAt(at) ?? {}, { position: undefined });
  Object.defineProperty(chain, 'pruning', { value: pruning });
  Object.defineProperty(chain, 'isPruned', { value: true });
  Object.defineProperty(chain, 'lowestStored', { value: () => chain.entryAt(height + 1) });
}

test('a wallet that missed blocks which are not stored is refused with the reason', async () => {
  for (const [pruning, reason] of [
    [{ targetBytes: 0 }, /^-4 Prune: last wallet synchronisation goes beyond pruned data/],
    [undefined, /^-4 The last wallet synchronisation is below the snapshot/],
  ] as const) {
    const node = await startWithSlowScan();
    pruneTo(node, 3, pruning);
    assert.match(String(await node.call('loadwallet', ['w'])), reason);
    assert.deepEqual(await node.call('listwallets'), []);
    await node.end();
  }
});

test('transactions are not removed if the blocks to find them again are not stored', async () => {
  const node = await startWalletNode({}, ['w']);
  await node.mint(2, await node.call('getnewaddress', [], 'w'));
  await node.call('unloadwallet', ['w']);
  pruneTo(node, 1, { targetBytes: 0 });
  const zapping = node.wallets.loadConfigured(['w'], { rescan: false, forgets: 'everything' });
  await assert.rejects(zapping, /goes beyond pruned data/);
  await node.call('loadwallet', ['w']);
  assert.equal(((await node.call('getwalletinfo', [], 'w')) as { txcount: number }).txcount, 2);
  await node.end();
});

test('a reorganisation and a shutdown during the scan: the next load scans the rest', async () => {
  const node = await startWithSlowScan(12);
  const loading = node.call('loadwallet', ['w']);
  await delay(30);
  const { chain } = node;
  const replaced = chain.entryAt(chain.tip.height - 3);
  if (replaced) chain.invalidate(replaced);
  const again = node.restart();
  assert.match(String(await loading), /^-\d+ /);
  const restarted = await again;
  assert.equal(((await restarted.call('getwalletinfo', [], 'w')) as { txcount: number }).txcount, 1);
  await restarted.end();
});

test('a block that is disconnected while it is to be scanned does not fail the scan', async () => {
  const node = await startWithSlowScan(12);
  const loading = node.call('loadwallet', ['w']);
  await delay(30);
  const { chain } = node;
  const isActive = chain.isActive.bind(chain);
  let asked = 0;
  // The first block that the scan comes to now looks as if it had just been replaced.
  Object.defineProperty(chain, 'isActive', { value: (entry: never) => (asked++ < 2 ? false : isActive(entry)) });
  assert.deepEqual(await loading, { name: 'w', warning: '' });
  assert.equal(((await node.call('getwalletinfo', [], 'w')) as { txcount: number }).txcount, 1);
  await node.end();
});

test('a wallet cannot be loaded, nor its file replaced, until changes that run have ended after it was unloaded', async () => {
  const node = await startWalletNode({}, ['', 'w']);
  await node.call('encryptwallet', ['one'], 'w');
  const changing = node.call('walletpassphrasechange', ['one', 'two'], 'w');
  assert.deepEqual(await node.call('listwallets'), ['', 'w']);
  const unloading = node.call('unloadwallet', ['w']);
  const { path } = node.wallets.open().find(({ name }) => name === 'w') ?? { path: '' };
  // It was loaded, and lost what it wrote when the new passphrase replaced the file.
  const [loaded, copied] = await Promise.all([node.call('loadwallet', ['w']), node.call('backupwallet', [path], '')]);
  assert.match(String(loaded), /^-4 Wallet file verification failed: .*Duplicate -wallet filename/);
  assert.equal(copied, '-4 Error: Wallet backup failed!');
  assert.equal(await changing, null);
  assert.equal(await unloading, null);
  assert.deepEqual(await node.call('loadwallet', ['w']), { name: 'w', warning: '' });
  assert.equal(await node.call('walletpassphrase', ['two', 10], 'w'), null);
  await node.end();
});

test('calls that still run when their wallet is unloaded change neither its file nor that of another wallet', async () => {
  const node = await startWalletNode({}, ['', 'w']);
  const wallet = node.wallets.get('w');
  assert.ok(wallet);
  const given = await node.call('getnewaddress', [], 'w');
  assert.equal(await node.call('unloadwallet', ['w']), null);
  await node.call('createwallet', ['other']);
  const kept = await node.call('getnewaddress', [], 'other');
  for (let n = 0; n < 2; n++) assert.throws(() => wallet.newAddress('', 'legacy'), { message: /does not exist or is not loaded/ });
  await wallet.stop();
  await node.call('unloadwallet', ['other']);
  for (const [name, address] of [
    ['w', given],
    ['other', kept],
  ] as const) {
    assert.deepEqual(await node.call('loadwallet', [name]), { name, warning: '' });
    assert.equal(((await node.call('getaddressinfo', [address], name)) as { ismine: boolean }).ismine, true);
  }
  await node.end();
});

test('a backup that is copied over a loaded wallet is neither damaged nor mixed with it', async () => {
  const node = await startWalletNode({}, ['', 'w']);
  const { path } = node.wallets.get('w') ?? { path: '' };
  const before = await node.call('getnewaddress', ['kept'], 'w');
  const backup = join(node.wallets.directory, 'backup.dat');
  assert.equal(await node.call('backupwallet', [backup], 'w'), null);
  await node.call('getnewaddress', ['later'], 'w');
  copyFileSync(backup, path);
  assert.match(
    String(await node.call('getnewaddress', [], 'w')),
    /^-4 .* could not be written: another program has changed or replaced the file/,
  );
  assert.match(String(await node.call('encryptwallet', ['one'], 'w')), /^-4 .* another program/);
  await node.mint(1, ELSEWHERE);
  assert.equal(await node.call('unloadwallet', ['w']), null);
  assert.deepEqual(readFileSync(path), readFileSync(backup));
  assert.deepEqual(await node.call('loadwallet', ['w']), { name: 'w', warning: '' });
  assert.deepEqual(await node.call('getaddressesbylabel', ['kept'], 'w'), { [String(before)]: { purpose: 'receive' } });
  await node.end();
});

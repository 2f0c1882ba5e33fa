import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { DirectoryLock } from '../../../src/storage/directory-lock.js';
import { withBrokenDisk } from '../../unit/wallet/broken-disk.js';
import { regtest, startWalletNode } from './wallet-node.js';

test('createwallet refuses paths outside of the wallet directory by default', async () => {
  const node = await startWalletNode({}, []);
  const { directory } = node.wallets;
  const outside = join('..', `${basename(directory)}-outside`);
  for (const name of [outside, join(directory, outside), `sub/../${outside}`]) {
    assert.equal(
      await node.call('createwallet', [name]),
      `-4 Wallet ${name} would be outside of -walletdir ("${directory}"); -walletoutside allows that.`,
    );
  }
  assert.equal(existsSync(join(directory, outside)), false);
  assert.deepEqual(await node.call('createwallet', [join(directory, 'inside')]), { name: join(directory, 'inside'), warning: '' });
  await node.end();
});

test('with -walletoutside createwallet makes wallets elsewhere', async () => {
  const node = await startWalletNode({}, [], regtest, { allowsOutside: true });
  const outside = `${node.wallets.directory}-outside`;
  assert.deepEqual(await node.call('createwallet', [outside]), { name: outside, warning: '' });
  await node.call('unloadwallet', [outside]);
  rmSync(outside, { recursive: true });
  await node.end();
});

test('a createwallet that fails removes the directories that it created, and no others', async () => {
  const lockDirectory = async (): Promise<never> => {
    throw new Error('no space left for a lock');
  };
  const node = await startWalletNode({}, [], regtest, { lockDirectory });
  assert.match(String(await node.call('createwallet', ['made/deep/down'])), /^-4 Error initializing wallet database environment/);
  assert.deepEqual(readdirSync(node.wallets.directory), []);
  mkdirSync(join(node.wallets.directory, 'there'));
  await node.call('createwallet', ['there/new']);
  assert.deepEqual(readdirSync(node.wallets.directory), ['there']);
  await node.end();
});

test('wallets below a linked directory are created and unloaded', async (t) => {
  const link = join(mkdtempSync(join(tmpdir(), 'wallets-')), 'link');
  t.after(() => rmSync(dirname(link), { recursive: true }));
  mkdirSync(join(dirname(link), 'wallets'));
  symlinkSync(join(dirname(link), 'wallets'), link);
  const lockDirectory = async (directory: string) => (await DirectoryLock.acquireWallets(directory)).release;
  const node = await startWalletNode({}, [''], regtest, { directory: link, lockDirectory });
  for (const name of ['one', 'two']) {
    assert.deepEqual(await node.call('createwallet', [name]), { name, warning: '' });
    assert.equal(await node.call('unloadwallet', [name]), null);
  }
  await node.wallets.stop();
  await node.end();
});

test('a name is free again after an unclean shutdown while its wallet was created, and only then', async () => {
  const node = await startWalletNode({}, []);
  const { directory } = node.wallets;
  const leave = (name: string, file: string): void => {
    mkdirSync(join(directory, name, '.dfi-lock'), { recursive: true });
    if (file !== '') writeFileSync(join(directory, name, file), 'half a wallet');
  };
  leave('locked', '');
  leave('half', 'wallet.dat.being-made');
  for (const name of ['locked', 'half']) assert.deepEqual(await node.call('createwallet', [name]), { name, warning: '' });
  assert.ok(!existsSync(join(directory, 'half', 'wallet.dat.being-made')));
  leave('other', 'notes.txt');
  mkdirSync(join(directory, 'empty'));
  for (const name of ['other', 'empty', '.']) assert.equal(await node.call('createwallet', [name]), `-4 Wallet ${name} already exists.`);
  await node.end();
  const alone = await startWalletNode({}, []);
  mkdirSync(join(alone.wallets.directory, '.dfi-lock'));
  assert.equal(await alone.call('createwallet', ['']), '-4 Wallet  already exists.');
  await alone.end();
});

test('calls for a wallet created at the start wait for its key pool, and a shutdown does not', async () => {
  const node = await startWalletNode({ keypoolSize: 100 }, []);
  await node.wallets.loadConfigured(['late']);
  assert.ok(node.wallets.filling);
  const info = (await node.call('getwalletinfo', [], 'late')) as { keypoolsize: number; keypoolsize_hd_internal: number };
  assert.deepEqual([info.keypoolsize, info.keypoolsize_hd_internal], [100, 100]);
  assert.equal(node.wallets.filling, undefined);
  await node.wallets.loadConfigured(['later']);
  const late = node.wallets.get('later');
  await node.wallets.stop();
  assert.ok((late?.keyPool.size(false) ?? 100) < 100);
  await node.wallets.filling;
  await node.end();
});

test('a createwallet that fails after its file was renamed leaves no file', async () => {
  const node = await startWalletNode({}, []);
  await withBrokenDisk({ fsyncSync: 'broken' }, async () => {
    assert.match(String(await node.call('createwallet', ['new'])), /^-4 Error: .* could not be written: EIO/);
  });
  assert.deepEqual(readdirSync(node.wallets.directory), []);
  assert.deepEqual(await node.call('createwallet', ['new', false, false, 'p']), { name: 'new', warning: '' });
  await node.end();
});

test('of two createwallet of the same name one succeeds', async () => {
  const node = await startWalletNode({}, []);
  const answers = await Promise.all([1, 2].map(() => node.call('createwallet', ['twin', false, false, 'p'])));
  assert.equal(answers.filter((answer) => typeof answer === 'object').length, 1);
  assert.equal(await node.call('walletpassphrase', ['p', 10]), null);
  await node.end();
});

test('temporary files left by an unclean shutdown are removed when a wallet in their directory is loaded', async () => {
  const node = await startWalletNode({}, []);
  await node.call('createwallet', ['a']);
  const directory = dirname(node.wallets.get('a')?.path ?? '');
  await node.call('unloadwallet', ['a']);
  for (const name of ['wallet.dat.being-replaced', 'auto.backup.a.bak1.being-made']) writeFileSync(join(directory, name), 'plain keys');
  await node.call('loadwallet', ['a']);
  assert.deepEqual(readdirSync(directory), ['wallet.dat']);
  await node.end();
});

test('createwallet does not encrypt with a passphrase that is empty, or begins with a NUL', async () => {
  const node = await startWalletNode({}, []);
  const warning = 'Empty string given as passphrase, wallet will not be encrypted.';
  for (const [name, passphrase] of [
    ['a', ''],
    ['b', '\0text'],
  ]) {
    assert.deepEqual(await node.call('createwallet', [name, false, false, passphrase]), { name, warning });
    assert.equal(node.wallets.get(String(name))?.keys.isEncrypted, false);
  }
  assert.deepEqual(await node.call('createwallet', ['c', true, false, '\0text']), { name: 'c', warning });
  await node.end();
});

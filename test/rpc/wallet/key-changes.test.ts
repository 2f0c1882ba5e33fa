import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { parseWif } from '../../../src/crypto/keys.js';
import { rotateBackup } from '../../../src/wallet/store/backups.js';
import { WalletFile } from '../../../src/wallet/store/file.js';
import * as records from '../../../src/wallet/store/records.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { withBrokenDisk } from '../../unit/wallet/broken-disk.js';
import { regtest, startWalletNode, type WalletNode } from './wallet-node.js';

const ENCRYPTED = /^wallet encrypted;/;
const NOT_PLAIN = '-15 Error: running with an encrypted wallet, but encryptwallet was called.';
const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const IMPORTED = 'cMceqPhHedrhbcR9eXgzmfWy7kRqLyAxMYwFT6ABDWsiwUp9Nsq9';

function walletOf(node: WalletNode): Wallet {
  const wallet = node.wallets.get('');
  if (!wallet) throw new Error('no wallet is loaded');
  return wallet;
}

/** Private keys of an unlocked wallet. */
function secretsOf({ keys }: Wallet): Buffer[] {
  return [...keys.publicKeys()].map((publicKey) => {
    const key = keys.privateKey(hash160(publicKey));
    assert.ok(key, 'a key does not open');
    assert.deepEqual(publicKeyOf(key.secret, key.compressed), Uint8Array.from(publicKey));
    return Buffer.from(key.secret);
  });
}

function assertNoneOf(secrets: readonly Buffer[], directory: string): void {
  for (const name of readdirSync(directory)) {
    const bytes = readFileSync(join(directory, name));
    assert.ok(!secrets.some((secret) => bytes.includes(secret)), `${name} holds a plain key`);
  }
}

test('of several concurrent encryptwallet calls one succeeds, and its passphrase unlocks all keys', async () => {
  const node = await startWalletNode({ keypoolSize: 5 });
  const plain = secretsOf(walletOf(node));
  const passphrases = ['a', 'a', 'b', 'c'];
  const answers = await Promise.all(passphrases.map((passphrase) => node.call('encryptwallet', [passphrase])));
  const winners = answers.flatMap((answer, i) => (ENCRYPTED.test(String(answer)) ? [i] : []));
  assert.equal(winners.length, 1);
  assert.deepEqual(
    answers.filter((_, i) => !winners.includes(i)),
    [NOT_PLAIN, NOT_PLAIN, NOT_PLAIN],
  );
  const passphrase = passphrases[winners[0] as number];
  assert.equal(await node.call('walletpassphrase', [passphrase, 1_000]), null);
  const opened = secretsOf(walletOf(node));
  for (const secret of plain) assert.ok(opened.some((each) => each.equals(secret)));
  assertNoneOf(opened, node.wallets.directory);
  await node.end();
});

test('of several concurrent walletpassphrasechange calls one succeeds, and its passphrase unlocks the wallet', async () => {
  const node = await startWalletNode();
  await node.call('encryptwallet', ['old']);
  const next = ['x', 'y', 'z'];
  const answers = await Promise.all(next.map((passphrase) => node.call('walletpassphrasechange', ['old', passphrase])));
  assert.equal(answers.filter((answer) => answer === null).length, 1);
  for (const [i, passphrase] of next.entries()) {
    const expected = answers[i] === null ? null : '-14 Error: The wallet passphrase entered was incorrect.';
    assert.equal(await node.call('walletpassphrase', [passphrase, 1_000]), expected);
  }
  await node.end();
});

test('keys imported or handed out during an encryption are in the wallet, and encrypted', async () => {
  let node = await startWalletNode({ keypoolSize: 20 });
  const before = walletOf(node);
  const told: unknown[] = [];
  const encrypting = node.call('encryptwallet', ['p']);
  const calls = [node.call('importprivkey', [IMPORTED, '', false]), encrypting];
  for (let n = 0; n < 30 && !before.keys.isEncrypted; n++) {
    told.push(await node.call('getnewaddress', ['', 'legacy']));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [imported] = await Promise.all(calls);
  assert.match(String(await encrypting), ENCRYPTED);
  node = await node.restart();
  assert.equal(await node.call('walletpassphrase', ['p', 1_000]), null);
  assertNoneOf(secretsOf(walletOf(node)), node.wallets.directory);
  for (const address of told) {
    if (String(address).startsWith('-12')) continue;
    assert.match(String(await node.call('dumpprivkey', [address])), /^c/);
  }
  // The import ran before the encryption, or after it on the locked wallet.
  const expected = imported === null ? null : '-13 Error: Please enter the wallet passphrase with walletpassphrase first.';
  assert.equal(imported, expected);
  await node.end();
});

test('an encryption that fails on a write error leaves the wallet plain in memory and on disk', async () => {
  for (const faults of [{ writeSync: 'full' }, { writeSync: 'full after half' }, { renameSync: 'broken' }] as const) {
    let node = await startWalletNode({ keypoolSize: 3 });
    const file = join(node.wallets.directory, 'wallet.dat');
    const own = await node.call('getnewaddress');
    const key = await node.call('dumpprivkey', [own]);
    const seed = walletOf(node).keys.hdChain?.seedId;
    await withBrokenDisk(faults, async () => {
      const answer = String(await node.call('encryptwallet', ['p']));
      assert.equal(answer.replace(/: (ENOSPC|EIO).*/, ''), `-4 Error: ${file} could not be written`);
    });
    assert.equal(await node.call('dumpprivkey', [own]), key);
    assert.equal(await node.call('walletlock'), '-15 Error: running with an unencrypted wallet, but walletlock was called.');
    assert.deepEqual(walletOf(node).keys.hdChain?.seedId, seed);
    node = await node.restart();
    assert.equal(await node.call('dumpprivkey', [own]), key);
    assert.match(String(await node.call('encryptwallet', ['p'])), ENCRYPTED);
    await node.end();
  }
});

test('a passphrase change that fails on a write error leaves the old passphrase', async () => {
  const node = await startWalletNode({ keypoolSize: 3 });
  await node.call('encryptwallet', ['old']);
  await withBrokenDisk({ writeSync: 'full' }, async () => {
    assert.match(String(await node.call('walletpassphrasechange', ['old', 'new'])), /^-4 Error: .* could not be written: ENOSPC/);
  });
  assert.match(String(await node.call('walletpassphrase', ['new', 10])), /^-14/);
  assert.equal(await node.call('walletpassphrase', ['old', 10]), null);
  await node.end();
});

test('a new seed that fails on a write error leaves the old one', async () => {
  const node = await startWalletNode({ keypoolSize: 3 });
  await node.mint(1, ELSEWHERE);
  const { hdChain } = walletOf(node).keys;
  await withBrokenDisk({ renameSync: 'broken' }, async () => {
    assert.match(String(await node.call('sethdseed', [true, IMPORTED])), /^-4 Error: .* could not be written: EIO/);
  });
  assert.deepEqual(walletOf(node).keys.hdChain, hdChain);
  assert.equal(await node.call('sethdseed', [true, IMPORTED]), null);
  assert.equal(await node.call('getnewaddress'), '2N7JGLrXaygEgrDemZCshQSjHviVHCP5VjN');
  await node.end();
});

test('keypoolrefill refuses more keys than a wallet can make in a reasonable time', async () => {
  const node = await startWalletNode();
  assert.equal(await node.call('keypoolrefill', [100_001]), '-8 Invalid parameter, at most 100000 keys are kept ready.');
  await node.end();
});

test('keypoolrefill of a wallet without a seed fails for a given size only', async () => {
  const node = await startWalletNode({}, []);
  await node.call('createwallet', ['blank', false, true]);
  for (const args of [[], [0]]) assert.equal(await node.call('keypoolrefill', args), null);
  assert.equal(await node.call('keypoolrefill', [1]), '-4 Error refreshing keypool.');
  await node.end();
});

test('keypoolrefill yields to other calls, and ends with the wallet', async () => {
  const node = await startWalletNode();
  const filling = node.call('keypoolrefill', [100_000]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const made = walletOf(node).keyPool.size(false);
  assert.ok(made < 100_000, 'other calls wait for all keys');
  assert.match(String(await node.call('getnewaddress')), /^2/);
  assert.equal(await node.call('unloadwallet', ['']), null);
  assert.equal(await filling, '-18 Requested wallet does not exist or is not loaded');
  await node.end();
});

test('automatic backups from before the encryption have no plain key after it, and open with the passphrase', async () => {
  const node = await startWalletNode({ keypoolSize: 3 });
  const plain = secretsOf(walletOf(node));
  await rotateBackup(walletOf(node));
  await rotateBackup(walletOf(node));
  assert.match(String(await node.call('encryptwallet', ['p'])), ENCRYPTED);
  assertNoneOf(plain, node.wallets.directory);
  await node.call('unloadwallet', ['']);
  for (const name of ['auto.backup.default.bak1', 'auto.backup.default.bak2']) {
    assert.deepEqual(await node.call('loadwallet', [name]), { name, warning: '' });
    assert.equal(await node.call('walletpassphrase', ['p', 10], name), null);
    await node.call('unloadwallet', [name]);
  }
  await node.end();
});

test('plain keys that an earlier version left in the file of an encrypted wallet are removed when it is loaded', async () => {
  const node = await startWalletNode({ keypoolSize: 3 });
  const plain = secretsOf(walletOf(node));
  const { directory } = node.wallets;
  const [path, copy] = [join(directory, 'wallet.dat'), join(directory, 'interrupted.dat')];
  copyFileSync(path, copy);
  await node.call('encryptwallet', ['p']);
  await node.call('unloadwallet', ['']);
  // That version appended the encrypted keys, and was killed before it rewrote the file.
  const [encrypted, interrupted] = [WalletFile.open(path), WalletFile.open(copy)];
  const ids = new Set([...interrupted.rows(records.keys.name)].map(({ key }) => Buffer.from(key).toString('hex')));
  for (const column of [records.masterKeys.name, records.keys.name]) {
    const rows = [...encrypted.rows(column)].filter(({ key }) => column !== records.keys.name || ids.has(Buffer.from(key).toString('hex')));
    interrupted.write(
      rows.map((each) => ({ column, ...each })),
      { sync: true },
    );
  }
  for (const file of [encrypted, interrupted]) file.close();
  assert.ok(plain.some((secret) => readFileSync(copy).includes(secret)));
  assert.deepEqual(await node.call('loadwallet', ['interrupted.dat']), { name: 'interrupted.dat', warning: '' });
  assertNoneOf(plain, directory);
  assert.equal(await node.call('walletpassphrase', ['p', 10]), null);
  await node.end();
});

test('a damaged wallet is refused with the reason, and its file stays unchanged', async () => {
  const node = await startWalletNode();
  const path = join(node.wallets.directory, 'wallet.dat');
  await node.call('unloadwallet', ['']);
  const bytes = readFileSync(path);
  bytes[36] = (bytes[36] as number) ^ 4;
  writeFileSync(path, bytes);
  assert.equal(
    await node.call('loadwallet', ['']),
    '-4 Error loading : Wallet corrupted: the length of a frame at byte 36 is damaged. Its file was not changed; dfi-wallet salvage ' +
      'recovers intact rows.',
  );
  assert.ok(readFileSync(path).equals(bytes));
  await node.end();
});

/** Deletes rows of the unloaded wallet "". */
function deleteRows(node: WalletNode, column: string, isLost: (key: Uint8Array) => boolean = () => true): void {
  const file = WalletFile.open(join(node.wallets.directory, 'wallet.dat'));
  const lost = [...file.rows(column)].filter(({ key }) => isLost(key));
  assert.ok(lost.length > 0);
  file.write(
    lost.map(({ key }) => ({ column, key, value: undefined })),
    { sync: true },
  );
  file.close();
}

test('a wallet whose seed is lost, as salvage may leave it, loads with its other keys', async () => {
  const node = await startWalletNode({ keypoolSize: 2 });
  const { keys } = walletOf(node);
  const seedId = keys.hdChain?.seedId as Uint8Array;
  const own = await node.call('getnewaddress');
  await node.call('unloadwallet', ['']);
  deleteRows(node, records.keys.name, (key) => Buffer.from(hash160(key)).equals(seedId));
  deleteRows(node, records.pool.name);
  const { warning } = (await node.call('loadwallet', [''])) as { warning: string };
  assert.match(warning, /^The seed of .*wallet\.dat is missing\. Its other keys are usable; sethdseed sets a seed for new ones\.$/);
  assert.match(String(await node.call('dumpprivkey', [own])), /^c/);
  assert.equal(await node.call('getnewaddress'), '-4 Error: This wallet has no available keys');
  assert.equal(await node.call('sethdseed'), null);
  assert.match(String(await node.call('getnewaddress')), /^2/);
  await node.call('unloadwallet', ['']);
  assert.deepEqual(await node.call('loadwallet', ['']), { name: '', warning: '' });
  await node.end();
});

test('a wallet whose master key is lost is refused: coins on its addresses could never be spent', async () => {
  const node = await startWalletNode({ keypoolSize: 2 });
  await node.call('encryptwallet', ['p']);
  await node.call('unloadwallet', ['']);
  deleteRows(node, records.masterKeys.name);
  const path = join(node.wallets.directory, 'wallet.dat');
  const bytes = readFileSync(path);
  assert.equal(
    await node.call('loadwallet', ['']),
    `-4 Error loading : Wallet corrupted: ${path} has encrypted private keys, but not the master key that decrypts them. Another copy ` +
      'of it is needed.',
  );
  assert.ok(readFileSync(path).equals(bytes));
  await node.end();
});

test('a wallet of defid is refused as such, and its file stays unchanged', async () => {
  const node = await startWalletNode();
  const path = join(node.wallets.directory, 'old.dat');
  const bytes = Buffer.alloc(8192);
  bytes.writeUInt32LE(0x00053162, 12);
  writeFileSync(path, bytes);
  assert.equal(
    await node.call('loadwallet', ['old.dat']),
    `-4 Error loading old.dat: ${path} is a wallet of defid, which this program cannot read. It was not changed. Its keys are transferred ` +
      'by a file that dumpwallet of defid writes and importwallet of this program reads.',
  );
  assert.ok(readFileSync(path).equals(bytes));
  await node.end();
});

test('a wallet whose last write is incomplete loads with a warning that names the saved bytes', async () => {
  const node = await startWalletNode();
  const path = join(node.wallets.directory, 'wallet.dat');
  await node.call('getnewaddress');
  await node.call('unloadwallet', ['']);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, -2));
  const { warning } = (await node.call('loadwallet', [''])) as { warning: string };
  const [, kept] = /^The last record of .* was incomplete\. It was removed and is kept in (.*)\.$/.exec(warning) ?? [];
  assert.ok(kept && readFileSync(kept).length > 0);
  assert.ok(bytes.includes(readFileSync(kept)));
  assert.match(String(await node.call('getnewaddress')), /^2/);
  await node.end();
});

test('the key of an operator that mints blocks stays one when its wallet is encrypted', async () => {
  const node = await startWalletNode();
  await node.call('importprivkey', [IMPORTED, '', false]);
  const parsed = parseWif(IMPORTED, regtest.address);
  assert.ok(parsed);
  const key = node.wallets.privateKey(hash160(publicKeyOf(parsed.secret)));
  assert.match(String(await node.call('encryptwallet', ['one'])), ENCRYPTED);
  assert.deepEqual(key, { secret: Uint8Array.from(parsed.secret), compressed: true });
  await node.end();
});

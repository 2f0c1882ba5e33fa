import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DirectoryLock } from '../../../src/storage/directory-lock.js';
import { WalletFile } from '../../../src/wallet/store/file.js';
import { runTool } from '../../../src/wallet-tool/tool.js';

const dir = mkdtempSync(join(tmpdir(), 'dfi-wallet-tool-'));
const wallets = join(dir, 'regtest', 'wallets');
mkdirSync(wallets, { recursive: true });
after(() => rmSync(dir, { recursive: true, force: true }));

const run = (...args: string[]) => runTool({ argv: [`-datadir=${dir}`, '-regtest', ...args], env: {} }, '1.2.3');
const failed = (text: string) => ({ stdout: '', stderr: `${text}\n`, exitCode: 1 });
const described = (poolSize: number) =>
  `Wallet info\n===========\nEncrypted: no\nHD (hd seed available): yes\nKeypool Size: ${poolSize}\nTransactions: 0\nAddress Book: 0\n`;

test('unknown commands are rejected with the text of defi-wallet', async () => {
  assert.deepEqual(await run(), failed('No method provided. Run `dfi-wallet -help` for valid methods.'));
  assert.deepEqual(await run('foo'), failed('Invalid command: foo'));
  assert.deepEqual(
    await run('info', 'create'),
    failed('Error: two methods provided (info and create). Only one method should be provided.'),
  );
  assert.deepEqual(await run('-foo'), failed('Error parsing command line arguments: Invalid parameter -foo'));
  assert.deepEqual(await run('create'), failed('Wallet name must be provided when creating a new wallet.'));
  assert.deepEqual(await run('-wallet=none.dat', 'info'), failed('Error: no wallet file at none.dat'));
  assert.match((await run('-help')).stdout, /^DeFi Blockchain wallet tool version v1\.2\.3\n\nUsage:/);
});

test('a wallet is created once, with a seed and 2,000 keys, and info does not change it', async () => {
  assert.deepEqual(await run('-wallet=made', 'create'), { stdout: `Topping up keypool...\n${described(2_000)}`, stderr: '', exitCode: 0 });
  const file = join(wallets, 'made', 'wallet.dat');
  const bytes = readFileSync(file);
  assert.deepEqual(await run('-wallet=made', 'info'), { stdout: described(2_000), stderr: '', exitCode: 0 });
  assert.deepEqual(await run('-wallet=made', 'create'), failed('Error: File exists already'));
  assert.ok(readFileSync(file).equals(bytes));
});

test('a wallet in use by a node, a damaged one and one of a later version are not changed', async () => {
  const directory = join(wallets, 'others');
  mkdirSync(directory);
  const path = join(directory, 'wallet.dat');
  WalletFile.create(path, new Uint8Array(16)).close();
  const lock = await DirectoryLock.acquireWallets(directory);
  assert.deepEqual(await run('-wallet=others', 'info'), failed('Error loading others. Is wallet being used by other process?'));
  await lock.release();
  const bytes = readFileSync(path);
  bytes.writeUInt32LE(3, 8);
  writeFileSync(path, bytes);
  assert.deepEqual(await run('-wallet=others', 'info'), failed('Error loading others: Wallet requires newer version of DeFi'));
  writeFileSync(path, 'no wallet');
  const reason = `${path} is not a wallet file of this program. Its file was not changed; dfi-wallet -wallet=others salvage recovers intact rows.`;
  assert.deepEqual(await run('-wallet=others', 'info'), failed(`Error loading others: Wallet corrupted: ${reason}`));
});

test('a wallet whose file is a link is not read or created while a node uses the directory of the file', async () => {
  const target = join(dir, 'elsewhere');
  mkdirSync(target);
  await run('-wallet=original', 'create');
  copyFileSync(join(wallets, 'original', 'wallet.dat'), join(target, 'wallet.dat'));
  for (const [name, file] of Object.entries({ linked: 'wallet.dat', dangling: 'none.dat' })) {
    mkdirSync(join(wallets, name));
    symlinkSync(join(target, file), join(wallets, name, 'wallet.dat'));
  }
  const lock = await DirectoryLock.acquireWallets(target);
  const used = (name: string) => failed(`Error loading ${name}. Is wallet being used by other process?`);
  assert.deepEqual(await run('-wallet=linked', 'info'), used('linked'));
  assert.deepEqual(await run('-wallet=dangling', 'create'), used('dangling'));
  await lock.release();
  assert.equal((await run('-wallet=linked', 'info')).exitCode, 0);
  assert.equal((await run('-wallet=dangling', 'create')).exitCode, 0);
});

test('a directory that cannot be locked is named', async () => {
  await run('-wallet=unlockable', 'create');
  const directory = join(wallets, 'unlockable');
  writeFileSync(join(directory, '.dfi-lock'), '');
  assert.deepEqual(await run('-wallet=unlockable', 'info'), failed(`Error initializing wallet database environment "${directory}"!`));
});

test('the intact records of a damaged wallet are copied to a new one, which is described', async () => {
  await run('-wallet=broken', 'create');
  const file = join(wallets, 'broken', 'wallet.dat');
  const bytes = readFileSync(file);
  bytes[36] = (bytes[36] as number) ^ 1;
  writeFileSync(file, bytes);
  const { stdout, exitCode } = await run('-wallet=broken', 'salvage');
  assert.equal(exitCode, 0);
  assert.match(stdout, /^Salvaged to wallet broken-salvaged\n=+\nEncrypted: no\nPrivate keys: 2001\n/);
  assert.match(stdout, /Damaged: \d+ bytes in 1 places\n {2}bytes 36 to \d+\n$/);
  assert.ok(readFileSync(file).equals(bytes));
  assert.deepEqual(await run('-wallet=broken', 'salvage'), failed('Error: File exists already'));
  assert.deepEqual(await run('-wallet=none', 'salvage'), failed('Error: no wallet file at none'));
  assert.match((await run('-wallet=broken-salvaged', 'info')).stdout, /HD \(hd seed available\): yes/);
});

const berkeley = (order: 'LE' | 'BE'): Buffer => {
  const bytes = Buffer.alloc(8192, 7);
  bytes[order === 'LE' ? 'writeUInt32LE' : 'writeUInt32BE'](0x00053162, 12);
  return bytes;
};
const foreign = [
  { name: 'berkeley', bytes: berkeley('LE') },
  { name: 'berkeley-swapped', bytes: berkeley('BE') },
  { name: 'sqlite', bytes: Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080)]) },
];
for (const { name, bytes } of foreign) {
  test(`a wallet of another program is called so, and is not salvaged: ${name}`, async () => {
    const file = join(wallets, name, 'wallet.dat');
    mkdirSync(join(wallets, name));
    writeFileSync(file, bytes);
    const reason =
      name === 'sqlite'
        ? `${file} is an SQLite database, not a wallet of this program. It was not changed.`
        : `${file} is a wallet of defid, which this program cannot read. It was not changed. Its keys are transferred by a file that ` +
          'dumpwallet of defid writes and importwallet of this program reads.';
    for (const command of ['info', 'salvage']) {
      assert.deepEqual(await run(`-wallet=${name}`, command), failed(`Error loading ${name}: ${reason}`), command);
    }
    assert.ok(readFileSync(file).equals(bytes));
    assert.ok(!existsSync(join(wallets, `${name}-salvaged`)));
  });
}

test('salvage of a file without an intact row fails, and makes no wallet', async () => {
  const file = join(wallets, 'garbage', 'wallet.dat');
  mkdirSync(join(wallets, 'garbage'));
  for (const content of ['', 'no wallet', 'x'.repeat(10_000)]) {
    writeFileSync(file, content);
    assert.deepEqual(
      await run('-wallet=garbage', 'salvage'),
      failed(`Error: nothing could be recovered from ${file}, so no wallet was made`),
    );
    assert.ok(!existsSync(join(wallets, 'garbage-salvaged')));
  }
});

test('info does not truncate a wallet with an incomplete end', async () => {
  await run('-wallet=torn', 'create');
  const file = join(wallets, 'torn', 'wallet.dat');
  // The first bytes of a second frame.
  const bytes = Buffer.concat([readFileSync(file), Buffer.from([100, 0, 0, 0, 1, 0, 0, 0])]);
  writeFileSync(file, bytes);
  assert.equal((await run('-wallet=torn', 'info')).exitCode, 0);
  assert.ok(readFileSync(file).equals(bytes));
});

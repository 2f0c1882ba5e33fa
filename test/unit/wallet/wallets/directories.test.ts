import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DirectoryLock } from '../../../../src/storage/directory-lock.js';
import { WalletDirectories } from '../../../../src/wallet/wallets/directories.js';

/** Directories `a` and `b`, where the wallet file of `b` is a link to that of `a`; locks that two processes share. */
function linked(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'dfi-wallets-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const place = (name: string) => ({ directory: join(root, name), file: join(root, name, 'wallet.dat') });
  const [a, b] = [place('a'), place('b')];
  for (const { directory } of [a, b]) mkdirSync(directory);
  writeFileSync(a.file, 'keys');
  symlinkSync(a.file, b.file);
  const held = new Set<string>();
  const newProcess = () =>
    new WalletDirectories(async (directory) => {
      if (held.has(directory)) throw new Error('locked');
      held.add(directory);
      return async () => void held.delete(directory);
    });
  return { root, a, b, held, newProcess };
}

test('a process that uses a wallet file by a link excludes others from its directory, and is excluded by them', async (t) => {
  const { a, b, held, newProcess } = linked(t);
  const [one, other] = [newProcess(), newProcess()];
  const release = await one.use(b);
  assert.deepEqual([...held], [b.directory, a.directory]);
  await assert.rejects(other.use(a), { message: `Error initializing wallet database environment "${a.directory}"!` });
  await release();
  await release();
  assert.equal(held.size, 0);
  const releaseTarget = await other.use(a);
  await assert.rejects(one.use(b), { message: `Error initializing wallet database environment "${a.directory}"!` });
  assert.deepEqual([...held], [a.directory], 'the directory of the link is unlocked again');
  await releaseTarget();
});

test('one process may use a directory several times, also by a link to it', async (t) => {
  const { root, a, b, held, newProcess } = linked(t);
  const directory = join(root, 'c');
  symlinkSync(a.directory, directory);
  const process = newProcess();
  const releases = [await process.use(a), await process.use(b), await process.use({ directory, file: join(directory, 'wallet.dat') })];
  for (const release of releases) {
    assert.ok(held.has(a.directory));
    await release();
  }
  assert.equal(held.size, 0);
});

test('a new wallet below a linked directory locks its directory once, and a second wallet keeps it locked', async (t) => {
  const { root, a } = linked(t);
  symlinkSync(root, join(root, 'link'));
  const directory = join(root, 'link', 'a');
  rmSync(a.file);
  const locks: string[] = [];
  const process = new WalletDirectories(async (locked) => {
    locks.push(locked);
    return (await DirectoryLock.acquireWallets(locked)).release;
  });
  const release = await process.use({ directory, file: join(directory, 'wallet.dat') });
  const releaseOther = await process.use({ directory, file: join(directory, 'other') });
  assert.deepEqual(locks, [a.directory]);
  await release();
  await assert.rejects(DirectoryLock.acquireWallets(a.directory), 'the second wallet still uses it');
  await releaseOther();
  await (await DirectoryLock.acquireWallets(a.directory)).release();
});

test('a link to a file that does not exist locks the directory of that file, if there is one', async (t) => {
  const { root, a, b, held, newProcess } = linked(t);
  symlinkSync(root, join(root, 'link'));
  rmSync(a.file);
  unlinkSync(b.file); // rmSync of Node.js 24 leaves a link without a target where it is
  symlinkSync(join(root, 'link', 'a', 'wallet.dat'), b.file);
  const process = newProcess();
  const releases = [await process.use(a), await process.use(b)];
  assert.deepEqual([...held], [a.directory, b.directory]);
  for (const release of releases) await release();
  rmSync(a.directory, { recursive: true });
  const release = await process.use(b);
  assert.deepEqual([...held], [b.directory]);
  await release();
});

test('a directory that cannot be cleaned is unlocked again', async (t) => {
  const { a } = linked(t);
  let unlocked = 0;
  const process = new WalletDirectories(async (directory) => {
    rmSync(directory, { recursive: true, force: true });
    return async () => void unlocked++;
  });
  const failure = { message: `Error initializing wallet database environment "${a.directory}"!` };
  await assert.rejects(process.use(a), failure);
  assert.equal(unlocked, 1);
  mkdirSync(a.directory);
  await assert.rejects(process.use(a), failure, 'it is not taken for one that is locked');
  assert.equal(unlocked, 2);
});

test('temporary files of an unclean shutdown are removed, a wallet whose directory has such a name is not', async (t) => {
  const { a, newProcess } = linked(t);
  const [file, directory] = [`${a.file}.being-made`, join(a.directory, 'x.being-made')];
  writeFileSync(file, 'plain keys');
  mkdirSync(directory);
  const release = await newProcess().use(a);
  assert.deepEqual([existsSync(file), existsSync(directory)], [false, true]);
  await release();
});

test('a directory that cannot be unlocked does not keep the other one locked', async (t) => {
  const { a, b } = linked(t);
  const unlocked: string[] = [];
  const process = new WalletDirectories(async (directory) => async () => {
    unlocked.push(directory);
    throw new Error(`cannot unlock ${directory}`);
  });
  const release = await process.use(b);
  await assert.rejects(release(), { message: `cannot unlock ${b.directory}` });
  assert.deepEqual(unlocked, [b.directory, a.directory]);
});

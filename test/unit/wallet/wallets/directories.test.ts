import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
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
  await assert.rejects(one.use(b), { message: `Error initializing wallet database environment "${b.directory}"!` });
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

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { DirectoryLock } from '../../../src/storage/directory-lock.js';
import { workerProgram } from '../../worker-program.js';

const MODULE = workerProgram('src/storage/directory-lock.ts').href;
/** Runs the process as number 1 of a PID namespace, as in a container. */
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];

const directories: string[] = [];
const running: ChildProcess[] = [];
after(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-lock-'));
  directories.push(directory);
  return directory;
}

/** Process that locks the directory, prints the result, and keeps running. */
function contender(directory: string, prefix: readonly string[] = [], method: 'acquire' | 'acquireWallets' = 'acquire') {
  const script = `
    import { DirectoryLock } from ${JSON.stringify(MODULE)};
    const outcome = await DirectoryLock.${method}(${JSON.stringify(directory)}).then(() => 'locked', (error) => error.name);
    process.stdout.write(process.pid + ' ' + outcome + '\\n');
    setInterval(() => {}, 1000);`;
  const [program = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', script];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    said: async () => `${(await lines.next()).value}`,
    kill: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

test('a locked directory cannot be locked again, not even by the same process, until it is released', async () => {
  const directory = newDirectory();
  const lock = await DirectoryLock.acquire(directory);
  const message = `Cannot obtain a lock on data directory ${directory}. DeFi Blockchain is probably already running.`;
  await assert.rejects(DirectoryLock.acquire(directory), { name: 'DirectoryLocked', message });
  await lock.release();
  await (await DirectoryLock.acquire(directory)).release();
});

test('nodes with the blocks of one directory exclude each other in any order', async () => {
  const [networkDir, other] = [newDirectory(), newDirectory()];
  const own = { networkDir, blocksDir: join(networkDir, 'blocks') };
  const shared = { networkDir: other, blocksDir: own.blocksDir };
  for (const [first, second] of [
    [own, shared],
    [shared, own],
  ] as const) {
    const lock = await DirectoryLock.acquireData(first);
    await assert.rejects(DirectoryLock.acquireData(second), { name: 'DirectoryLocked', directory: networkDir });
    await lock.release();
  }
  // Nothing stays locked after a refusal.
  const lock = await DirectoryLock.acquire(other);
  await assert.rejects(DirectoryLock.acquireData(shared), { name: 'DirectoryLocked', directory: other });
  await lock.release();
  await (await DirectoryLock.acquireData(own)).release();
});

test('-blocksdir may be another path of the data directory itself', async () => {
  const [networkDir, link] = [newDirectory(), join(newDirectory(), 'link')];
  symlinkSync(networkDir, link);
  await (await DirectoryLock.acquireData({ networkDir, blocksDir: join(link, 'blocks') })).release();
});

test('a lock that the program no longer refers to is kept until the process ends', async () => {
  const directory = newDirectory();
  const script = `
    import { DirectoryLock } from ${JSON.stringify(MODULE)};
    await DirectoryLock.acquire(${JSON.stringify(directory)});
    for (let i = 0; i < 10; i++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const error = await DirectoryLock.acquire(${JSON.stringify(directory)}).catch(({ name }) => name);
    process.stdout.write(error === 'DirectoryLocked' ? 'kept' : 'lost');`;
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.equal(stdout, 'kept');
});

test('of several processes one locks the directory; after SIGKILL it can be locked again', async () => {
  const directory = newDirectory();
  const all = [contender(directory), contender(directory), contender(directory)];
  const said = await Promise.all(all.map((one) => one.said()));
  assert.deepEqual(said.map((line) => line.split(' ')[1]).sort(), ['DirectoryLocked', 'DirectoryLocked', 'locked']);
  await Promise.all(all.map((one) => one.kill()));
  await (await DirectoryLock.acquire(directory)).release();
});

const canUnshare = spawnSync(NAMESPACE[0] as string, [...NAMESPACE.slice(1), 'true']).status === 0;

test('the lock works between processes that do not see each other, also with the same process id', { skip: !canUnshare }, async () => {
  const directory = newDirectory();
  const first = contender(directory, NAMESPACE);
  assert.equal(await first.said(), '1 locked');
  const second = contender(directory, NAMESPACE);
  assert.equal(await second.said(), '1 DirectoryLocked');
  await second.kill();
  await first.kill();
});

test('the lock works with files that a power failure damaged, and with a file that defid left', async () => {
  const directory = newDirectory();
  writeFileSync(join(directory, '.lock'), '');
  await (await DirectoryLock.acquire(directory)).release();
  const folder = join(directory, 'enhancedcs', '.lock');
  for (const name of readdirSync(folder))
    if (name.startsWith('MANIFEST') || name === 'CURRENT') writeFileSync(join(folder, name), 'spoilt');
  const lock = await DirectoryLock.acquire(directory);
  await assert.rejects(DirectoryLock.acquire(directory), { name: 'DirectoryLocked' });
  await lock.release();
  assert.ok(existsSync(folder));
});

test('tools that clear a data directory find only folders that they know', async () => {
  const directory = newDirectory();
  await (await DirectoryLock.acquire(directory)).release();
  const known = ['anchors', 'blocks', 'burn', 'chainstate', 'enhancedcs', 'history', 'wallets'];
  const folders = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(
    folders.map(({ name }) => name).filter((name) => !known.includes(name)),
    [],
  );
});

test('the lock on a directory of wallets is independent of that on a data directory, and leaves no folder behind', async () => {
  const directory = newDirectory();
  const data = await DirectoryLock.acquire(directory);
  const lock = await DirectoryLock.acquireWallets(directory);
  await assert.rejects(DirectoryLock.acquireWallets(directory), { name: 'DirectoryLocked' });
  await lock.release();
  await (await DirectoryLock.acquireWallets(directory)).release();
  assert.deepEqual(readdirSync(directory), ['enhancedcs']);
  await data.release();
});

test('of several processes one locks a directory of wallets; after SIGKILL it can be locked and cleared again', async () => {
  const directory = newDirectory();
  const all = [1, 2, 3].map(() => contender(directory, [], 'acquireWallets'));
  const said = await Promise.all(all.map((one) => one.said()));
  assert.deepEqual(said.map((line) => line.split(' ')[1]).sort(), ['DirectoryLocked', 'DirectoryLocked', 'locked']);
  await Promise.all(all.map((one) => one.kill()));
  await (await DirectoryLock.acquireWallets(directory)).release();
  assert.deepEqual(readdirSync(directory), []);
});

test('processes that lock a directory of wallets in turns never hold it at the same time', async () => {
  const directory = newDirectory();
  const script = `
    import { closeSync, openSync, rmSync } from 'node:fs';
    import { DirectoryLock } from ${JSON.stringify(MODULE)};
    const mine = ${JSON.stringify(join(directory, 'mine'))};
    for (let turns = 0; turns < 5; ) {
      const lock = await DirectoryLock.acquireWallets(${JSON.stringify(directory)}).catch((error) => {
        if (error.name !== 'DirectoryLocked') throw error;
      });
      if (!lock) continue;
      closeSync(openSync(mine, 'wx'));
      rmSync(mine);
      await lock.release();
      turns += 1;
    }`;
  const args = ['--input-type=module', '-e', script];
  const children = [1, 2].map(() => spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }));
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0]);
  assert.deepEqual(readdirSync(directory), []);
});

for (const [holder, pid, isRemoved] of [
  ['a process that ended', spawnSync(process.execPath, ['--version']).pid, true],
  ['an earlier process with the id of this one', process.pid, true],
  ['a running process', process.ppid, false],
] as const) {
  test(`lock files of earlier versions, ${holder}: ${isRemoved ? 'removed' : 'kept'} when the directory of wallets is locked`, async () => {
    const directory = newDirectory();
    for (const name of ['.lock', '.lock.00112233aabbccdd']) {
      writeFileSync(join(directory, name), JSON.stringify({ pid, started: '', nonce: '00112233aabbccdd' }));
    }
    writeFileSync(join(directory, '.lock.mine'), JSON.stringify({ pid, started: '', nonce: '00112233aabbccdd' }));
    await (await DirectoryLock.acquireWallets(directory)).release();
    const left = isRemoved ? ['.lock.mine'] : ['.lock', '.lock.00112233aabbccdd', '.lock.mine'];
    assert.deepEqual(readdirSync(directory).sort(), left);
  });
}

test('an empty `.lock`, as `defid` makes it, stays', async () => {
  const directory = newDirectory();
  writeFileSync(join(directory, '.lock'), '');
  await (await DirectoryLock.acquireWallets(directory)).release();
  assert.deepEqual(readdirSync(directory), ['.lock']);
});

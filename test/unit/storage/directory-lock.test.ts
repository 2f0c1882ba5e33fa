import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DirectoryLock } from '../../../src/storage/directory-lock.js';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/storage/directory-lock.ts')).href;
/** Makes the process number one of a PID namespace, as a container is. */
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];

const directories: string[] = [];
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-lock-'));
  directories.push(directory);
  return directory;
}

/** A process that locks the directory, says what came of it, and stays. */
function contender(directory: string, prefix: readonly string[] = []) {
  const script = `
    import { DirectoryLock } from ${JSON.stringify(MODULE)};
    const outcome = await DirectoryLock.acquire(${JSON.stringify(directory)}).then(() => 'locked', (error) => error.name);
    process.stdout.write(process.pid + ' ' + outcome + '\\n');
    setInterval(() => {}, 1000);`;
  const [program = '', ...args] = [...prefix, process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
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

test('a held directory is refused, in this process too, and free again after release', async () => {
  const directory = newDirectory();
  const lock = await DirectoryLock.acquire(directory);
  const message = `Cannot obtain a lock on data directory ${directory}. DeFi Blockchain is probably already running.`;
  await assert.rejects(DirectoryLock.acquire(directory), { name: 'DirectoryLocked', message });
  await lock.release();
  await (await DirectoryLock.acquire(directory)).release();
});

test('of several that start at once one gets the directory; killed, it makes room', async () => {
  const directory = newDirectory();
  const all = [contender(directory), contender(directory), contender(directory)];
  const said = await Promise.all(all.map((one) => one.said()));
  assert.deepEqual(said.map((line) => line.split(' ')[1]).sort(), ['DirectoryLocked', 'DirectoryLocked', 'locked']);
  await Promise.all(all.map((one) => one.kill()));
  await (await DirectoryLock.acquire(directory)).release();
});

const canUnshare = spawnSync(NAMESPACE[0] as string, [...NAMESPACE.slice(1), 'true']).status === 0;

test('processes that do not see each other exclude each other, also as the same process id', { skip: !canUnshare }, async () => {
  const directory = newDirectory();
  const first = contender(directory, NAMESPACE);
  assert.equal(await first.said(), '1 locked');
  const second = contender(directory, NAMESPACE);
  assert.equal(await second.said(), '1 DirectoryLocked');
  await second.kill();
  await first.kill();
});

test('files of the lock that a power loss spoiled, and a file that the C++ daemon left, keep nobody out', async () => {
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

test('tools that clear a data directory find no folder that they do not know', async () => {
  const directory = newDirectory();
  await (await DirectoryLock.acquire(directory)).release();
  const known = ['anchors', 'blocks', 'burn', 'chainstate', 'enhancedcs', 'history', 'wallets'];
  const folders = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(
    folders.map(({ name }) => name).filter((name) => !known.includes(name)),
    [],
  );
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { checkUnlocked, DirectoryLock } from '../../../src/config/lock.js';
import { dataDir } from './support.js';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/config/lock.ts')).href;

/** A process that tries to lock once a line arrives, says what came of it, and stays. */
function contender(dir: string): { said: (text: string) => Promise<void>; go: () => void; kill: () => Promise<unknown> } {
  const script = `
    import { DirectoryLock } from ${JSON.stringify(MODULE)};
    process.stdout.write('ready\\n');
    process.stdin.once('data', () => {
      try { DirectoryLock.acquire(${JSON.stringify(dir)}); process.stdout.write('locked\\n'); }
      catch (error) { process.stdout.write(error.name + '\\n'); }
    });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    said: async (text) => assert.equal((await lines.next()).value, text),
    go: () => child.stdin.write('\n'),
    kill: () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      return gone;
    },
  };
}

test('a held directory is refused, in this process too, and free again after release', () => {
  const dir = dataDir();
  const lock = DirectoryLock.acquire(dir);
  const message = `Cannot obtain a lock on data directory ${dir}. DeFi Blockchain is probably already running.`;
  assert.throws(() => DirectoryLock.acquire(dir), { name: 'DirectoryLocked', message });
  assert.throws(() => checkUnlocked(dir), { name: 'DirectoryLocked' });
  lock.release();
  checkUnlocked(dir);
  DirectoryLock.acquire(dir).release();
  assert.deepEqual(readdirSync(dir), []);
});

test('records of the dead are succeeded', () => {
  const cases = {
    'empty file of the reference': '',
    'no such process': JSON.stringify({ pid: 4_194_304, started: '', nonce: 'aa' }),
    'same pid, other start': JSON.stringify({ pid: process.pid, started: 'boot:1', nonce: 'bb' }),
  };
  for (const [name, text] of Object.entries(cases)) {
    const dir = dataDir({ '.lock': text });
    const lock = DirectoryLock.acquire(dir);
    assert.equal((JSON.parse(readFileSync(join(dir, '.lock'), 'utf8')) as { pid: number }).pid, process.pid, name);
    assert.deepEqual(readdirSync(dir), ['.lock'], name);
    lock.release();
  }
});

test('a successor that died before it was done is succeeded too', () => {
  const dead = (nonce: string) => JSON.stringify({ pid: 4_194_304, started: '', nonce });
  const dir = dataDir({ '.lock': dead('aa'), '.lock.aa': dead('bb') });
  DirectoryLock.acquire(dir);
  assert.deepEqual(readdirSync(dir), ['.lock']);
});

test('a successor at work holds the directory', () => {
  const dir = dataDir({ '.lock': JSON.stringify({ pid: 4_194_304, started: '', nonce: 'aa' }) });
  writeFileSync(join(dir, '.lock.aa'), JSON.stringify({ pid: process.pid, started: '', nonce: 'bb' }));
  assert.throws(() => DirectoryLock.acquire(dir), { name: 'DirectoryLocked' });
});

test('of several that start at once one gets a dead holder’s directory; killed, it makes room', async () => {
  const dir = dataDir();
  const first = contender(dir);
  await first.said('ready');
  first.go();
  await first.said('locked');
  await first.kill();
  const others = [contender(dir), contender(dir), contender(dir)];
  await Promise.all(others.map((other) => other.said('ready')));
  for (const other of others) other.go();
  const results = await Promise.allSettled(others.map((other) => other.said('locked')));
  await Promise.all(others.map((other) => other.kill()));
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
  DirectoryLock.acquire(dir).release();
});

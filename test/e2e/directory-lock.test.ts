import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPrograms, freePort } from '../daemon.js';
import { projectRoot } from '../shared.js';

/** Makes the daemon process 1 of a PID namespace, as it is in a container. */
const NAMESPACE = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
const canUnshare = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;

const directory = mkdtempSync(join(tmpdir(), 'dfi-lock-'));
const file = (name: string): string => join(directory, 'regtest', name);
before(() => buildPrograms());
after(() => rmSync(directory, { recursive: true, force: true }));

async function start(): Promise<ChildProcess> {
  const flags = ['-regtest', `-datadir=${directory}`, `-rpcport=${await freePort()}`, '-grpcport=0', '-metricsport=0', '-listen=0'];
  const program = join(projectRoot, 'dist', 'main.js');
  return spawn('unshare', [...NAMESPACE, process.execPath, program, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
}

test('a second container on the same volume exits, and the files of the first are unchanged', { skip: !canUnshare }, async () => {
  const first = await start();
  while (!existsSync(file('.cookie'))) await sleep(50);
  const [cookie, pid] = [readFileSync(file('.cookie'), 'utf8'), readFileSync(file('defid.pid'), 'utf8')];
  const second = await start();
  let stderr = '';
  second.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [code] = await once(second, 'exit');
  assert.equal(code, 2);
  assert.match(stderr, /^Error: Cannot obtain a lock on data directory .*regtest\. DeFi Blockchain is probably already running\.\n$/);
  assert.deepEqual([readFileSync(file('.cookie'), 'utf8'), readFileSync(file('defid.pid'), 'utf8')], [cookie, pid]);
  const gone = once(first, 'exit');
  first.kill('SIGKILL');
  await gone;
});

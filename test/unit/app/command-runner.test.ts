import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommandRunner } from '../../../src/app/command-runner.js';
import { silentLogger } from '../../../src/util/logger.js';
import { until } from '../../until.js';

test('all commands run, and one that fails is logged and does not affect the others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'commands-'));
  const warned: unknown[] = [];
  const runner = new CommandRunner({ ...silentLogger, warn: (msg: string, fields?: object) => void warned.push({ msg, ...fields }) });
  runner.run('exit 3');
  for (let n = 0; n < 10; n++) runner.run(`echo done > '${join(directory, String(n))}'`);
  const files = Array.from({ length: 10 }, (_, n) => join(directory, String(n)));
  await until(() => files.every((path) => existsSync(path) && readFileSync(path, 'utf8') === 'done\n'), 'output of all commands');
  assert.deepEqual(warned, [{ msg: 'command failed', command: 'exit 3', reason: 'exited with 3' }]);
  rmSync(directory, { recursive: true });
});

test('new commands are dropped while too many wait, and this is logged once', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'commands-'));
  const warned: unknown[] = [];
  const log = { ...silentLogger, warn: (msg: string, fields?: object) => void warned.push({ msg, ...fields }) };
  const runner = new CommandRunner(log, { isAwaited: true, maxWaiting: 3 });
  const go = join(directory, 'go');
  const hanging = Array.from({ length: 4 }, () => runner.run(`while [ ! -e '${go}' ]; do sleep 0.05; done`));
  const waiting = Array.from({ length: 3 }, (_, n) => runner.run(`echo done > '${join(directory, String(n))}'`));
  const dropped = Array.from({ length: 5 }, (_, n) => runner.run(`echo dropped-${n} > '${join(directory, 'dropped')}'`));
  await Promise.all(dropped);
  writeFileSync(go, '');
  await Promise.all([...hanging, ...waiting]);
  assert.deepEqual(readdirSync(directory).sort(), ['0', '1', '2', 'go']);
  const first = `echo dropped-0 > '${join(directory, 'dropped')}'`;
  assert.deepEqual(warned, [
    { msg: 'too many waiting commands, dropping new ones', command: first, waiting: 3 },
    { msg: 'dropped commands', count: 5 },
  ]);
  rmSync(directory, { recursive: true });
});

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { CommandRunner } from '../../../src/start/command-runner.js';
import { silentLogger } from '../../../src/util/logger.js';

async function until(done: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !done(); n++) await setTimeout(20);
  assert.ok(done(), 'it never came');
}

test('commands all run, and one that fails is told of and keeps none of the others from running', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'commands-'));
  const warned: unknown[] = [];
  const runner = new CommandRunner({ ...silentLogger, warn: (msg: string, fields?: object) => void warned.push({ msg, ...fields }) });
  runner.run('exit 3');
  for (let n = 0; n < 10; n++) runner.run(`echo done > '${join(directory, String(n))}'`);
  const files = Array.from({ length: 10 }, (_, n) => join(directory, String(n)));
  await until(() => files.every((path) => existsSync(path) && readFileSync(path, 'utf8') === 'done\n'));
  assert.deepEqual(warned, [{ msg: 'a command failed', command: 'exit 3', trouble: 'ended with 3' }]);
  rmSync(directory, { recursive: true });
});

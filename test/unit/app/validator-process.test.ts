import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValidatorProcess } from '../../../src/app/validator-process.js';
import { silentLogger } from '../../../src/util/logger.js';
import { until } from '../../until.js';

test('a validator that cannot be started does not keep the node from stopping', async (t) => {
  const { execPath } = process;
  t.after(() => Object.assign(process, { execPath }));
  Object.assign(process, { execPath: '/nowhere/node' });
  const seen: string[] = [];
  const validation = { attach: () => void seen.push('attached'), detach: () => void seen.push('detached'), reported() {} };
  const warned: unknown[] = [];
  const log = { ...silentLogger, warn: (_: string, facts: unknown) => void warned.push(facts) };
  const started = new ValidatorProcess(validation, () => assert.fail('nothing is sent'), log);
  started.start();
  await until(() => seen.length === 2, 'the failure');
  assert.deepEqual(seen, ['attached', 'detached']);
  assert.deepEqual(warned, [{ code: undefined, problem: 'spawn /nowhere/node ENOENT' }]);
  await started.stop();

  const stopped = new ValidatorProcess(validation, () => assert.fail('nothing is sent'), log);
  stopped.start();
  await stopped.stop();
  assert.equal(warned.length, 1);
});

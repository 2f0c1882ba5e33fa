import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryWhenFull } from '../../../src/app/disk-retry.js';
import type { ChainFault } from '../../../src/chain/faults.js';
import { silentLogger } from '../../../src/util/logger.js';
import { until } from '../../until.js';

const FULL: ChainFault = { kind: 'disk-full', message: 'full' };

/** A chain on a full disk whose database cannot be reopened at first. */
function fullNode(failures: number) {
  const node = { halted: true, hasRoom: false, failures, revivals: 0, atOnce: 0, errors: [] as string[], fault: (_: ChainFault) => {} };
  const chain = {
    on(_name: string, listener: (fault: ChainFault) => void) {
      node.fault = listener;
      return () => {};
    },
    retry: () => !node.halted,
    get hasRoom() {
      return node.hasRoom;
    },
  };
  const store = {
    async revive() {
      node.atOnce += 1;
      node.revivals += 1;
      await new Promise((resolve) => setTimeout(resolve, 3));
      assert.equal(node.atOnce--, 1);
      if (node.failures-- > 0) throw new Error('cannot open the database');
      node.halted = false;
    },
  };
  const log = { ...silentLogger, error: (_: string, fields?: object) => node.errors.push(JSON.stringify(fields)) };
  retryWhenFull({ chain: chain as never, store, lifecycle: { isStopping: false }, log }, 1);
  return node;
}

test('a database that cannot be reopened is tried again until it can, one attempt at a time, reported once', async () => {
  const node = fullNode(3);
  node.fault(FULL);
  node.fault({ ...FULL, message: 'still full' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(node.revivals, 0, 'a database without room is not closed');
  node.hasRoom = true;
  await until(() => !node.halted, 'the database is open again');
  assert.equal(node.revivals, 4);
  assert.deepEqual(node.errors, ['{"error":"cannot open the database"}']);
});

test('a failure to reopen the database is reported again when another full disk leads to it', async () => {
  const node = fullNode(1);
  node.hasRoom = true;
  node.fault(FULL);
  await until(() => !node.halted, 'the database is open again');
  await new Promise((resolve) => setTimeout(resolve, 20)); // the attempt has ended
  Object.assign(node, { halted: true, failures: 2 });
  node.fault(FULL);
  await until(() => !node.halted, 'the database is open again');
  assert.equal(node.errors.length, 2);
});

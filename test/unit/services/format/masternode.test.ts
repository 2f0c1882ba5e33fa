import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masternodeTimelocks } from '../../../../src/dfi/masternodes/columns.js';
import { networkParams } from '../../../../src/params/index.js';
import { timelockOf } from '../../../../src/services/format/masternode.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';

const WEEKS = 260;
/** Height of the block whose time ends the timelock as soon as the average contains it. */
const LAST = 100;

test('a timelock is that of the newest block, whose own time does not count yet', () => {
  const params = networkParams({ network: 'regtest', upgradeHeights: { eunos: 1, eunosPaya: 2 } });
  const state = new Overlay(new MemoryStore());
  const id = new Uint8Array(32).fill(1);
  state.put(masternodeTimelocks, id, WEEKS);
  const time = params.masternode.newResignDelay * WEEKS * 7 * 86_400;
  const entryAt = (height: number) => ({ time: height === LAST ? time : 0 });
  const shown = (height: number) =>
    timelockOf({ id, node: { creationHeight: 3 } } as never, { params, state, tip: { height }, entryAt } as never);
  assert.deepEqual([shown(LAST - 1), shown(LAST), shown(LAST + 1)], [WEEKS, WEEKS, 0]);
});

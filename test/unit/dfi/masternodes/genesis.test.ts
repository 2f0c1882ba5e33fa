import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectGenesis } from '../../../../src/chain/connect.js';
import { masternodes, stakerTimes, subNodeTimes } from '../../../../src/dfi/masternodes/columns.js';
import { networkParams } from '../../../../src/params/index.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';

/** Versions of the genesis masternodes, and the numbers of their block times. */
function genesisState(upgradeHeights: HeightOverrides) {
  const params = networkParams({ network: 'regtest', upgradeHeights });
  const view = new Overlay(new MemoryStore());
  connectGenesis(params, view);
  const times = [...view.entries(stakerTimes), ...view.entries(subNodeTimes)];
  for (const [, time] of times) assert.equal(time, BigInt(params.genesis.header.time));
  return { versions: [...new Set([...view.entries(masternodes)].map(([, { version }]) => version))], times: times.length };
}

test('genesis masternodes follow the upgrades that a chain begins with', () => {
  const early = genesisState({});
  assert.deepEqual(early, { versions: [-1], times: 0 });
  const count = genesisState({ dakotaCrescent: 0 }).times;
  assert.ok(count > 0);
  assert.deepEqual(genesisState({ dakotaCrescent: 0, eunosPaya: 0, fortCanning: 0 }), { versions: [0], times: 4 * count });
});

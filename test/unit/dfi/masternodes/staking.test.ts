import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  activationDelay,
  type IdentifiedMasternode,
  isActiveMasternode,
  type Masternode,
  masternodeState,
  masternodeTimelocks,
  resignDelay,
} from '../../../../src/dfi/masternodes/columns.js';
import { lastBlockTimes, recordBlockTime, recordCreationTimes, stakeOf, timelockAt } from '../../../../src/dfi/masternodes/staking.js';
import { networkParams } from '../../../../src/params/index.js';
import type { NetworkName } from '../../../../src/params/network.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { masternodeOf } from '../../../masternode.js';

// Live networks, on both sides of their upgrades.

const main = networkParams({ network: 'main' });
const test3 = networkParams({ network: 'test' });

function masternode(change: Partial<Masternode> = {}): Masternode {
  return masternodeOf({
    ownerKey: new Uint8Array(20).fill(1),
    operatorKey: new Uint8Array(20).fill(2),
    creationHeight: 800_000,
    ...change,
  });
}

function identified(change: Partial<Masternode> = {}, id = 7): IdentifiedMasternode {
  return { id: new Uint8Array(32).fill(id), node: masternode(change) };
}

const emptyView = () => new Overlay(new MemoryStore());

describe('delays', () => {
  const delays = (network: NetworkName, height: number) => {
    const params = networkParams({ network });
    return [activationDelay(height, params), resignDelay(height, params)];
  };
  test('main: from Eunos on the new ones apply', () => {
    assert.deepEqual(delays('main', 893_999), [10, 60]);
    assert.deepEqual(delays('main', 894_000), [1008, 2016]);
    assert.deepEqual(delays('main', 5_000_000), [1008, 2016]);
  });
  test('test networks: the old ones apply again from Fort Canning on', () => {
    for (const network of ['test', 'devnet', 'changi'] as const) {
      assert.deepEqual(delays(network, 354_949), [10, 60], network);
      assert.deepEqual(delays(network, 354_950), [1008, 2016], network);
      assert.deepEqual(delays(network, 686_199), [1008, 2016], network);
      assert.deepEqual(delays(network, 686_200), [10, 60], network);
    }
  });
});

describe('state of a masternode on main', () => {
  const stateAt = (height: number, change: Partial<Masternode>) => masternodeState(emptyView(), masternode(change), height, main);
  test('before Eunos Paya the height of the block selects the delay, from then on the creation height', () => {
    const late = { creationHeight: 893_995 };
    assert.equal(stateAt(893_999, late), 'PRE_ENABLED');
    assert.equal(stateAt(894_005, late), 'PRE_ENABLED');
    assert.equal(stateAt(895_003, late), 'ENABLED');
    // Enabled before Eunos, and pre-enabled again after it.
    const earlier = { creationHeight: 893_500 };
    assert.equal(stateAt(893_999, earlier), 'ENABLED');
    assert.equal(stateAt(894_000, earlier), 'PRE_ENABLED');
    assert.equal(stateAt(894_508, earlier), 'ENABLED');
    const young = { creationHeight: 1_071_500 };
    assert.equal(stateAt(1_072_507, young), 'PRE_ENABLED');
    assert.equal(stateAt(1_072_508, young), 'ENABLED');
  });
  test('a genesis masternode is enabled from the start', () => {
    assert.equal(stateAt(0, { creationHeight: 0 }), 'ENABLED');
    assert.equal(stateAt(894_001, { creationHeight: 0 }), 'ENABLED');
  });
  test('a resigned masternode may mint until Eunos Paya', () => {
    const resigned = { creationHeight: 0, resignHeight: 1_071_990 };
    const mintsAt = (height: number) => isActiveMasternode(emptyView(), masternode(resigned), height, main);
    assert.deepEqual([stateAt(1_071_999, resigned), mintsAt(1_071_999)], ['PRE_RESIGNED', true]);
    assert.deepEqual([stateAt(1_072_000, resigned), mintsAt(1_072_000)], ['PRE_RESIGNED', false]);
    assert.equal(stateAt(1_071_990 + 2015, resigned), 'PRE_RESIGNED');
    assert.equal(stateAt(1_071_990 + 2016, resigned), 'RESIGNED');
  });
});

describe('last block times on main', () => {
  const PAYA_TIME = 1_628_000_000;
  const CRESCENT_TIME = 1_616_000_000;
  /** Block times of a chain that ends at `tip`. */
  const chainTo = (tip: number) => (height: number) => {
    if (height > tip) return undefined;
    return height === 1_072_000 ? PAYA_TIME : height === 733_000 ? CRESCENT_TIME : 1_600_000_000;
  };
  const timesAt = (view: Overlay, node: IdentifiedMasternode, upTo: number, timelock = 0) =>
    lastBlockTimes(view, node, { upTo, timelock, blockTime: chainTo(upTo - 1) }, main);

  test('before Fort Canning a sub-node without a record uses the newest one of the next sub-node', () => {
    const view = emptyView();
    const node = identified();
    recordBlockTime(view, { masternodeId: node.id, subNode: 1, height: 1_100_000, time: 111 }, main);
    recordBlockTime(view, { masternodeId: node.id, subNode: 1, height: 1_200_000, time: 222 }, main);
    recordBlockTime(view, { masternodeId: node.id, subNode: 1, height: 1_366_900, time: 333 }, main);
    // The height limits records of the sub-node itself; of an earlier sub-node the newest record of all is used.
    assert.deepEqual(timesAt(view, node, 1_150_000), [333, 111, 0, 0]);
    assert.deepEqual(timesAt(view, node, 1_366_999), [333, 333, 0, 0]);
    assert.deepEqual(timesAt(view, node, 1_367_000), [PAYA_TIME, 333, 0, 0]);
  });
  test('a record of another masternode is not used for the next sub-node', () => {
    const view = emptyView();
    recordBlockTime(view, { masternodeId: identified({}, 8).id, subNode: 0, height: 1_100_000, time: 111 }, main);
    assert.deepEqual(timesAt(view, identified(), 1_200_000), [PAYA_TIME, PAYA_TIME, 0, 0]);
  });
  test('a block does not use its own record', () => {
    const view = emptyView();
    const node = identified();
    recordBlockTime(view, { masternodeId: node.id, subNode: 0, height: 1_400_000, time: 111 }, main);
    assert.equal(timesAt(view, node, 1_400_000)[0], PAYA_TIME);
    assert.equal(timesAt(view, node, 1_400_001)[0], 111);
  });
  test('the first sub-node continues with the time from before Eunos Paya', () => {
    const view = emptyView();
    const node = identified();
    recordBlockTime(view, { masternodeId: node.id, subNode: 0, height: 1_071_999, time: 111 }, main);
    assert.deepEqual(timesAt(view, node, 1_072_001), [111, PAYA_TIME, 0, 0]);
    // The block of Eunos Paya itself has no time to fall back to.
    assert.deepEqual(timesAt(view, node, 1_072_000), [111, 0, 0, 0]);
  });
  test('without records an old masternode counts from Dakota Crescent, and a timelock adds sub-nodes', () => {
    const old = identified({ creationHeight: 732_999 });
    assert.deepEqual(timesAt(emptyView(), old, 1_400_000), [CRESCENT_TIME, PAYA_TIME, 0, 0]);
    assert.deepEqual(timesAt(emptyView(), identified({ creationHeight: 733_000 }), 1_400_000), [PAYA_TIME, PAYA_TIME, 0, 0]);
    assert.deepEqual(timesAt(emptyView(), old, 1_400_000, 260), [CRESCENT_TIME, PAYA_TIME, PAYA_TIME, 0]);
    assert.deepEqual(timesAt(emptyView(), old, 1_400_000, 520), [CRESCENT_TIME, PAYA_TIME, PAYA_TIME, PAYA_TIME]);
  });
  test('up to Eunos the creation height replaces the height of the block', () => {
    const view = emptyView();
    const node = identified({ creationHeight: 740_000 });
    recordCreationTimes(view, { masternodeId: node.id, height: 740_000, time: 111 }, main);
    recordBlockTime(view, { masternodeId: node.id, subNode: 0, height: 800_000, time: 222 }, main);
    const at = (height: number) => stakeOf(view, node, height, chainTo(height - 1), main)?.lastBlockTimes[0];
    assert.equal(at(894_000), 0);
    assert.equal(at(894_001), 222);
    // The last block of a genesis masternode counts, because the search wraps around.
    const genesis = identified({ creationHeight: 0 }, 9);
    recordBlockTime(view, { masternodeId: genesis.id, subNode: 0, height: 800_000, time: 333 }, main);
    assert.equal(stakeOf(view, genesis, 894_000, chainTo(893_999), main)?.lastBlockTimes[0], 333);
  });
  test('before Dakota Crescent no times are recorded', () => {
    const view = emptyView();
    const node = identified();
    recordBlockTime(view, { masternodeId: node.id, subNode: 0, height: 732_999, time: 111 }, main);
    recordCreationTimes(view, { masternodeId: node.id, height: 732_999, time: 111 }, main);
    assert.equal([...view.changes()].length, 0);
    assert.deepEqual(stakeOf(view, node, 732_999, chainTo(732_998), main)?.lastBlockTimes, [0, 0, 0, 0]);
  });
});

describe('timelock', () => {
  const WEEK = 604_800;
  const START = 1_630_000_000;
  const lockedAt = (height: number, params = main) => {
    const view = emptyView();
    const node = identified({ creationHeight: 1_072_100 });
    view.put(masternodeTimelocks, node.id, 260);
    // The average block time reaches the end of the timelock at this height.
    const end = (at: number) => START + 260 * WEEK + (at - 6_000_000) * 30;
    return timelockAt(view, node, height, (at) => (at === 1_072_100 ? START : at < height ? end(at) : undefined), params);
  };
  test('is compared with the average time of 2016 blocks on main, of 60 on the test network', () => {
    assert.equal(lockedAt(6_000_000 + 1008), 260);
    assert.equal(lockedAt(6_000_000 + 1009), 0);
    assert.equal(lockedAt(6_000_000 + 30, test3), 260);
    assert.equal(lockedAt(6_000_000 + 31, test3), 0);
  });
  test('does not apply before Eunos Paya', () => {
    const view = emptyView();
    const node = identified({ creationHeight: 1_000_000 });
    view.put(masternodeTimelocks, node.id, 520);
    const at = (height: number) => stakeOf(view, node, height, () => START, main)?.timelock;
    assert.deepEqual([at(1_071_999), at(1_072_000)], [0, 520]);
  });
});

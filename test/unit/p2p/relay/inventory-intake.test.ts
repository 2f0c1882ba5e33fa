import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { InventoryIntake } from '../../../../src/p2p/relay/inventory-intake.js';
import { RequestTimes, TxRequests } from '../../../../src/p2p/relay/tx-requests.js';
import { type InventoryItem, InvType, itemsOf } from '../../../../src/p2p/wire/inventory.js';
import { FakePeer, numberedHash as hash } from '../fake-peer.js';

const hashes = Array.from({ length: 50_000 }, (_, n) => hash(n));

/** An intake whose tasks are run by the test, on a clock that advances by 1 ms with each reading. */
function intake(t: TestContext) {
  let now = 0;
  t.mock.method(performance, 'now', () => now++);
  const from = new FakePeer();
  const tasks: (() => void)[] = [];
  const taken = { transactions: 0, anchors: 0, unknown: [] as number[] };
  const inventories = new InventoryIntake({
    chain: { entry: () => undefined },
    transactions: (_, txids) => {
      taken.transactions += txids.length;
    },
    anchors: (_, items) => {
      taken.anchors += items.length;
    },
    isRequested: (block) => block[3] === 79,
    unknownBlock: (_, block) => void taken.unknown.push(new DataView(block.buffer).getUint32(0)),
    later: (task) => void tasks.push(task),
  });
  const take = (items: readonly InventoryItem[]) => inventories.process(from.session, items);
  return { from, tasks, taken, take };
}

test('an inventory of the largest size is processed in slices, and the peer is held until the last', (t) => {
  const { from, tasks, taken, take } = intake(t);
  take(itemsOf(InvType.tx, hashes));
  let turns = 0;
  while (tasks.length > 0) {
    assert.ok(from.peer.holds('ping'));
    tasks.shift()?.();
    turns += 1;
  }
  assert.deepEqual([taken.transactions, from.peer.holds('ping')], [50_000, false]);
  assert.ok(turns > 10, `${turns} turns`);
});

test('a small inventory is processed at once', (t) => {
  const { from, tasks, taken, take } = intake(t);
  take([...itemsOf(InvType.witnessTx, hashes.slice(0, 20)), ...itemsOf(InvType.anchorAuth, hashes.slice(0, 3))]);
  assert.deepEqual([tasks.length, taken.transactions, taken.anchors, from.peer.holds('ping')], [0, 20, 3, false]);
});

test('headers are requested once per inventory, up to the last block that is neither known nor requested', (t) => {
  const { tasks, taken, take } = intake(t);
  take(itemsOf(InvType.block, hashes.slice(0, 20_048)));
  assert.deepEqual(taken.unknown, []);
  while (tasks.length > 0) tasks.shift()?.();
  // The last bytes of the hashes above 20,046 are those of blocks that were requested.
  assert.deepEqual(taken.unknown, [20_046]);
});

test('the rest of an inventory is dropped when its peer disconnects', (t) => {
  const { from, tasks, taken, take } = intake(t);
  take(itemsOf(InvType.tx, hashes));
  from.peer.disconnected = true;
  while (tasks.length > 0) tasks.shift()?.();
  assert.ok(taken.transactions < 5_000);
});

test('announcements are remembered up to a limit, and 500 of them are examined per call', () => {
  const requests = new TxRequests({ preferred: true, random: () => 0.5 }, new RequestTimes());
  for (const txid of hashes) requests.announce(txid, 0);
  let looks = 0;
  const have = () => {
    looks += 1;
    return true;
  };
  assert.deepEqual(requests.due(1, have), []);
  assert.equal(looks, 500);
  for (let call = 0; call < 20; call++) requests.due(1, have);
  assert.equal(looks, 5_000);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataRequests } from '../../../../src/p2p/relay/data-requests.js';
import { type InventoryItem, InvType, itemsOf } from '../../../../src/p2p/wire/inventory.js';
import { FakePeer } from '../fake-peer.js';

function hash(n: number): Uint8Array {
  return new Uint8Array(32).fill(n);
}

/** Requests whose later turns are run by the test. */
function requests(parts: Partial<ConstructorParameters<typeof DataRequests>[0]> = {}) {
  const from = new FakePeer();
  const tasks: (() => void)[] = [];
  const work: unknown[] = [];
  const later = (task: () => void) => void tasks.push(task);
  const served = new DataRequests({ block() {}, other: () => undefined, later, finish: (each) => void work.push(each), ...parts });
  return { from, tasks, work, process: (items: readonly InventoryItem[]) => served.process(from.session, items) };
}

test('a turn of transactions ends after some time, and those that are missing are named once', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now++);
  const { from, tasks, process } = requests();
  const hashes = Array.from({ length: 90 }, (_, n) => hash(n));
  process(itemsOf(InvType.tx, hashes));
  let turns = 1;
  for (; tasks.length > 0; turns++) tasks.shift()?.();
  assert.ok(turns > 10, `${turns} turns`);
  assert.deepEqual(from.sent, [{ command: 'notfound', payload: itemsOf(InvType.tx, hashes) }]);
  assert.ok(!from.peer.holds('ping'));
});

test('the items after a block wait for its last slice', async () => {
  let end = () => {};
  const sent = new Promise<void>((done) => {
    end = done;
  });
  const { from, work, process } = requests({ block: () => sent });
  process([...itemsOf(InvType.filteredBlock, [hash(1)]), ...itemsOf(InvType.anchorAuth, [hash(2)])]);
  assert.ok(from.peer.holds('ping'));
  end();
  await work[0];
  assert.ok(!from.peer.holds('ping'));
});

for (const [name, block] of [
  ['at once', () => assert.fail('EIO')],
  ['in a later slice', () => Promise.reject(new Error('EIO'))],
] as const) {
  test(`a failure to read a block does not hold its requester: ${name}`, async () => {
    const { from, work, process } = requests({ block });
    const items = itemsOf(InvType.witnessBlock, [hash(1)]);
    if (name === 'at once') assert.throws(() => process(items), /EIO/);
    else process(items);
    if (name !== 'at once') await assert.rejects(work[0] as Promise<void>, /EIO/);
    assert.ok(!from.peer.holds('ping'));
  });
}

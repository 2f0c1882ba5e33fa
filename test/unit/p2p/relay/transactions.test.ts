import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MempoolEntry } from '../../../../src/mempool/entry.js';
import { FeeFilterTimer, FeeRounder } from '../../../../src/p2p/relay/fee-filter.js';
import { TxInventory } from '../../../../src/p2p/relay/inventory.js';
import { OrphanTransactions } from '../../../../src/p2p/relay/orphans.js';
import { RejectedTransactions } from '../../../../src/p2p/relay/recent-rejects.js';
import { RelayClock } from '../../../../src/p2p/relay/relay-clock.js';
import { RelayedTransactions } from '../../../../src/p2p/relay/relayed.js';
import { RequestTimes, TxRequests } from '../../../../src/p2p/relay/tx-requests.js';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { toHex } from '../../../../src/util/bytes.js';
import { FixedClock } from '../../../../src/util/clock.js';
import { coinbaseOf, output, PoolNode } from '../../mempool/fixture.js';
import { FakePeer, numberedHash as hash } from '../fake-peer.js';
import { RawPeer, testVersion } from '../fixture.js';
import { NetNode } from '../net-node.js';

const MINUTE = 60_000;

function child(parent: Uint8Array, { vout = 0, size = 10 }: { vout?: number; size?: number } = {}): Transaction {
  const vin = [{ prevout: { txid: parent, vout }, scriptSig: new Uint8Array(size), sequence: 0, witness: [] }];
  const out = { value: 1n, scriptPubKey: Uint8Array.of(0x51), tokenId: 0 };
  return makeTransaction({ version: 2, vin, vout: [out, out], lockTime: 0 }, { tokenIds: true });
}

describe('orphans', () => {
  const { peer } = new FakePeer();
  const { peer: other } = new FakePeer();

  test('are found by their parent, in the order of its outputs', () => {
    const orphans = new OrphanTransactions(100);
    const parent = child(hash(1));
    const [first, second] = [child(parent.txid, { vout: 0 }), child(parent.txid, { vout: 1 })];
    assert.ok(orphans.add(second, peer, 0));
    assert.ok(orphans.add(first, other, 0));
    assert.ok(!orphans.add(first, peer, 0), 'already stored');
    assert.deepEqual(
      orphans.childrenOf(parent).map((orphan) => [orphan.tx, orphan.peer]),
      [
        [first, other],
        [second, peer],
      ],
    );
    orphans.deleteFrom(other);
    assert.deepEqual([orphans.size, orphans.has(first.txid), orphans.has(second.txid)], [1, false, true]);
  });

  test('are a hundred at most; a random one is evicted', () => {
    const orphans = new OrphanTransactions(100, () => 0);
    const all = Array.from({ length: 101 }, (_, i) => child(hash(i)));
    for (const tx of all) orphans.add(tx, peer, 0);
    assert.equal(orphans.size, 100);
    assert.ok(!orphans.has((all[0] as Transaction).txid));
  });

  test('weigh 400,000 units at most', () => {
    const orphans = new OrphanTransactions(100);
    const overhead = child(hash(1), { size: 0 }).raw.length + 4;
    assert.ok(orphans.add(child(hash(1), { size: 100_000 - overhead }), peer, 0));
    assert.ok(!orphans.add(child(hash(2), { size: 100_001 - overhead }), peer, 0));
  });

  test('expire after twenty minutes', () => {
    const orphans = new OrphanTransactions(100);
    const old = child(hash(1));
    orphans.add(old, peer, 0);
    orphans.add(child(hash(2)), peer, 19 * MINUTE);
    assert.ok(orphans.has(old.txid));
    orphans.add(child(hash(3)), peer, 24 * MINUTE);
    assert.ok(!orphans.has(old.txid));
    assert.equal(orphans.size, 2);
  });

  test('that are in a connected block or conflict with it are deleted', () => {
    const orphans = new OrphanTransactions(100);
    const confirmed = child(hash(1));
    const conflicting = child(hash(2), { size: 11 });
    const unrelated = child(hash(3));
    for (const tx of [confirmed, conflicting, unrelated]) orphans.add(tx, peer, 0);
    orphans.blockConnected([confirmed, child(hash(2), { size: 12 })]);
    assert.deepEqual([orphans.has(confirmed.txid), orphans.has(conflicting.txid), orphans.has(unrelated.txid)], [false, false, true]);
  });
});

test('rejected transactions are forgotten when the tip changes', () => {
  const rejected = new RejectedTransactions();
  rejected.add(hash(1));
  assert.deepEqual([rejected.has(hash(1)), rejected.has(hash(2))], [true, false]);
  rejected.tipChanged();
  assert.ok(!rejected.has(hash(1)));
});

describe('requests of transactions', () => {
  const nothing = () => false;
  const requests = (preferred: boolean, times = new RequestTimes()) => new TxRequests({ preferred, random: () => 0.5 }, times);

  test('preferred peers are asked at once, others two seconds later', () => {
    const [ours, theirs] = [requests(true), requests(false)];
    for (const each of [ours, theirs]) each.announce(hash(1), 1000);
    assert.equal(ours.due(1000, nothing).length, 1);
    assert.equal(theirs.due(2999, nothing).length, 0);
    assert.equal(theirs.due(3000, nothing).length, 1);
  });

  test('one peer is asked at a time, for a minute each', () => {
    const times = new RequestTimes();
    const [a, b] = [requests(true, times), requests(true, times)];
    a.announce(hash(1), 1000);
    assert.equal(a.due(1000, nothing).length, 1);
    b.announce(hash(1), 2000);
    assert.equal(b.due(2000, nothing).length, 0);
    assert.equal(b.due(61_999, nothing).length, 0);
    assert.equal(b.due(62_000, nothing).length, 1);
  });

  test('a hundred are in flight at a time; notfound frees a slot; all are requested again after ten minutes', () => {
    const one = requests(true);
    for (let i = 0; i < 102; i++) one.announce(hash(i), 0);
    assert.equal(one.due(1, nothing).length, 100);
    assert.equal(one.due(2, nothing).length, 0);
    one.forget(hash(0));
    assert.equal(one.due(3, nothing).length, 1);
    assert.equal(one.due(20 * MINUTE, nothing).length, 1);
    assert.equal(one.inFlight, 1);
  });

  test('transactions that arrived from other peers are not requested', () => {
    const one = requests(true);
    one.announce(hash(1), 0);
    one.announce(hash(2), 0);
    assert.deepEqual(
      one.due(1, (txid) => txid[3] === 1).map((txid) => txid[3]),
      [2],
    );
  });
});

test('relay clock: monotonic time, and mock time when it is moved forward', () => {
  const clock = new FixedClock(1000);
  let ms = 5000;
  const relay = new RelayClock(clock, () => ms);
  ms += 300;
  assert.equal(relay.now(), 300);
  clock.set(1900);
  assert.equal(relay.now(), 900_300);
  clock.set(10);
  ms += 100;
  assert.equal(relay.now(), 900_400);
});

describe('inventories', () => {
  test('parents come first, then higher fee rates; each transaction once', () => {
    const node = new PoolNode();
    const subsidy = node.subsidy(1);
    const cheap = node.pay([node.coin(0)], [subsidy - 1000n]);
    const rich = node.pay([node.coin(1)], [subsidy - 5000n]);
    const grandchild = node.pay([output(cheap)], [subsidy - 90_000n]);
    const [parent, other, last] = [node.add(cheap), node.add(rich), node.add(grandchild)];
    const inventory = new TxInventory();
    for (const entry of [last, parent, other]) inventory.queue(entry);
    assert.deepEqual(inventory.nextBatch(node.pool), [other, parent, last]);
    inventory.queue(other);
    assert.deepEqual(inventory.nextBatch(node.pool), []);
  });

  test('35 at a time', () => {
    const node = new PoolNode({ coins: 40 });
    const inventory = new TxInventory();
    for (let i = 0; i < 40; i++) inventory.queue(node.add(node.pay([node.coin(i)], [node.subsidy(i + 1) - 1000n])));
    assert.deepEqual([inventory.nextBatch(node.pool).length, inventory.nextBatch(node.pool).length], [35, 5]);
  });

  test('those of a long queue are chosen without sorting it', () => {
    let reads = 0;
    const entries = Array.from({ length: 4000 }, (_, i) => {
      const txid = hash(i);
      const count = 1 + ((i * 7919) % 4000);
      return {
        tx: { txid },
        key: toHex(txid),
        get ancestors() {
          reads += 1;
          return { count };
        },
      } as unknown as MempoolEntry;
    });
    const inventory = new TxInventory();
    for (const entry of entries) inventory.queue(entry);
    const pool = new Map(entries.map((entry) => [entry.key, entry]));
    const batch = inventory.nextBatch({ withKey: (key) => pool.get(key) });
    assert.ok(reads < 30_000, `${reads} reads`);
    assert.deepEqual(
      batch.map(({ ancestors }) => ancestors.count),
      Array.from({ length: 35 }, (_, i) => i + 1),
    );
    assert.equal(inventory.queued, 3965);
  });

  test('a fee filter excludes lower fee rates', () => {
    const node = new PoolNode();
    const subsidy = node.subsidy(1);
    const cheap = node.add(node.pay([node.coin(0)], [subsidy - 1000n]));
    const rich = node.add(node.pay([node.coin(1)], [subsidy - 5000n]));
    const inventory = new TxInventory();
    inventory.feeFilter = 15_000n;
    for (const entry of [cheap, rich]) inventory.queue(entry);
    assert.deepEqual(inventory.nextBatch(node.pool), [rich]);
    const other = new TxInventory();
    other.feeFilter = 15_000n;
    Object.defineProperty(cheap, 'isEvmOnly', { value: true });
    assert.deepEqual(other.wholePool(node.pool, 99), [rich]);
    other.queue(cheap);
    assert.deepEqual(other.nextBatch(node.pool), [cheap], 'EVM transactions pay their fees in the EVM');
    assert.equal(other.poolSentSec, 99);
  });
});

test('transactions are served for 15 minutes after they were announced', () => {
  const relayed = new RelayedTransactions();
  const [early, late] = [child(hash(1)), child(hash(2))];
  relayed.add(early, 0);
  relayed.add(late, 15 * MINUTE - 1);
  assert.equal(relayed.get(early.txid), early);
  relayed.add(child(hash(3)), 15 * MINUTE);
  assert.deepEqual([relayed.get(early.txid), relayed.get(late.txid)], [undefined, late]);
});

test('feefilter is sent in rounded steps, and earlier after a large change of the minimum', () => {
  const exact = new FeeRounder(() => 0.9);
  assert.equal(exact.round(0n), 0n);
  assert.equal(exact.round(1000n), 1071n);
  assert.equal(new FeeRounder(() => 0.1).round(1000n), 974n);
  assert.equal(new FeeFilterTimer().due(0n, 1, { rounder: exact, least: 0n, random: () => 0.5 }), undefined, 'no filter at all');
  const timer = new FeeFilterTimer();
  const deps = { rounder: exact, least: 1000n, random: () => 0.5 };
  assert.equal(timer.due(1n, 1, deps), 1000n);
  assert.equal(timer.due(1n, 2, deps), undefined);
  // The next message would be due in seven minutes, but the minimum has doubled.
  assert.equal(timer.due(2000n, 3, deps), undefined);
  assert.equal(timer.due(2000n, 3 * MINUTE, deps), 2088n);
});

test('a failure while an orphan is tried again does not hold the sender of its parent', async (t) => {
  const node = await NetNode.start(t);
  const coinbase = coinbaseOf(node.mine(101)[0] ?? assert.fail());
  const value = coinbase.vout[0]?.value ?? 0n;
  const parent = node.pay([output(coinbase)], [value - 10_000n]);
  const orphan = node.pay([output(parent)], [value - 20_000n]);
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  peer.send({ command: 'tx', payload: orphan });
  await peer.sync();
  assert.equal(node.sync.orphanTransactions, 1);
  const accept = node.mempool.accept.bind(node.mempool);
  t.mock.method(node.mempool, 'accept', (tx: Transaction) => (node.has(parent) ? assert.fail('EIO') : accept(tx)));
  peer.send({ command: 'tx', payload: parent });
  await peer.sync();
  assert.match(JSON.stringify(node.errors), /EIO/);
});

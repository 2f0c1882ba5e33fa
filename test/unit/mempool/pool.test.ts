import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeDump, dumpOf, encodeDump } from '../../../src/mempool/dump.js';
import type { EntryFacts, MempoolEntry } from '../../../src/mempool/entry.js';
import { firstInRelayOrder, inRelayOrder } from '../../../src/mempool/order.js';
import { Pool } from '../../../src/mempool/pool.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { fc } from '../../property.js';
import { ANYONE } from './fixture.js';

/** A transaction that is not validated; `tag` makes it unique. */
function transaction(inputs: readonly OutPoint[], outputs: number, tag: number): Transaction {
  const vin = inputs.map((prevout) => ({ prevout, scriptSig: new Uint8Array(0), sequence: 0xffffffff, witness: [] }));
  const vout = Array.from({ length: outputs }, () => ({ value: 1_000n, scriptPubKey: ANYONE, tokenId: 0 }));
  return makeTransaction({ version: 2, vin, vout, lockTime: tag }, { tokenIds: true });
}

function facts(tx: Transaction, more: Partial<EntryFacts> = {}): EntryFacts {
  return { tx, fee: 1_000n, vsize: 100, sigOpsCost: 4, time: 10, height: 5, spendsCoinbase: false, ...more };
}

let unique = 0;
function coin(): OutPoint {
  unique += 1;
  const txid = new Uint8Array(32);
  new DataView(txid.buffer).setUint32(0, unique);
  return { txid, vout: 0 };
}

/** Adds a transaction that spends one output of each parent, and a coin of its own. */
function child(pool: Pool, parents: readonly MempoolEntry[], more: Partial<EntryFacts> = {}): MempoolEntry {
  const inputs = parents.map(({ tx }) => ({ txid: tx.txid, vout: tx.vout.findIndex((_, vout) => !pool.spender({ txid: tx.txid, vout })) }));
  return pool.add(facts(transaction([coin(), ...inputs], 4, unique), more));
}

const totals = (entry: MempoolEntry) => ({ ancestors: { ...entry.ancestors }, descendants: { ...entry.descendants } });

/** The expected totals, recounted from the links. */
function recounted(entry: MempoolEntry) {
  const sum = (entries: Iterable<MempoolEntry>) => {
    const all = [entry, ...entries];
    return {
      count: all.length,
      size: all.reduce((size, each) => size + each.vsize, 0),
      fees: all.reduce((fees, each) => fees + each.modifiedFee, 0n),
      sigOpsCost: all.reduce((cost, each) => cost + each.sigOpsCost, 0),
    };
  };
  return { ancestors: sum(entry.allAncestors()), descendants: sum(entry.allDescendants()) };
}

test('a diamond is counted once', () => {
  const pool = new Pool();
  const top = child(pool, []);
  const left = child(pool, [top]);
  const right = child(pool, [top]);
  const bottom = child(pool, [left, right]);
  assert.deepEqual(bottom.ancestors, { count: 4, size: 400, fees: 4_000n, sigOpsCost: 16 });
  assert.deepEqual(top.descendants, { count: 4, size: 400, fees: 4_000n, sigOpsCost: 16 });
  assert.deepEqual([left.ancestors.count, left.descendants.count], [2, 2]);
  assert.deepEqual([pool.size, pool.totalSize], [4, 400]);
});

test('a parent that is added after its children is linked to them', () => {
  const pool = new Pool();
  const parent = transaction([coin()], 2, 1);
  const left = pool.add(facts(transaction([{ txid: parent.txid, vout: 0 }], 1, 2)));
  const right = pool.add(facts(transaction([{ txid: parent.txid, vout: 1 }], 1, 3)));
  const grandchild = pool.add(facts(transaction([{ txid: left.tx.txid, vout: 0 }], 1, 4)));
  const back = pool.add(facts(parent, { fee: 7n }));
  assert.deepEqual(back.descendants, { count: 4, size: 400, fees: 3_007n, sigOpsCost: 16 });
  assert.deepEqual(grandchild.ancestors, { count: 3, size: 300, fees: 2_007n, sigOpsCost: 12 });
  assert.deepEqual([...right.parents], [back]);
});

test('remove keeps the children', () => {
  const pool = new Pool();
  const parent = child(pool, []);
  const left = child(pool, [parent]);
  pool.remove([parent], 'block');
  assert.deepEqual(totals(left), recounted(left));
  assert.equal(left.ancestors.count, 1);
  assert.equal(pool.size, 1);
});

test('removeWithDescendants removes all of them in any order', () => {
  const pool = new Pool();
  const [top, other] = [child(pool, []), child(pool, [])];
  const middle = child(pool, [top, other]);
  child(pool, [middle]);
  const removed: string[] = [];
  pool.on('removed', ({ entry, reason }) => removed.push(`${entry.key} ${reason}`));
  assert.equal(pool.removeWithDescendants([top], 'conflict'), 3);
  assert.equal(removed.length, 3);
  assert.ok(removed.every((text) => text.endsWith(' conflict')));
  assert.deepEqual([...pool.entries()], [other]);
  assert.deepEqual(totals(other), recounted(other));
});

test('transactions of a saved pool do not keep its bytes in memory', () => {
  const pool = new Pool();
  for (let n = 0; n < 3; n++) child(pool, []);
  const bytes = Buffer.concat([...encodeDump(dumpOf(pool))]);
  for (const { tx } of decodeDump(bytes, { tokenIds: true }).transactions) {
    const kept = [tx.raw, ...tx.vin.map(({ prevout }) => prevout.txid), ...tx.vout.map(({ scriptPubKey }) => scriptPubKey)];
    assert.deepEqual(new Set(kept.map(({ buffer }) => buffer)), new Set([tx.raw.buffer]));
    assert.equal(tx.raw.buffer.byteLength, tx.raw.length);
  }
});

describe('prioritisation', () => {
  test('applies to a transaction that is added later, and to the totals of its relatives', () => {
    const pool = new Pool();
    const parent = child(pool, []);
    const tx = transaction([{ txid: parent.tx.txid, vout: 0 }], 2, 9);
    pool.prioritise(tx.txid, 500n);
    const entry = pool.add(facts(tx));
    const last = child(pool, [entry]);
    assert.deepEqual([entry.modifiedFee, parent.descendants.fees, last.ancestors.fees], [1_500n, 3_500n, 3_500n]);
    pool.prioritise(tx.txid, -1_700n);
    assert.deepEqual([entry.modifiedFee, parent.descendants.fees, last.ancestors.fees], [-200n, 1_800n, 1_800n]);
  });

  test('is kept after the transaction is removed, until cleared', () => {
    const pool = new Pool();
    const entry = child(pool, []);
    pool.prioritise(entry.tx.txid, 5n);
    pool.remove([entry], 'expiry');
    assert.equal(pool.feeDelta(entry.tx.txid), 5n);
    pool.clearPrioritisation(entry.tx.txid);
    assert.equal(pool.feeDelta(entry.tx.txid), 0n);
  });

  test('stays in 64 bits, so that the pool can be saved', () => {
    const pool = new Pool();
    const entry = child(pool, []);
    for (const bound of [2n ** 63n - 1n, -(2n ** 63n)]) {
      for (let n = 0; n < 3; n++) pool.prioritise(entry.tx.txid, bound);
      assert.equal(pool.feeDelta(entry.tx.txid), bound);
      assert.deepEqual([entry.feeDelta, entry.descendants.fees], [bound, entry.fee + bound]);
      assert.equal(decodeDump(Buffer.concat([...encodeDump(dumpOf(pool))]), { tokenIds: true }).transactions[0]?.feeDelta, bound);
    }
  });

  test('of sum zero is still kept', () => {
    const pool = new Pool();
    const { txid } = coin();
    pool.prioritise(txid, 5n);
    pool.prioritise(txid, -5n);
    assert.equal(pool.feeDeltas().size, 1);
  });
});

test('the lowest fee rate is the worst, and a child of high fee rate protects its parent', () => {
  const pool = new Pool();
  const poor = child(pool, [], { fee: 100n });
  const middle = child(pool, [], { fee: 300n });
  const rich = child(pool, [], { fee: 900n });
  assert.equal(pool.worst, poor);
  child(pool, [poor], { fee: 2_000n });
  assert.equal(pool.worst, middle);
  pool.prioritise(middle.tx.txid, 5_000n);
  assert.equal(pool.worst, rich);
  pool.prioritise(poor.tx.txid, -2_100n);
  assert.equal(pool.worst, poor);
});

test('of equal fee rates the newest is the worst', () => {
  const pool = new Pool();
  child(pool, [], { time: 20 });
  const late = child(pool, [], { time: 30 });
  child(pool, [], { time: 10 });
  assert.equal(pool.worst, late);
});

test('relay order: ancestors first, then by rate, then by txid from the highest', () => {
  const pool = new Pool();
  const cheap = child(pool, [], { fee: 10n });
  const dear = child(pool, [], { fee: 5_000n });
  const below = child(pool, [cheap], { fee: 90_000n });
  const [high, low] = [child(pool, []), child(pool, [])].sort((a, b) => (a.key > b.key ? -1 : 1));
  assert.deepEqual(inRelayOrder(pool.entries()), [dear, high, low, cheap, below]);
});

test('relay order: rates that differ by less than a double can tell', () => {
  const pool = new Pool();
  const [low, high] = [child(pool, [], { fee: 10n ** 17n }), child(pool, [], { fee: 10n ** 17n + 1n })];
  assert.deepEqual(inRelayOrder([low, high]), [high, low]);
  assert.deepEqual(inRelayOrder([high, low]), [high, low]);
});

type Step = {
  readonly kind: 'add' | 'block' | 'drop' | 'prioritise';
  readonly pick: number;
  readonly more: number;
  readonly amount: number;
};

const step = fc.record<Step>({
  kind: fc.constantFrom('add', 'add', 'add', 'block', 'drop', 'prioritise'),
  pick: fc.nat(1000),
  more: fc.nat(1000),
  amount: fc.integer({ min: -2_000, max: 5_000 }),
});

function apply(pool: Pool, { kind, pick, more, amount }: Step): void {
  const all = [...pool.entries()];
  const chosen = all[pick % Math.max(all.length, 1)];
  if (kind === 'add') {
    const free = all.filter((entry) => entry.children.size < 3);
    const parents = new Set(
      [free[pick % Math.max(free.length, 1)], free[more % Math.max(free.length, 1)]].filter((entry) => entry !== undefined),
    );
    child(pool, pick % 4 === 0 ? [] : [...parents], { fee: BigInt(Math.abs(amount)), vsize: 80 + (more % 50), time: more % 7 });
  } else if (chosen && kind === 'block') pool.remove([chosen, ...chosen.allAncestors()], 'block');
  else if (chosen && kind === 'drop') pool.removeWithDescendants([chosen], 'expiry');
  else if (chosen) pool.prioritise(chosen.tx.txid, BigInt(amount));
}

test('property: the first in relay order are those of the whole order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), (steps, count) => {
      const pool = new Pool();
      for (const each of steps) apply(pool, each);
      const all = [...pool.entries()];
      const expected = inRelayOrder(all).slice(0, count);
      for (const entries of [all, [...all].reverse()]) assert.deepEqual(firstInRelayOrder(entries, count), expected);
    }),
  );
});

test('property: totals equal a recount after any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pool = new Pool();
      for (const each of steps) apply(pool, each);
      const all = [...pool.entries()];
      for (const entry of all) assert.deepEqual(totals(entry), recounted(entry));
      assert.equal(
        pool.totalSize,
        all.reduce((size, entry) => size + entry.vsize, 0),
      );
      const rate = ({ score }: MempoolEntry) => score.fee / score.size;
      const lowest = Math.min(...all.map(rate));
      if (pool.worst) assert.equal(rate(pool.worst), lowest);
      for (const entry of all) for (const { prevout } of entry.tx.vin) assert.equal(pool.spender(prevout), entry);
      pool.remove(all, 'cleared');
      assert.deepEqual([pool.size, pool.totalSize, pool.memoryUsage, pool.worst], [0, 0, 0, undefined]);
    }),
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { burnTotals } from '../../../../src/dfi/accounts/history-columns.js';
import { accountHistory, burns, countHistory, NO_TOKEN, wholeHistory } from '../../../../src/dfi/accounts/history-queries.js';
import { BalanceChanges, BlockHistory } from '../../../../src/dfi/context/history.js';
import { makeTransaction } from '../../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { dfi, heights, legacyScript, script } from '../fixture.js';

const params = heights();
const { burn } = params.scripts;
const [short, long] = [script(9), legacyScript(1)];
const SENT = 'B'.charCodeAt(0);
const MINTED = 'M'.charCodeAt(0);
const everything = { categories: undefined, tokenId: undefined };
const top = { height: 100, txn: 0xffffffff };

function changes(...entries: readonly (readonly [Uint8Array, number, bigint])[]): BalanceChanges {
  const all = new BalanceChanges();
  for (const [owner, tokenId, amount] of entries) all.recordChange(owner, tokenId, amount);
  return all;
}

const writer = (txn: number, category = SENT) => ({ txid: Buffer.alloc(32, txn), category, txn });

/** A state with two blocks of history: at 10 a mint and two transfers, at 11 one. */
function written(keepsAccounts = true): Overlay {
  const view = new Overlay(new MemoryStore());
  const first = new BlockHistory(10, params, keepsAccounts);
  first.add(changes([short, 1, 50n]).entries(), writer(1, MINTED));
  first.add(changes([short, 1, -5n], [long, 1, 5n]).entries(), writer(2));
  first.add(changes([short, 0, 3n], [short, 0, -3n], [short, 1, -1n], [burn, 1, 1n]).entries(), writer(3));
  first.write(view);
  const second = new BlockHistory(11, params, keepsAccounts);
  second.add(changes([long, 1, -5n], [short, 1, 5n]).entries(), writer(1));
  second.write(view);
  return view;
}

describe('the history', () => {
  test('of an owner is sorted newest first, also within a block', () => {
    const entries = [...accountHistory(written(), short, top)];
    assert.deepEqual(
      entries.map(({ key }) => [key.height, key.txn]),
      [
        [11, 1],
        [10, 3],
        [10, 2],
        [10, 1],
      ],
    );
  });

  test('keeps changes that cancel out as 0', () => {
    const entry = [...accountHistory(written(), short, { height: 10, txn: 3 })][0];
    assert.deepEqual(entry?.record.differences, [
      { tokenId: 0, amount: 0n },
      { tokenId: 1, amount: -1n },
    ]);
  });

  test('of all owners is sorted by block, then by owner with shorter scripts first', () => {
    const entries = [...wholeHistory(written(), top)].map(({ key }) => [key.height, key.owner.length, key.txn]);
    // The burn address and the owner of the longer script are both P2PKH: their bytes decide the order.
    assert.equal(JSON.stringify(entries), '[[11,22,1],[11,25,1],[10,22,3],[10,22,2],[10,22,1],[10,25,3],[10,25,2]]');
  });

  test('is not kept if disabled, except for burns', () => {
    const view = written(false);
    assert.deepEqual([...wholeHistory(view, top)], []);
    assert.equal([...burns(view, 100)].length, 1);
  });
});

describe('counts', () => {
  const view = written();
  const cases = [
    { name: 'of all entries', owner: undefined, filter: everything, expected: 7 },
    { name: 'of an owner', owner: short, filter: everything, expected: 4 },
    { name: 'of a type', owner: short, filter: { ...everything, categories: new Set([MINTED]) }, expected: 1 },
    { name: 'of a token', owner: undefined, filter: { ...everything, tokenId: 0 }, expected: 1 },
    { name: 'of a token and a type', owner: short, filter: { categories: new Set([SENT]), tokenId: 1 }, expected: 3 },
    { name: 'of a token that does not exist', owner: undefined, filter: { ...everything, tokenId: NO_TOKEN }, expected: 0 },
    { name: 'of no type', owner: undefined, filter: { ...everything, categories: new Set<number>() }, expected: 0 },
    { name: 'of an owner without entries', owner: script(77), filter: everything, expected: 0 },
  ];
  for (const { name, owner, filter, expected } of cases) test(name, () => assert.equal(countHistory(view, owner, filter), expected));

  test('equal the number of listed entries', () => {
    assert.equal(countHistory(view, long, everything), [...accountHistory(view, long, top)].length);
    assert.equal(countHistory(view, undefined, everything), [...wholeHistory(view, top)].length);
  });
});

describe('burns', () => {
  test('add up by type and token; a negative amount lowers the net total only', () => {
    const view = new Overlay(new MemoryStore());
    const history = new BlockHistory(10, params, true);
    history.add(changes([burn, 1, 7n]).entries(), writer(1));
    history.add(changes([burn, 1, -2n]).entries(), writer(2));
    history.write(view);
    assert.deepEqual(view.get(burnTotals, { category: SENT, tokenId: 1 }), { net: 5n, burnt: 7n });
  });

  test('of outputs replace those of the same transaction, and the last output counts', () => {
    const view = new Overlay(new MemoryStore());
    const history = new BlockHistory(10, params, true);
    history.add(changes([burn, 1, 7n]).entries(), writer(1));
    const vout = [dfi(1n, burn), dfi(2n, burn)];
    const tx = makeTransaction({ version: 4, vin: [], vout, lockTime: 0 }, params.txFormat);
    const empty = makeTransaction({ version: 4, vin: [], vout: [], lockTime: 0 }, params.txFormat);
    history.addBurntOutputs([empty, tx]);
    history.write(view);
    assert.deepEqual(
      [...burns(view, 10)].map(({ record }) => [record.category, record.differences]),
      [[0, [{ tokenId: 0, amount: 2n }]]],
    );
    assert.deepEqual(view.get(burnTotals, { category: 0, tokenId: 0 }), { net: 2n, burnt: 2n });
    assert.equal(view.get(burnTotals, { category: SENT, tokenId: 1 }), undefined);
  });
});

test('event numbers count down from 2^32 - 1', () => {
  const history = new BlockHistory(10, params, true);
  assert.deepEqual([history.takeEventTxn(), history.takeEventTxn()], [4_294_967_295, 4_294_967_294]);
});

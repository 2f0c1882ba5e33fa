import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import type { Coin } from '../../../src/chain/coins.js';
import { evmCarrier } from '../../../src/dfi/evm/carrier.js';
import type { IndexedBlock } from '../../../src/ocean/index/indexed-block.js';
import {
  type OutputAmount,
  scriptActivities,
  scriptColumns,
  scriptId,
  scriptTotals,
  scriptUnspents,
} from '../../../src/ocean/index/script-columns.js';
import { addScripts } from '../../../src/ocean/index/scripts.js';
import { networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { NULL_OUTPOINT, type OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { StateView, WritableView } from '../../../src/storage/view.js';
import { EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';

const params = networkParams({ network: 'regtest' });
const ALICE = fromHex('0014331818ac54e1d657cdce90a1dfdfbad0ac5cecb4');
const BOB = fromHex(`0014${'22'.repeat(20)}`);
const DATA = fromHex('6a0401020304');

function pays(scriptPubKey: Uint8Array, value: bigint, tokenId = 0): TxOut {
  return { value, scriptPubKey, tokenId };
}

function transaction(prevouts: readonly OutPoint[], vout: readonly TxOut[], version = 4): Transaction {
  const vin = prevouts.map((prevout) => ({ prevout, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }));
  return makeTransaction({ version, vin, vout, lockTime: 0 }, params.txFormat);
}

/** Coin of an output. */
function coinOf(tx: Transaction, vout: number, height: number): Coin {
  return { out: tx.vout[vout] as TxOut, height, coinbase: false };
}

function blockAt(height: number, transactions: readonly Transaction[], spent: readonly (readonly Coin[])[] = []): IndexedBlock {
  const block = { ...params.genesis, transactions };
  return { block, entry: { height } as BlockIndexEntry, spent, state: new MemoryStore(), params, customTxs: [] };
}

/** All rows of the part, as hex. */
function rowsOf(view: StateView): readonly string[] {
  return scriptColumns.flatMap((column) =>
    [...view.rows(column)].map(([key, value]) => `${column.name} ${toHex(Buffer.from(key, 'latin1'))} ${toHex(value)}`),
  );
}

function activitiesOf(view: StateView, script: Uint8Array) {
  return [...view.entries(scriptActivities, { prefix: scriptId(script), reverse: true })].map(([{ height, type, txid, vout }, row]) => ({
    height,
    type,
    output: `${formatHash(txid)}:${vout}`,
    value: row.value,
    tokenId: row.tokenId,
    spentBy: row.spentBy && formatHash(row.spentBy),
  }));
}

function unspentsOf(view: StateView, script: Uint8Array): readonly (readonly [number, OutputAmount])[] {
  return [...view.entries(scriptUnspents, { prefix: scriptId(script) })].map(([{ height }, amount]) => [height, amount]);
}

/** Adds a block at once. */
function add(view: WritableView, block: IndexedBlock): void {
  const steps = addScripts(view, block);
  if (steps) finish(steps);
}

const coinbase = transaction([NULL_OUTPOINT], [pays(ALICE, 12_340_002n), pays(BOB, 5n), pays(DATA, 0n)]);
const second = transaction([{ txid: coinbase.txid, vout: 1 }], [pays(ALICE, 432_412_313n), pays(ALICE, 1_993_719_381n)]);

test('outputs of a script are summed up; its latest totals are kept alone', () => {
  const view = new Overlay(new MemoryStore());
  add(view, blockAt(1, [coinbase]));
  add(view, blockAt(2, [second], [[coinOf(coinbase, 1, 1)]]));
  assert.deepEqual(view.get(scriptTotals, scriptId(ALICE)), {
    height: 2,
    received: 3,
    spent: 0,
    receivedAmount: 2_438_471_696n,
    spentAmount: 0n,
  });
  assert.deepEqual(view.get(scriptTotals, scriptId(BOB)), { height: 2, received: 1, spent: 1, receivedAmount: 5n, spentAmount: 5n });
  assert.equal([...view.entries(scriptTotals)].length, 2);
});

test('an input is an activity of the script of the output that it spends, and removes that from the unspent ones', () => {
  const view = new Overlay(new MemoryStore());
  add(view, blockAt(1, [coinbase]));
  add(view, blockAt(2, [second], [[coinOf(coinbase, 1, 1)]]));
  const output = `${formatHash(coinbase.txid)}:1`;
  assert.deepEqual(activitiesOf(view, BOB), [
    { height: 2, type: 'vin', output, value: 5n, tokenId: 0, spentBy: formatHash(second.txid) },
    { height: 1, type: 'vout', output, value: 5n, tokenId: 0, spentBy: undefined },
  ]);
  assert.deepEqual(unspentsOf(view, BOB), []);
  assert.deepEqual(
    unspentsOf(view, ALICE).map(([height, { value }]) => [height, value]),
    [
      [1, 12_340_002n],
      [2, 432_412_313n],
      [2, 1_993_719_381n],
    ],
  );
});

test('data outputs, coinbase inputs and the inputs of transactions that carry one of the EVM are ignored', () => {
  const view = new Overlay(new MemoryStore());
  const carrier = evmCarrier(fromHex('c0'), params.txFormat);
  add(view, blockAt(1, [coinbase, carrier]));
  assert.equal([...view.entries(scriptActivities)].length, 2);
  assert.equal([...view.entries(scriptUnspents)].length, 2);
  assert.equal(view.get(scriptTotals, scriptId(DATA)), undefined);
});

test('an output that is spent in its own block leaves two activities and no unspent output', () => {
  const view = new Overlay(new MemoryStore());
  add(view, blockAt(1, [coinbase, second], [[], [coinOf(coinbase, 1, 1)]]));
  assert.deepEqual(unspentsOf(view, BOB), []);
  assert.deepEqual(
    activitiesOf(view, BOB).map(({ type }) => type),
    ['vout', 'vin'],
  );
});

test('outputs of transactions before version 4 have no token, which holds for the input that spends one', () => {
  const view = new Overlay(new MemoryStore());
  const old = transaction([NULL_OUTPOINT], [pays(BOB, 7n)], 2);
  const spender = transaction([{ txid: old.txid, vout: 0 }], [pays(BOB, 6n)]);
  add(view, blockAt(1, [old, spender], [[], [coinOf(old, 0, 1)]]));
  assert.deepEqual(
    activitiesOf(view, BOB)
      .map(({ type, value, tokenId }) => [type, value, tokenId])
      .sort(),
    [
      ['vin', 7n, undefined],
      ['vout', 6n, 0],
      ['vout', 7n, undefined],
    ],
  );
});

test('outputs of other tokens are counted, but not part of the amounts of DFI', () => {
  const view = new Overlay(new MemoryStore());
  add(view, blockAt(1, [transaction([NULL_OUTPOINT], [pays(BOB, 7n), pays(BOB, 100n, 3)])]));
  assert.deepEqual(view.get(scriptTotals, scriptId(BOB)), { height: 1, received: 2, spent: 0, receivedAmount: 7n, spentAmount: 0n });
});

test('the undo record of a block restores all rows', () => {
  const view = new Overlay(new MemoryStore());
  add(view, blockAt(1, [coinbase]));
  const before = rowsOf(view);
  const changes = new Overlay(view);
  const third = transaction([{ txid: second.txid, vout: 0 }], [pays(BOB, 1n)]);
  add(changes, blockAt(2, [second, third], [[coinOf(coinbase, 1, 1)], [coinOf(second, 0, 2)]]));
  const undo = changes.undo();
  changes.commit();
  assert.notDeepEqual(rowsOf(view), before);
  view.restore(undo);
  assert.deepEqual(rowsOf(view), before);
});

test('a block whose spent coins are not known is not indexed', () => {
  const view = new Overlay(new MemoryStore());
  add(view, blockAt(1, [coinbase]));
  assert.throws(() => add(view, blockAt(2, [second])), /coins that transaction [0-9a-f]{64} spent are not known/);
});

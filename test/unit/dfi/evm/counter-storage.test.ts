import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmHeader, evmTip, putEvmBlock } from '../../../../src/dfi/evm/blocks.js';
import { counterSlots } from '../../../../src/dfi/evm/counter-storage.js';
import { startEvmBlock } from '../../../../src/dfi/evm/evm-block.js';
import { dropCounterRoot, dropRedundantRows, restoreUndo } from '../../../../src/dfi/evm/format-upgrade.js';
import { evmAccountVersions, evmHistoryColumns } from '../../../../src/dfi/evm/history-columns.js';
import { StateAt } from '../../../../src/dfi/evm/state-at.js';
import { evmAccountNodes, evmSlots, evmStateAccounts, evmStateColumns, evmStorageNodes } from '../../../../src/dfi/evm/state-columns.js';
import { EvmState } from '../../../../src/dfi/evm/view-state.js';
import { dfiColumns } from '../../../../src/dfi/execution/all-columns.js';
import { DST20_V1, INTRINSICS } from '../../../../src/evm/contracts/addresses.js';
import { encodeAccount } from '../../../../src/evm/state/commit.js';
import { Trie } from '../../../../src/evm/state/trie.js';
import { addressBytes, wordBytes } from '../../../../src/evm/words.js';
import { encode } from '../../../../src/primitives/codec.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { AnyColumn, RawChange, StateView, UndoLog, WritableView } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';
import { silentLogger } from '../../../../src/util/logger.js';
import { evmNodeParams } from '../../minting/evm-node.js';

type Slots = readonly (readonly [bigint, bigint])[];

/** EVM blocks on a store, each in a DVM block ten times its number. */
class Blocks {
  readonly store = new MemoryStore();
  readonly undo: UndoLog[] = [];

  /** @param format 4 to write the root of the counters like that version */
  constructor(private readonly format: 4 | 5 = 5) {}

  /** @param written slots of the contract with the counters that the block writes besides them @param balance to give it */
  connect(written: Slots = [], balance = 0n): void {
    const overlay = new Overlay(this.store);
    const height = 10 * this.undo.length;
    const site = { height, params: evmNodeParams, time: height, bits: 0x207fffff, beneficiary: new Uint8Array(20).fill(9) };
    const block = startEvmBlock(overlay, { ...site, findPrecompile: () => undefined });
    if (written.length > 0) block.state.write(INTRINSICS, { storage: written });
    if (balance > 0n) block.state.write(INTRINSICS, { basic: { nonce: 0n, balance } });
    putEvmBlock(overlay, block.finish(), { dvmHeight: height, dvmHash: wordBytes(BigInt(height)), txids: new Map() });
    if (this.format === 4) storeCounterRoot(overlay);
    this.undo.push(overlay.undo());
    this.store.write(overlay.changes());
  }

  disconnect(): void {
    const overlay = new Overlay(this.store);
    restoreUndo(overlay, this.undo.pop() as UndoLog);
    this.store.write(overlay.changes());
  }
}

/** Stores the root of the counters in the account of their contract and in the trie of all accounts. */
function storeCounterRoot(view: WritableView): void {
  const account = new EvmState(view).account(INTRINSICS);
  assert.ok(account);
  view.put(evmStateAccounts, INTRINSICS, account);
  const trie = new Trie({
    get: (position) => view.get(evmAccountNodes, position),
    put: (position, node) => view.put(evmAccountNodes, position, node),
    delete: (position) => view.delete(evmAccountNodes, position),
  });
  trie.set(toHex(addressBytes(INTRINSICS)), encodeAccount(account));
  assert.equal(toHex(trie.commit()), toHex(evmHeader(view, evmTip(view)?.number ?? 0)?.header.stateRoot ?? new Uint8Array()));
}

function rowsOf(view: StateView, columns: readonly AnyColumn[] = dfiColumns): string[] {
  return columns.flatMap((column) =>
    [...view.entries(column)].map(
      ([key, value]) => `${column.name} ${toHex(encode(column.key, key))} ${toHex(encode(column.value, value))}`,
    ),
  );
}

/** Rows of the contract with the counters, but for its account. */
function counterRows(view: StateView): string[] {
  const prefix = toHex(addressBytes(INTRINSICS));
  return rowsOf(view, [...evmStateColumns, ...evmHistoryColumns]).filter(
    (row) => !row.startsWith('evm/account') && row.includes(` ${prefix}`),
  );
}

/** The root that the slots give in a trie of their own. */
function rootOf(slots: Slots): string {
  const trie = new Trie({ get: () => undefined, put: () => undefined, delete: () => undefined });
  for (const [slot, value] of new Map(slots)) trie.set(toHex(wordBytes(slot)), wordBytes(value));
  return toHex(trie.commit());
}

function checkCounters(blocks: Blocks, extra: readonly Slots[] = []): void {
  const { store, undo } = blocks;
  let slots: Slots = [];
  for (const [number] of undo.entries()) {
    slots = [...slots, ...counterSlots({ number, dvmHeight: 10 * number }), ...(extra[number] ?? [])];
    const state = new StateAt({ state: store }, number);
    for (const [slot, value] of new Map(slots)) assert.equal(state.storage(INTRINSICS, slot), value, `slot ${slot} after block ${number}`);
    assert.equal(state.storage(INTRINSICS, 77n), 0n);
    assert.equal(state.storage(DST20_V1, 1n), 0n);
  }
  const tip = new EvmState(store);
  for (const [slot, value] of new Map(slots)) assert.equal(tip.storage(INTRINSICS, slot), value);
  assert.equal(toHex(tip.account(INTRINSICS)?.storageRoot ?? new Uint8Array()), rootOf(slots));
}

test('the block counters are read from the headers, after any block', () => {
  const blocks = new Blocks();
  for (let i = 0; i < 6; i++) {
    blocks.connect();
    checkCounters(blocks);
  }
  assert.deepEqual(counterRows(blocks.store), []);
  blocks.disconnect();
  checkCounters(blocks);
});

test('the storage of the counters is stored from the block on that writes anything else to it, and undone', () => {
  const blocks = new Blocks();
  for (let i = 0; i < 3; i++) blocks.connect();
  const before = rowsOf(blocks.store);
  const extra: Slots[] = [];
  for (const slots of [[[5n, 6n]], [], [[1n, 99n]], []] as Slots[]) {
    extra[blocks.undo.length] = slots;
    blocks.connect(slots);
    checkCounters(blocks, extra);
  }
  assert.ok(counterRows(blocks.store).length > 0);
  for (let i = 0; i < 4; i++) {
    blocks.disconnect();
    checkCounters(blocks, extra);
  }
  assert.deepEqual(rowsOf(blocks.store), before);
});

/** Adds the rows that format 3 had. @returns undo records as format 3 wrote them */
function toFormat3({ store, undo }: Blocks): UndoLog[] {
  const overlay = new Overlay(store);
  const account = new EvmState(store).account(INTRINSICS);
  assert.ok(account);
  const { incarnation } = account;
  const key = (slot: bigint) => ({ address: INTRINSICS, incarnation, slot });
  const nodeKey = (position: string) => ({ address: INTRINSICS, incarnation, position });
  const old = undo.map((log, number): UndoLog => {
    const block = new Overlay(overlay);
    const trie = new Trie({
      get: (position) => block.get(evmStorageNodes, nodeKey(position)),
      put: (position, node) => block.put(evmStorageNodes, nodeKey(position), node),
      delete: (position) => block.delete(evmStorageNodes, nodeKey(position)),
    });
    for (const [slot, value] of counterSlots({ number, dvmHeight: 10 * number })) {
      const before = block.get(evmSlots, key(slot));
      if (before === value) continue;
      trie.set(toHex(wordBytes(slot)), wordBytes(value));
      if (number > 0) block.put(evmHistoryColumns[1] as AnyColumn, { ...key(slot), number }, before);
      block.put(evmSlots, key(slot), value);
    }
    trie.commit();
    for (const name of ['evm/entries', 'evm/receipts']) {
      const column = dfiColumns.find((one) => one.name === name) as AnyColumn;
      if (!block.get(column, number)) block.put(column, number, []);
    }
    if (number > 0) block.put(evmHistoryColumns[0] as AnyColumn, { address: INTRINSICS, number }, account);
    const merged: RawChange[] = [...log.filter((change) => !block.undo().some((own) => sameKey(own, change))), ...block.undo()];
    block.commit();
    return merged;
  });
  store.write(overlay.changes());
  return old;
}

function sameKey(a: RawChange, b: RawChange): boolean {
  return a.column === b.column && Buffer.from(a.key).equals(b.key);
}

test('a block without transactions changes no account and no node of a trie', () => {
  const blocks = new Blocks();
  for (let i = 0; i < 2; i++) blocks.connect();
  const before = rowsOf(blocks.store, evmStateColumns);
  blocks.connect();
  assert.deepEqual(rowsOf(blocks.store, evmStateColumns), before);
  assert.ok(!blocks.undo.at(-1)?.some(({ column }) => evmStateColumns.some(({ name }) => name === column)));
});

test('a version of the account of the counters has the root that it had then', () => {
  const blocks = new Blocks();
  for (let i = 0; i < 2; i++) blocks.connect();
  const root = new EvmState(blocks.store).account(INTRINSICS)?.storageRoot ?? new Uint8Array();
  blocks.connect([], 5n);
  const versions = [...blocks.store.entries(evmAccountVersions)].map(([, version]) => version && toHex(version.storageRoot));
  assert.deepEqual(versions, [toHex(root)]);
  checkCounters(blocks);
  blocks.connect();
  checkCounters(blocks);
});

/** A chain of this version, and its rows after each block. */
function chainOf(count: number): { readonly blocks: Blocks; readonly rows: readonly string[][] } {
  const blocks = new Blocks();
  const rows = Array.from({ length: count }, () => {
    blocks.connect();
    return rowsOf(blocks.store);
  });
  return { blocks, rows };
}

test('an upgrade from format 3 leaves the rows that this version writes, also where blocks are disconnected later', async () => {
  const { rows } = chainOf(5);
  const blocks = new Blocks(4);
  for (let i = 0; i < 5; i++) blocks.connect();
  const old = toFormat3(blocks);
  await dropRedundantRows(silentLogger).run(blocks.store);
  await dropCounterRoot.run(blocks.store);
  assert.deepEqual(rowsOf(blocks.store), rows[4]);
  blocks.undo.splice(0, old.length, ...old);
  for (let number = 3; number >= 0; number--) {
    blocks.disconnect();
    assert.deepEqual(rowsOf(blocks.store), rows[number]);
  }
  assert.equal(evmTip(blocks.store)?.number, 0);
});

test('an upgrade from format 4 leaves the rows that this version writes, also where blocks are disconnected later', async () => {
  const { rows } = chainOf(7);
  const blocks = new Blocks(4);
  for (let i = 0; i < 5; i++) blocks.connect();
  assert.notDeepEqual(rowsOf(blocks.store), rows[4]);
  await dropCounterRoot.run(blocks.store);
  assert.deepEqual(rowsOf(blocks.store), rows[4]);
  const later = Object.assign(new Blocks(), { store: blocks.store, undo: blocks.undo });
  for (let i = 0; i < 2; i++) later.connect();
  assert.deepEqual(rowsOf(blocks.store), rows[6]);
  for (let number = 5; number >= 0; number--) {
    later.disconnect();
    assert.deepEqual(rowsOf(blocks.store), rows[number]);
  }
});

test('blocks are connected to a state of format 4 that was not upgraded, as a snapshot may contain', () => {
  const { rows } = chainOf(4);
  const blocks = new Blocks(4);
  for (let i = 0; i < 3; i++) blocks.connect();
  checkCounters(blocks);
  Object.assign(new Blocks(), { store: blocks.store, undo: blocks.undo }).connect();
  assert.deepEqual(rowsOf(blocks.store), rows[3]);
  checkCounters(blocks);
});

test('an upgrade keeps stored storage that has more than the counters', async () => {
  const blocks = new Blocks();
  for (const slots of [[], [[5n, 6n]], []] as Slots[]) blocks.connect(slots);
  const rows = rowsOf(blocks.store);
  await dropRedundantRows(silentLogger).run(blocks.store);
  await dropCounterRoot.run(blocks.store);
  assert.deepEqual(rowsOf(blocks.store), rows);
});

test('an upgrade of a chain without EVM blocks changes nothing', async () => {
  const store = new MemoryStore();
  await dropRedundantRows(silentLogger).run(store);
  await dropCounterRoot.run(store);
  assert.deepEqual(rowsOf(store), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evmReceiptLists, type StoredReceipt } from '../../../../src/dfi/evm/block-columns.js';
import { evmLogBlocks } from '../../../../src/dfi/evm/log-columns.js';
import { findLogs, indexLogs, type LogFilter, logsOfBlock } from '../../../../src/dfi/evm/log-index.js';
import type { Log } from '../../../../src/evm/state/transaction-state.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { UndoLog } from '../../../../src/storage/view.js';
import { finish } from '../../../../src/util/slicer.js';

type Logs = readonly Log[];

function receiptsOf(logs: Logs): StoredReceipt[] {
  const facts = { isSuccess: true, usedGas: 0n, isSystem: false, contract: undefined, price: 0n };
  // Two receipts, so that indexes within the block differ from those within a receipt.
  const half = Math.floor(logs.length / 2);
  return [logs.slice(0, half), logs.slice(half)].map((part) => ({ ...facts, logs: part }));
}

/** A chain of blocks with logs, whose index can be undone. */
class LogChain {
  readonly store = new MemoryStore();
  readonly #undo: UndoLog[] = [];
  readonly blocks: Logs[] = [];

  connect(logs: Logs): void {
    const overlay = new Overlay(this.store);
    const number = this.blocks.push(logs) - 1;
    overlay.put(evmReceiptLists, number, receiptsOf(logs));
    indexLogs(overlay, number, receiptsOf(logs));
    this.#undo.push(overlay.undo());
    this.store.write(overlay.changes());
  }

  disconnect(): void {
    this.blocks.pop();
    this.store.write(this.#undo.pop() ?? []);
  }

  find(from: number, to: number, filter: LogFilter, limit = 10_000) {
    return finish(findLogs(this.store, { ...filter, from, to }, limit)).map(({ blockNumber, index }) => [blockNumber, index]);
  }

  /** The same without the index. */
  scan(from: number, to: number, filter: LogFilter) {
    return this.blocks.flatMap((logs, number) =>
      number < from || number > to ? [] : logsOfBlock(receiptsOf(logs), number, filter).map(({ index }) => [number, index]),
    );
  }
}

const small = fc.bigInt({ min: 1n, max: 4n });
const log = fc.record({ address: small, topics: fc.array(small, { maxLength: 4 }), data: fc.constant(new Uint8Array(0)) });
const step = fc.oneof({ weight: 6, arbitrary: fc.array(log, { maxLength: 3 }) }, { weight: 2, arbitrary: fc.constant('undo' as const) });
const values = fc.array(small, { maxLength: 3 }).map((list) => new Set(list));
const filters = fc.record({ addresses: values, topics: fc.array(values, { maxLength: 4 }) });

test('the index finds what a scan of all blocks finds, across disconnects', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), filters, fc.nat(30), fc.nat(40), (steps, filter, from, length) => {
      const chain = new LogChain();
      for (const each of steps) {
        if (each === 'undo') chain.disconnect();
        else chain.connect(each);
      }
      assert.deepEqual(chain.find(from, from + length, filter), chain.scan(from, from + length, filter));
    }),
  );
});

test('undoing all blocks empties the index', () => {
  const chain = new LogChain();
  for (let i = 0n; i < 600n; i++) chain.connect([{ address: i % 7n, topics: [i, 5n], data: new Uint8Array(0) }]);
  const all = { addresses: new Set<bigint>(), topics: [] };
  assert.equal(chain.find(0, 599, all).length, 600);
  const wanted = [new Set([269n, 500n])];
  assert.deepEqual(chain.find(250, 520, { addresses: new Set([3n]), topics: wanted }), [
    [269, 0],
    [500, 0],
  ]);
  assert.deepEqual(chain.find(270, 520, { addresses: new Set([3n]), topics: wanted }), [[500, 0]]);
  assert.deepEqual(chain.find(250, 520, { addresses: new Set([4n]), topics: wanted }), []);
  while (chain.blocks.length > 0) chain.disconnect();
  assert.deepEqual([...chain.store.entries(evmLogBlocks)], []);
});

test('logs are cut after the block in which the limit is reached', () => {
  const chain = new LogChain();
  const one = { address: 1n, topics: [], data: new Uint8Array(0) };
  for (let i = 0; i < 5; i++) chain.connect([one, one, one]);
  assert.equal(chain.find(0, 4, { addresses: new Set(), topics: [] }, 4).length, 6);
});

test('a list of more values than the index is asked for still filters', () => {
  const chain = new LogChain();
  for (let i = 0n; i < 100n; i++) chain.connect([{ address: i, topics: [i], data: new Uint8Array(0) }]);
  const many = new Set(Array.from({ length: 80 }, (_, i) => BigInt(i)));
  assert.equal(chain.find(0, 99, { addresses: many, topics: [] }).length, 80);
});

/** Contracts choose topics. With words as keys, as many as a block can have take half a minute. */
test('topics with equal low bits are indexed in time', () => {
  const chain = new LogChain();
  const logs = Array.from({ length: 40_000 }, (_, i) => ({ address: 1n, topics: [(BigInt(i + 1) << 64n) + 5n], data: new Uint8Array(0) }));
  chain.connect(logs);
  assert.deepEqual(chain.find(0, 0, { addresses: new Set(), topics: [new Set([(7n << 64n) + 5n])] }), [[0, 6]]);
});

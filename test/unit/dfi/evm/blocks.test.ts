import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmBlockColumns } from '../../../../src/dfi/evm/block-columns.js';
import {
  evmBlock,
  evmBlockNumber,
  evmBlockNumberAt,
  evmHashOf,
  evmHeader,
  evmReceipts,
  evmTip,
  evmTransaction,
  putEvmBlock,
} from '../../../../src/dfi/evm/blocks.js';
import type { BuiltBlock } from '../../../../src/evm/block/block-builder.js';
import { EntryRefused } from '../../../../src/evm/block/entry-error.js';
import { encodeHeader } from '../../../../src/evm/codec/header.js';
import { decodeEvmTransaction } from '../../../../src/evm/codec/transaction.js';
import { wordBytes } from '../../../../src/evm/words.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { StateView, UndoLog } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';
import { MemoryState } from '../../evm/memory-state.js';
import { addItem, recordedChains, startBlock } from '../../evm/recorded-blocks.js';

function dvmHashAt(height: number): Uint8Array {
  return wordBytes(BigInt(height));
}

function rowsOf(view: StateView): unknown[] {
  return evmBlockColumns.map((column) => [column.name, [...view.entries(column)]]);
}

/** The same value with bytes as hex, so that a buffer equals an array. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

function assertSame(actual: unknown, expected: unknown): void {
  assert.deepEqual(plain(actual), plain(expected));
}

/** Builds the blocks of a recorded chain; every entry that is not of the node itself is carried by a DVM transaction of its own. */
function builtBlocks(name: 'main' | 'edge') {
  const chain = recordedChains[name];
  const state = new MemoryState();
  const built: BuiltBlock[] = [];
  return chain.blocks.map((recorded) => {
    const builder = startBlock(chain, recorded, state, built);
    for (const item of recorded.items) {
      try {
        addItem(builder, item);
      } catch (error) {
        if (!(error instanceof EntryRefused)) throw error;
      }
    }
    const block = builder.finish();
    built.push(block);
    const carried = block.entries.flatMap(({ receipt }, index) => (receipt.isSystem ? [] : [index]));
    const txids = new Map(carried.map((index) => [index, dvmHashAt(1_000 * recorded.number + index)]));
    return { block, dvmHeight: recorded.dvmHeight, dvmHash: dvmHashAt(recorded.dvmHeight), txids };
  });
}

for (const name of ['main', 'edge'] as const)
  test(`blocks of the recorded chain "${name}" are read as they were stored, and undone`, () => {
    const store = new MemoryStore();
    const steps: { readonly before: unknown[]; readonly undo: UndoLog }[] = [];
    const blocks = builtBlocks(name);
    for (const host of blocks) {
      const overlay = new Overlay(store);
      putEvmBlock(overlay, host.block, host);
      steps.push({ before: rowsOf(store), undo: overlay.undo() });
      store.write(overlay.changes());
    }
    assertSame(evmTip(store), { number: blocks.length - 1, hash: blocks.at(-1)?.block.hash });
    for (const [number, { block, dvmHeight, dvmHash, txids }] of blocks.entries()) {
      const stored = evmBlock(store, number);
      assert.ok(stored);
      assertSame([stored.dvmHeight, stored.dvmHash, stored.hash], [dvmHeight, dvmHash, block.hash]);
      assert.equal(toHex(encodeHeader(stored.header)), toHex(encodeHeader(block.header)));
      assertSame(evmHeader(store, number)?.header, block.header);
      assertSame([evmBlockNumber(store, block.hash), evmBlockNumberAt(store, dvmHeight)], [number, number]);
      assertSame(
        stored.entries.map(({ raw, sender }) => [decodeEvmTransaction(raw).tx, sender]),
        block.entries.map(({ tx, sender }) => [tx, sender]),
      );
      assertSame(
        evmReceipts(store, number),
        block.entries.map(({ receipt, contract, price }) => ({ ...receipt, contract, price })),
      );
      for (const [index, txid] of txids) {
        const hash = evmHashOf(store, txid);
        assertSame(hash, block.entries[index]?.hash);
      }
    }
    const last = blocks.at(-1) as (typeof blocks)[number];
    for (const [index, { hash }] of last.block.entries.entries())
      assertSame(evmTransaction(store, hash), { number: blocks.length - 1, index, txid: last.txids.get(index) });
    for (const { before, undo } of steps.reverse()) {
      store.write(undo);
      assert.deepEqual(rowsOf(store), before);
    }
    assert.equal(evmTip(store), undefined);
  });

test('unknown blocks and transactions', () => {
  const store = new MemoryStore();
  const none = new Uint8Array(32);
  const found = [
    evmBlock(store, 0),
    evmReceipts(store, 0),
    evmBlockNumber(store, none),
    evmTransaction(store, none),
    evmHashOf(store, none),
  ];
  assertSame(found, [undefined, [], undefined, undefined, undefined]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmStateColumns } from '../../../../src/dfi/evm/state-columns.js';
import { ViewState } from '../../../../src/dfi/evm/view-state.js';
import type { BuiltBlock } from '../../../../src/evm/block/block-builder.js';
import { EntryRefused } from '../../../../src/evm/block/entry-error.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { StateView, UndoLog } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';
import { addItem, type RecordedBlock, type RecordedChain, recordedChains, startBlock } from '../../evm/recorded-blocks.js';

/** All rows of the EVM's state. */
function rowsOf(view: StateView): unknown[] {
  return evmStateColumns.map(({ name, ...column }) => [name, [...view.entries({ name, ...column })]]);
}

/** Adds a recorded block to the store. @returns its undo log */
function connect(store: MemoryStore, chain: RecordedChain, recorded: RecordedBlock, built: BuiltBlock[]): UndoLog {
  const overlay = new Overlay(store);
  const block = startBlock(chain, recorded, new ViewState(overlay, recorded.number), built);
  for (const item of recorded.items) {
    try {
      addItem(block, item);
    } catch (error) {
      if (!(error instanceof EntryRefused) || item.error === null) throw error;
    }
  }
  built.push(block.finish());
  const undo = overlay.undo();
  store.write(overlay.changes());
  return undo;
}

for (const [name, chain] of Object.entries(recordedChains))
  test(`the recorded chain "${name}" on columns of a store, disconnected and connected again`, () => {
    const store = new MemoryStore();
    const built: BuiltBlock[] = [];
    const steps: { readonly before: unknown[]; readonly undo: UndoLog; readonly after: unknown[] }[] = [];
    for (const recorded of chain.blocks) {
      const before = rowsOf(store);
      const undo = connect(store, chain, recorded, built);
      assert.equal(toHex((built.at(-1) as BuiltBlock).hash), recorded.hash);
      steps.push({ before, undo, after: rowsOf(store) });
    }
    for (const { before, undo } of [...steps].reverse()) {
      store.write(undo);
      assert.deepEqual(rowsOf(store), before);
    }
    built.length = 0;
    for (const [i, recorded] of chain.blocks.entries()) {
      connect(store, chain, recorded, built);
      assert.equal(toHex((built[i] as BuiltBlock).hash), recorded.hash);
      assert.deepEqual(rowsOf(store), steps[i]?.after);
    }
  });

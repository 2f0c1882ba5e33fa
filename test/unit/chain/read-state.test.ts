import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readState } from '../../../src/chain/read-state.js';
import { encode, u32be } from '../../../src/primitives/codec.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import type { Column, StateView } from '../../../src/storage/view.js';
import type { Steps } from '../../../src/util/slicer.js';

const column: Column<number, number> = { name: 'dfi/test', key: u32be, value: u32be };
const call = { signal: new AbortController().signal };

function put(key: number, value: number) {
  return { column: column.name, key: encode(u32be, key), value: encode(u32be, value) };
}

/** A store with rows 0 to 9, all with the value 1, and the number of its open snapshots. */
function filled() {
  const state = new MemoryStore();
  state.write(Array.from({ length: 10 }, (_, key) => put(key, 1)));
  const chain = {
    state,
    open: 0,
    snapshots: 0,
    snapshot() {
      const snapshot = state.snapshot();
      chain.open += 1;
      chain.snapshots += 1;
      const close = () => {
        snapshot.close();
        chain.open -= 1;
      };
      return Object.assign(Object.create(snapshot), { entries: snapshot.entries.bind(snapshot), close });
    },
  };
  return chain;
}

/** Sum of all values. @param stepMs time that each row takes */
function summing(stepMs: number) {
  return function* sum(view: StateView): Steps<number> {
    let total = 0;
    for (const [, value] of view.entries(column)) {
      const end = performance.now() + stepMs;
      while (performance.now() < end);
      total += value;
      yield;
    }
    return total;
  };
}

describe('readState', () => {
  test('reads the present state if the turn has time for it', async () => {
    for (let tries = 0; ; tries++) {
      // A turn of its own, which may still be spent if other processes take its time.
      await new Promise((resolve) => setImmediate(resolve));
      const chain = filled();
      const read = readState(chain, call, summing(0));
      assert.equal(await read, 10);
      if (read instanceof Promise && tries < 100) continue;
      assert.equal(read, 10);
      assert.equal(chain.snapshots, 0);
      return;
    }
  });

  test('reads a snapshot of the same tip in slices, whatever is written meanwhile', async () => {
    const chain = filled();
    const result = readState(chain, call, summing(2));
    assert.ok(result instanceof Promise);
    chain.state.write([put(9, 100), put(10, 100)]);
    assert.equal(await result, 10);
    assert.deepEqual([chain.snapshots, chain.open], [1, 0]);
  });

  test('closes the snapshot of a call that is aborted', async () => {
    const chain = filled();
    const aborted = new AbortController();
    const result = readState(chain, aborted, summing(2));
    aborted.abort(new Error('gone'));
    await assert.rejects(Promise.resolve(result), /gone/);
    assert.equal(chain.open, 0);
  });
});

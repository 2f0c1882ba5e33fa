import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CachingView } from '../../../src/storage/caching-view.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { StateView } from '../../../src/storage/view.js';
import { byteColumn, bytes, dump } from './helpers.js';

const column = byteColumn('test/a');
const other = byteColumn('test');

/** A view of a row 01, and the keys that it reads from its parent. */
function view() {
  const state = new Overlay(new MemoryStore());
  state.put(column, bytes('01'), bytes('aa'));
  const read: string[] = [];
  const { cell } = state;
  state.cell = (name, key) => {
    read.push(`${name} ${Buffer.from(key, 'latin1').toString('hex')}`);
    return cell.call(state, name, key);
  };
  return { state, cached: new CachingView(state), read };
}

test('caching view: each key is read once, a missing one too, in each column of its own', () => {
  const { cached, read } = view();
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(cached.get(column, bytes('01')), Buffer.from([0xaa]));
    assert.equal(cached.get(column, bytes('02')), undefined);
    assert.equal(cached.get(other, bytes('01')), undefined);
    assert.deepEqual(cached.getMany(column, [bytes('02'), bytes('01')]), [undefined, Buffer.from([0xaa])]);
  }
  assert.deepEqual(read, ['test/a 01', 'test/a 02', 'test 01']);
});

test('caching view: a value that was read remains, while scans see the present rows', () => {
  const { state, cached } = view();
  assert.ok(cached.get(column, bytes('01')));
  state.delete(column, bytes('01'));
  state.put(column, bytes('02'), bytes('bb'));
  assert.deepEqual(cached.get(column, bytes('01')), Buffer.from([0xaa]));
  assert.deepEqual(dump(cached), ['test/a 02=bb']);
  assert.equal(cached.stamp(column.name), state.stamp(column.name));
});

test('caching view: the parent must be a view of the same kind', () => {
  assert.throws(() => new CachingView({} as StateView), TypeError);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHex } from '../../../src/util/bytes.js';
import { pinnedDecoders, plainValue, recordedLayouts } from '../../layouts.js';

const layouts = recordedLayouts();

for (const decoder of pinnedDecoders) {
  test(`stored bytes of ${decoder.name} keep their layout`, () => {
    const layout = layouts[decoder.name];
    assert.ok(layout, 'add the layout of the new format: node --import tsx test/tools/layouts.ts --write');
    const value = decoder.decode(fromHex(layout.hex));
    assert.deepEqual(plainValue(value), layout.value);
    // Some formats have several spellings of one value, so the written bytes may differ from those that were read.
    if (decoder.encode) assert.deepEqual(plainValue(decoder.decode(decoder.encode(value))), layout.value);
  });
}

test('no layout is left over: the bytes of a format that has gone may still be stored', () => {
  const known = new Set(pinnedDecoders.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(layouts).filter((name) => !known.has(name)),
    [],
  );
});

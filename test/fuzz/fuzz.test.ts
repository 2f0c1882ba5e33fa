import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoders } from './decoders.js';
import { fuzz, isDecoded, seedsOf } from './fuzz.js';
import { Random } from './mutate.js';

/** Enough for a decoder's main paths in a fraction of a second; `npm run fuzz` goes on for as long as it is told. */
const INPUTS = 250;
const SEED = 1_587_883_831;

test('no two decoders share a name', () => {
  assert.equal(new Set(decoders.map(({ name }) => name)).size, decoders.length);
});

test('every decoder has a seed that it reads: bytes that are refused at once lead nowhere', () => {
  const without = decoders.filter((decoder) => !seedsOf(decoder).some((seed) => isDecoded(decoder, seed)));
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  );
});

for (const decoder of decoders) {
  test(`fuzz ${decoder.name}: its own error, or what is written as it was read`, () => {
    const { fault } = fuzz(decoder, new Random(SEED), (tried) => tried < INPUTS);
    assert.equal(fault && `${Buffer.from(fault.bytes).toString('hex')}: ${fault.text}`, undefined);
  });
}

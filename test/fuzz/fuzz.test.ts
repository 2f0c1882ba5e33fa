import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoders } from './decoders.js';
import { fuzz, isDecoded, seedsOf } from './fuzz.js';
import { Random } from './mutate.js';

/** Enough for a decoder's main paths in a fraction of a second; `npm run fuzz` runs for the time given. */
const INPUTS = 250;
const SEED = 1_587_883_831;

test('decoder names are unique', () => {
  assert.equal(new Set(decoders.map(({ name }) => name)).size, decoders.length);
});

test('every decoder has a seed that it accepts: bytes that are rejected early test nothing', () => {
  const without = decoders.filter((decoder) => !seedsOf(decoder).some((seed) => isDecoded(decoder, seed)));
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  );
});

for (const decoder of decoders) {
  test(`fuzz ${decoder.name}: its own error, or a value that encodes to what was read`, () => {
    const { fault } = fuzz(decoder, new Random(SEED), (tried) => tried < INPUTS);
    assert.equal(fault && `${Buffer.from(fault.bytes).toString('hex')}: ${fault.text}`, undefined);
  });
}

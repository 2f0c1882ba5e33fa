import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from '../../../src/util/bytes.js';
import { MaybeSet } from '../../../src/util/maybe-set.js';
import { fc } from '../../property.js';

const hash = () => fc.uint8Array({ minLength: 20, maxLength: 20 });

test('property: a set of hashes may have what was added, at any place', () => {
  fc.assert(
    fc.property(fc.array(hash()), fc.nat(5), (hashes, at) => {
      const set = new MaybeSet();
      for (const each of hashes) set.add(toHex(each));
      for (const each of hashes) assert.ok(set.mayHave(Uint8Array.of(...new Uint8Array(at), ...each), at));
    }),
  );
});

test('a set of hashes does not have most of those that were not added', () => {
  const set = new MaybeSet();
  const hashOf = (n: number) => Uint8Array.of(0, n >> 8, n & 0xff, (n * 37) & 0xff);
  for (let n = 0; n < 100; n++) set.add(toHex(hashOf(n)));
  const others = Array.from({ length: 900 }, (_, n) => set.mayHave(hashOf(n + 100)));
  assert.ok(others.filter((may) => may).length < 10);
});

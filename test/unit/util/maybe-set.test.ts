import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../../src/crypto/hash.js';
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

test('a wallet-sized set has hardly any of the hashes that were not added', () => {
  const set = new MaybeSet();
  const hashOf = (n: number) => sha256(Buffer.from(String(n)));
  for (let n = 0; n < 10_000; n++) set.add(toHex(hashOf(n)));
  let others = 0;
  for (let n = 0; n < 10_000; n++) if (set.mayHave(hashOf(10_000 + n))) others += 1;
  assert.ok(others < 40, `${others} of 10,000`);
});

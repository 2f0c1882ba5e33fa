import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { toHex, toReversedHex } from '../../../src/util/bytes.js';

test('hex of any size, forwards and reversed, is that of Buffer', () => {
  for (let size = 0; size < 80; size++) {
    const bytes = new Uint8Array(randomBytes(size));
    assert.equal(toHex(bytes), Buffer.from(bytes).toString('hex'));
    assert.equal(toReversedHex(bytes), Buffer.from(bytes).reverse().toString('hex'));
  }
});

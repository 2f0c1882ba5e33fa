import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fromHex, toHex, toReversedHex } from '../../../src/util/bytes.js';

test('hex of any size, forwards and reversed, is that of Buffer', () => {
  for (let size = 0; size < 80; size++) {
    const bytes = new Uint8Array(randomBytes(size));
    assert.equal(toHex(bytes), Buffer.from(bytes).toString('hex'));
    assert.equal(toReversedHex(bytes), Buffer.from(bytes).reverse().toString('hex'));
  }
});

test('fromHex: bytes as long as a transaction keep no memory but their own', () => {
  const text = '0aF1'.repeat(100);
  const bytes = fromHex(text);
  assert.equal(toHex(bytes), text.toLowerCase());
  assert.equal(bytes.buffer.byteLength, 200);
  for (const wrong of [`${text}a`, `${text}0g`, `zz${text}`, `${text} `]) assert.throws(() => fromHex(wrong), TypeError);
});

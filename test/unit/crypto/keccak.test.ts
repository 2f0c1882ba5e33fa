import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { keccak256, longKeccak256, useFastKeccak } from '../../../src/crypto/keccak.js';
import { toHex } from '../../../src/util/bytes.js';

const EMPTY = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

test('Keccak-256 before and after the fast implementation is loaded', async () => {
  assert.equal(toHex(keccak256(new Uint8Array(0))), EMPTY);
  await useFastKeccak();
  assert.equal(toHex(keccak256(new Uint8Array(0))), EMPTY);
});

test('hashes equal those of another implementation, and stay as later ones are computed', async () => {
  await useFastKeccak();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1_000 }), fc.uint8Array({ maxLength: 300 }), (first, second) => {
      const hash = keccak256(first);
      keccak256(second);
      assert.equal(toHex(hash), toHex(keccak_256(first)));
    }),
  );
});

test('long hashes that are computed in turns, with short ones in between', async () => {
  const inputs = [65_536, 65_537, 1_000_000].map((size, i) => new Uint8Array(size).fill(i + 1));
  const hashesOf = (): string[] => {
    const running = inputs.map((bytes) => longKeccak256(bytes));
    const hashes = new Map<number, string>();
    while (hashes.size < running.length) {
      for (const [i, steps] of running.entries()) {
        const { done, value } = steps.next();
        if (done && value) hashes.set(i, toHex(value));
        keccak256(Uint8Array.of(i));
      }
    }
    return inputs.map((_, i) => hashes.get(i) ?? '');
  };
  const expected = inputs.map((bytes) => toHex(keccak_256(bytes)));
  assert.deepEqual(hashesOf(), expected);
  await useFastKeccak();
  assert.deepEqual(hashesOf(), expected);
});

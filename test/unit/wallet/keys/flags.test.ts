import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FLAG_NAMES, hasUnknownFlag, MUTABLE_FLAGS } from '../../../../src/wallet/keys/flags.js';

test('flags have fixed bits, and only avoid_reuse may change', () => {
  assert.deepEqual(Object.fromEntries(FLAG_NAMES), {
    avoid_reuse: 1n,
    blank: 0x2_0000_0000n,
    key_origin_metadata: 2n,
    disable_private_keys: 0x1_0000_0000n,
  });
  assert.equal(MUTABLE_FLAGS, 1n);
});

test('an unknown flag above bit 31 must be understood, others need not be', () => {
  assert.equal(hasUnknownFlag(0x3_ffff_ffffn), false);
  assert.equal(hasUnknownFlag(0x4_0000_0000n), true);
  assert.equal(hasUnknownFlag(0x8000_0000_0000_0001n), true);
  assert.equal(hasUnknownFlag(0n), false);
});

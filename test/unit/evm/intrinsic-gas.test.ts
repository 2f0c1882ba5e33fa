import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intrinsicGas, intrinsicGasInSteps } from '../../../src/evm/intrinsic-gas.js';

const call = (data: Uint8Array) => ({ to: 1n, data, accessList: [] });

/** Interruptions of a calculation, and its result. */
function interrupted(data: Uint8Array): { readonly pauses: number; readonly gas: number } {
  const steps = intrinsicGasInSteps(call(data));
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done) return { pauses, gas: value };
  }
}

test('the gas before the first opcode', () => {
  const data = Uint8Array.of(0, 1, 0, 255);
  assert.equal(intrinsicGas(call(new Uint8Array(0))), 21_000);
  assert.equal(intrinsicGas(call(data)), 21_040);
  assert.equal(intrinsicGas({ ...call(data), to: undefined }), 53_042);
  const accessList = [
    { address: 1n, keys: [1n, 2n] },
    { address: 1n, keys: [] },
  ];
  assert.equal(intrinsicGas({ ...call(data), accessList }), 29_640);
});

test('long data are counted with interruptions, once', () => {
  const data = new Uint8Array(1_000_000).fill(7, 0, 250_000);
  const gas = 21_000 + 16 * 250_000 + 4 * 750_000;
  assert.deepEqual(interrupted(data), { pauses: 16, gas });
  assert.deepEqual(interrupted(data), { pauses: 0, gas });
  assert.equal(intrinsicGas(call(Uint8Array.from(data))), gas);
  assert.deepEqual(interrupted(data.subarray(0, 65_536)), { pauses: 0, gas: 21_000 + 16 * 65_536 });
});

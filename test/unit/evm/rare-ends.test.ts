import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CODE } from '../../../src/evm/code.js';
import { executeMessage } from '../../../src/evm/execute.js';
import { INVALID_JUMP, MAX_NONCE, OUT_OF_GAS } from '../../../src/evm/failure.js';
import { CallTracer } from '../../../src/evm/tracing/call-tracer.js';
import { blockHash, ENVIRONMENT } from '../../fuzz/evm/environment.js';
import { executeCode } from './contracts.js';

const MAX_U64 = (1n << 64n) - 1n;
/** CREATE with init code of 49,153 bytes, one more than allowed. */
const OVERSIZED_CREATION = '61c0015f5ff0';
/** Address of the first contract of 0xaa. */
const CREATED = 0x45eb6484d76cfe3f45708b91f5af8ce495134facn;

test('a call by an account without a further nonce ends before its code, and costs the transaction alone', () => {
  const tracer = new CallTracer();
  const { exit, usedGas, changes } = executeCode('56', { nonce: MAX_U64, tracer });
  assert.deepEqual([exit.kind, usedGas, changes.accounts], [MAX_NONCE, 21_000n, []]);
  const [call] = tracer.calls;
  assert.deepEqual(
    [call?.error, call?.gas, call?.gasUsed],
    ['early exit (out of gas, stack overflow, direct call to precompile, ...)', 0n, 21_000n],
  );
  assert.equal(executeCode('5f56', { nonce: MAX_U64 - 1n }).exit.kind, INVALID_JUMP);
});

test('an undefined opcode after a creation that is too large lacks gas', () => {
  for (const tracer of [undefined, new CallTracer()])
    assert.equal(executeCode(`${OVERSIZED_CREATION}fe`, tracer ? { tracer } : {}).exit.kind, OUT_OF_GAS);
  assert.equal(executeCode('fe').exit.kind, executeCode('5ffe').exit.kind);
});

/** Sets slot 0 to 0, for a refund of 4,800, and ends with a creation that is too large. */
const CLEARED_AND_DRAINED = `5f5f55${OVERSIZED_CREATION}`;
/** DELEGATECALL of 0xbb with 60,000 gas. */
const DELEGATED = '5f5f5f5f60bb61ea60f450';

for (const { name, code, delegate = '', expected } of [
  { name: 'of the first frame', code: CLEARED_AND_DRAINED, expected: 121_000n },
  { name: 'of a frame below', code: DELEGATED, delegate: CLEARED_AND_DRAINED, expected: 83_616n },
  // The first frame sets the slot again. The sum is -2,000, which counts as a huge one: a fifth of 83,721 is refunded.
  { name: 'that another frame takes back', code: `${DELEGATED}60075f55`, delegate: CLEARED_AND_DRAINED, expected: 66_977n },
  // The refund of the first frame, 4,800, remains.
  { name: 'that are negative', code: `5f5f55${DELEGATED}`, delegate: `60095f55${OVERSIZED_CREATION}`, expected: 83_820n },
]) {
  test(`a creation that is too large at the end of a frame loses the refunds ${name}`, () => {
    const { isSuccess, usedGas } = executeCode(code, { gas: 100_000n, slot: 7n, delegate });
    assert.deepEqual([isSuccess, usedGas], [true, expected]);
  });
}

test('the trace of a call shows the gas that was left before init code which cannot be paid for', () => {
  const tracer = new CallTracer();
  // 49,152 bytes, the most that are allowed. The opcodes cost 41,223 with the memory, and the init code 3,072.
  executeCode('61c0005f5ff0', { gas: 41_309n, tracer });
  const [call] = tracer.calls;
  assert.deepEqual([call?.gas, call?.gasUsed, call?.error], [86n, 62_223n, 'out of gas']);
});

test('a creation has an address even if its gas does not cover the transaction', () => {
  const sender = 0xaan;
  const below = { account: () => undefined, code: () => NO_CODE, storage: () => 0n };
  const options = { below, environment: { ...ENVIRONMENT, blockHash, origin: sender }, findPrecompile: () => undefined };
  const message = { from: sender, to: undefined, value: 0n, data: new Uint8Array(0), accessList: [] };
  for (const [gasLimit, usedGas] of [
    [52_999n, 52_999n],
    [53_000n, 53_000n],
  ] as const) {
    const executed = executeMessage({ ...message, gasLimit }, options);
    assert.deepEqual([executed.usedGas, executed.created], [usedGas, CREATED]);
  }
  assert.equal(executeMessage({ ...message, to: 1n, gasLimit: 20_999n }, options).created, undefined);
});

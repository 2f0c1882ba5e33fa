import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../src/evm/failure.js';
import { executeCode } from './contracts.js';

/** Failure of code that is called with an amount of gas. */
function failureOf(code: string, gas: bigint): string {
  const { kind } = executeCode(code, { gas }).exit;
  assert.ok(kind instanceof Failure, code);
  return kind.kind;
}

const cases = [
  { name: 'POP of an empty stack, unpaid', code: '50', gas: 1n, expected: 'OutOfGas' },
  { name: 'POP of an empty stack, paid', code: '50', gas: 2n, expected: 'StackUnderflow' },
  { name: 'MSTORE of an empty stack, whose cost is unknown', code: '52', gas: 0n, expected: 'StackUnderflow' },
  { name: 'MSTORE without a value, unpaid', code: '5f52', gas: 7n, expected: 'OutOfGas' },
  { name: 'MSTORE without a value, paid', code: '5f52', gas: 8n, expected: 'StackUnderflow' },
  { name: 'MSTORE8 without a value far beyond the memory', code: '63ffffffff53', gas: 100_000n, expected: 'OutOfGas' },
  { name: 'LOG1 without a topic, unpaid', code: '5f5fa1', gas: 753n, expected: 'OutOfGas' },
  { name: 'LOG1 without a topic, paid', code: '5f5fa1', gas: 754n, expected: 'StackUnderflow' },
  { name: 'CREATE2 without a salt, unpaid', code: '5f5f5ff5', gas: 32_005n, expected: 'OutOfGas' },
  { name: 'CREATE2 without a salt, paid', code: '5f5f5ff5', gas: 32_006n, expected: 'StackUnderflow' },
];

for (const { name, code, gas, expected } of cases) {
  test(`the cost of an opcode without all its operands comes first if it is known: ${name}`, () => {
    assert.equal(failureOf(code, gas), expected);
  });
}

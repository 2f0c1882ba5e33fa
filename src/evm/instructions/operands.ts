import { STACK_UNDERFLOW } from '../failure.js';
import type { Frame } from '../frame.js';
import { Gas } from '../gas.js';
import { wordToSize } from '../words.js';
import { wordsCost } from './ranges.js';
import { INSTRUCTIONS } from './table.js';

/** Opcodes whose costs and effects tracers know. */
export const Op = {
  keccak256: 0x20,
  balance: 0x31,
  calldatacopy: 0x37,
  codecopy: 0x39,
  extcodesize: 0x3b,
  extcodecopy: 0x3c,
  returndatacopy: 0x3e,
  extcodehash: 0x3f,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sload: 0x54,
  sstore: 0x55,
  gas: 0x5a,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
  revert: 0xfd,
  selfdestruct: 0xff,
} as const;

/** True for LOG0 to LOG4. */
export function isLog(op: number): boolean {
  return op >= 0xa0 && op <= 0xa4;
}

/** True for opcodes whose cost does not depend on anything. `defid` charges them before it looks at the stack. */
function hasFixedCost(op: number): boolean {
  const isArithmetic = op <= 0x0b && op !== 0x0a;
  const isLogic = op >= 0x10 && op <= 0x1d;
  const isMemory = op >= 0x51 && op <= 0x55;
  const isFlow = op >= 0x50 && op <= 0x9f && !isMemory;
  return isArithmetic || isLogic || isFlow || op === 0x35 || op === 0x40;
}

/** Operands that the cost of an opcode depends on: `defid` looks at them before it executes the opcode. */
export function operandsOfCost(op: number): number {
  if (hasFixedCost(op)) return 0;
  if (op === Op.mstore || op === Op.mstore8) return 1;
  if (isLog(op)) return 2;
  if (op === Op.create2) return 3;
  return INSTRUCTIONS[op]?.operands ?? 0;
}

/**
 * Fails an opcode whose operands are not all on the stack. As in `defid`, its cost is charged before if the operands that determine the
 * cost are there.
 * @param cost static cost
 * @throws {Failure} always
 */
export function failForOperands(frame: Frame, op: number, cost: number): never {
  if (frame.height < operandsOfCost(op)) throw STACK_UNDERFLOW;
  frame.meter.charge(cost);
  const [offset, length, costOfLength] = rangeOf(frame, op);
  const growth = frame.memory.growthCost(offset, length);
  frame.meter.charge(growth + costOfLength);
  throw STACK_UNDERFLOW;
}

/** Range of the memory that an opcode needs, and the cost of its length. */
function rangeOf(frame: Frame, op: number): readonly [offset: bigint, length: bigint, cost: number] {
  if (op === Op.mstore) return [frame.peek(0), 32n, 0];
  if (op === Op.mstore8) return [frame.peek(0), 1n, 0];
  if (isLog(op)) return [frame.peek(0), frame.peek(1), Gas.logByte * wordToSize(frame.peek(1))];
  if (op === Op.create2) return [frame.peek(1), frame.peek(2), wordsCost(frame.peek(2), Gas.hashWord)];
  return [0n, 0n, 0];
}

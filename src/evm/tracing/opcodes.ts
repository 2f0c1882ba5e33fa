import { type Failure, invalidCode, OUT_OF_GAS, STACK_UNDERFLOW } from '../failure.js';
import type { Frame } from '../frame.js';
import { Gas } from '../gas.js';
import { isLog, Op, operandsOfCost } from '../instructions/operands.js';
import { INSTRUCTIONS } from '../instructions/table.js';

/** Names of opcodes in traces of `defid`, where they differ: its tracer does not know the newer ones. */
const NAMES: Readonly<Record<number, string>> = { 88: 'GETPC', 254: 'INVALID', 71: 'UNKNOWN(71)', 72: 'UNKNOWN(72)', 95: 'UNKNOWN(95)' };

/** Name of an opcode in a trace. */
export function opcodeName(op: number): string {
  return NAMES[op] ?? INSTRUCTIONS[op]?.name ?? `UNKNOWN(${op})`;
}

/**
 * True for opcodes that the engine of `defid` executes without its environment. It reports the end of a frame only by these opcodes. After
 * an end by any other one its traces continue in the context of the frame that has ended.
 */
export function isCore(op: number): boolean {
  const isFlow = op >= 0x50 && op <= 0x9f && op !== Op.sload && op !== Op.sstore && op !== Op.gas;
  const isData = op === 0x35 || op === 0x36 || op === 0x37 || op === 0x38 || op === 0x39;
  return op <= 0x1d || isData || isFlow || op === Op.return || op === Op.revert;
}

/** True for opcodes that may lead into another frame. */
export function isNesting(op: number): boolean {
  return op === Op.create || op === Op.create2 || op === Op.call || op === Op.callcode || op === Op.delegatecall || op === Op.staticcall;
}

/** True for a failure before the opcode was executed: of its cost, or of an opcode that is not permitted. @param height of the stack before it */
export function isRefused(op: number, failure: Failure, height: number): boolean {
  if (failure === STACK_UNDERFLOW) return height < operandsOfCost(op);
  return failure.kind === 'OutOfGas' || isForbidden(failure);
}

/** State of a frame before an opcode. */
export interface Before {
  readonly gas: bigint;
  /** Height of the stack. */
  readonly height: number;
  /** The top of the stack, downwards. */
  readonly operands: readonly bigint[];
}

const MAX_OPERANDS = 7;

/** Operands of an opcode, as `Before` holds them. */
export function operandsOf({ stack, height }: Pick<Frame, 'stack' | 'height'>): readonly bigint[] {
  return stack.slice(Math.max(0, height - MAX_OPERANDS), height).reverse();
}

/**
 * True for a failure before `defid` notes the gas that is left: of an opcode that is not permitted, or whose cost cannot be computed from
 * its operands.
 */
export function isUnnoted(op: number, failure: Failure, before: Before): boolean {
  if (isForbidden(failure) || INSTRUCTIONS[op] === undefined) return true;
  if (before.height >= operandsOfAccess(op)) return false;
  if (failure === STACK_UNDERFLOW) return before.height < operandsOfCost(op);
  return failure.kind === 'OutOfGas' && isBeyondCost(op, before);
}

/**
 * Operands up to the address of an account, whose access `defid` charges before it reads the other operands. It then looks the address up
 * among its precompiled contracts, and notes the gas.
 */
function operandsOfAccess(op: number): number {
  if (op === Op.call || op === Op.callcode) return 3;
  if (op === Op.delegatecall || op === Op.staticcall) return 2;
  return ACCOUNT_OPCODES.has(op) ? 1 : Number.POSITIVE_INFINITY;
}

const ACCOUNT_OPCODES: ReadonlySet<number> = new Set([Op.balance, Op.extcodesize, Op.extcodecopy, Op.extcodehash, Op.selfdestruct]);

/** Words of memory whose cost exceeds 64 bits on the way. */
const MAX_WORDS = 2n ** 32n;
const WORD = 32n;

function isBeyondCost(op: number, { gas, operands }: Before): boolean {
  return op === Op.sstore ? gas <= BigInt(Gas.slotMinimum) : isBeyondMemory(op, operands);
}

/** True for operands that name a range of the memory whose cost exceeds 64 bits on the way. */
export function isBeyondMemory(op: number, operands: readonly bigint[]): boolean {
  return rangesOf(op, operands).some(([offset = 0n, length = 0n]) => length > 0n && (offset + length + WORD - 1n) / WORD >= MAX_WORDS);
}

/** Ranges of the memory that an opcode reads and writes, as offset and length. */
function rangesOf(op: number, operands: readonly bigint[]): readonly (readonly (bigint | undefined)[])[] {
  const [a, b, c, d, e, f, g] = operands;
  if (op === Op.mload || op === Op.mstore) return [[a, WORD]];
  if (op === Op.mstore8) return [[a, 1n]];
  if (op === Op.calldatacopy || op === Op.codecopy || op === Op.returndatacopy) return [[a, c]];
  if (op === Op.extcodecopy) return [[b, d]];
  if (op === Op.create || op === Op.create2) return [[b, c]];
  if (op === Op.delegatecall || op === Op.staticcall)
    return [
      [c, d],
      [e, f],
    ];
  if (op === Op.call || op === Op.callcode)
    return [
      [d, e],
      [f, g],
    ];
  const isRange = op === Op.keccak256 || isLog(op) || op === Op.return || op === Op.revert;
  return isRange ? [[a, b]] : [];
}

/** True for opcodes that static frames do not permit, whatever their operands. */
export function isWriting(op: number): boolean {
  return op === Op.sstore || isLog(op) || op === Op.create || op === Op.create2 || op === Op.selfdestruct;
}

/** Failure of an opcode that writes in a static frame. `defid` checks the memory that the opcode reads before it refuses the opcode. */
export function failureInStaticFrame(op: number, operands: readonly bigint[]): Failure {
  const needed = isLog(op) ? 2 : op === Op.create || op === Op.create2 ? 3 : 0;
  if (operands.length < needed) return STACK_UNDERFLOW;
  return isBeyondMemory(op, operands) ? OUT_OF_GAS : invalidCode(op);
}

/** True for the failure of an opcode that does not exist or is not permitted in a static frame. */
function isForbidden(failure: Failure): boolean {
  return failure.kind.startsWith('InvalidCode');
}

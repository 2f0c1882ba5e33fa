import { hash160, ripemd160, sha1, sha256, sha256d } from '../crypto/hash.js';
import { keccak256 } from '../crypto/keccak.js';
import { SEQUENCE_LOCKTIME_DISABLED } from '../primitives/transaction.js';
import { equalBytes, reverseBytes } from '../util/bytes.js';
import { VerifyFlag } from './flags.js';
import type { Machine } from './interpreter.js';
import { Op } from './opcodes.js';
import { ScriptError, type ScriptErrorKind } from './script-error.js';
import { checkMultiSig, checkSig } from './signatures.js';
import { isTrue } from './values.js';

/** Executes one opcode on the machine. @throws {ScriptError} */
export type Operation = (m: Machine) => void;

const nothing: Operation = () => {};

const reservedNop: Operation = (m) => {
  if (m.has(VerifyFlag.DISCOURAGE_UPGRADABLE_NOPS)) throw new ScriptError('DISCOURAGE_UPGRADABLE_NOPS');
};

/** Pushes copies of the elements at these depths, in the given order. */
function copies(...depths: readonly number[]): Operation {
  return (m) => {
    m.require(Math.max(...depths) + 1);
    m.stack.push(...depths.map((depth) => m.peek(depth)));
  };
}

/** Reorders the top `count` elements; `order` lists their positions, counted from the deepest. */
function rearranged(count: number, ...order: readonly number[]): Operation {
  return (m) => {
    m.require(count);
    const taken = m.stack.splice(-count);
    m.stack.push(...order.map((place) => taken[place] as Uint8Array));
  };
}

function drops(count: number): Operation {
  return (m) => {
    m.require(count);
    m.stack.length -= count;
  };
}

function unary(compute: (a: number) => number): Operation {
  return (m) => {
    m.require(1);
    m.pushNumber(compute(m.popNumber()));
  };
}

function binary(compute: (a: number, b: number) => number | boolean): Operation {
  return (m) => {
    m.require(2);
    const a = m.number(m.peek(1));
    const b = m.number(m.peek(0));
    m.stack.length -= 2;
    m.pushNumber(Number(compute(a, b)));
  };
}

function hashing(hash: (bytes: Uint8Array) => Uint8Array): Operation {
  return (m) => {
    m.stack.push(hash(m.pop()));
  };
}

/** Runs the operation, then pops its result, which must be true. */
function verifying(operation: Operation, error: ScriptErrorKind): Operation {
  return (m) => {
    operation(m);
    if (!isTrue(m.peek())) throw new ScriptError(error);
    m.pop();
  };
}

/** Copies (`keep`) or moves the element whose depth is on top. */
function fromDepth(keep: boolean): Operation {
  return (m) => {
    m.require(2);
    const depth = m.popNumber();
    if (depth < 0 || depth >= m.stack.length) throw new ScriptError('INVALID_STACK_OPERATION');
    const value = m.peek(depth);
    if (!keep) m.stack.splice(m.stack.length - 1 - depth, 1);
    m.stack.push(value);
  };
}

const equal: Operation = (m) => {
  m.require(2);
  m.pushBool(equalBytes(m.pop(), m.pop()));
};

const within: Operation = (m) => {
  m.require(3);
  const [value, low, high] = [m.number(m.peek(2)), m.number(m.peek(1)), m.number(m.peek(0))];
  m.stack.length -= 3;
  m.pushBool(low <= value && value < high);
};

/** Lock times may have five bytes, other numbers four. */
const LOCKTIME_BYTES = 5;

const checkLockTime: Operation = (m) => {
  if (!m.has(VerifyFlag.CHECKLOCKTIMEVERIFY)) return;
  const lockTime = m.number(m.peek(), LOCKTIME_BYTES);
  if (lockTime < 0) throw new ScriptError('NEGATIVE_LOCKTIME');
  if (!m.execution.checker.checkLockTime(lockTime)) throw new ScriptError('UNSATISFIED_LOCKTIME');
};

const checkSequence: Operation = (m) => {
  if (!m.has(VerifyFlag.CHECKSEQUENCEVERIFY)) return;
  const sequence = m.number(m.peek(), LOCKTIME_BYTES);
  if (sequence < 0) throw new ScriptError('NEGATIVE_LOCKTIME');
  if (Math.floor(sequence / SEQUENCE_LOCKTIME_DISABLED) % 2 === 1) return;
  if (!m.execution.checker.checkSequence(sequence)) throw new ScriptError('UNSATISFIED_LOCKTIME');
};

const toAltStack: Operation = (m) => {
  m.altStack.push(m.pop());
};

const fromAltStack: Operation = (m) => {
  const value = m.altStack.pop();
  if (!value) throw new ScriptError('INVALID_ALTSTACK_OPERATION');
  m.stack.push(value);
};

const ifDup: Operation = (m) => {
  if (isTrue(m.peek())) m.stack.push(m.peek());
};

const opReturn: Operation = () => {
  throw new ScriptError('OP_RETURN');
};

/**
 * OP_KECCAK: the EVM address of an uncompressed key, that is, the last 20 bytes of Keccak-256 over the key without its first byte, in
 * reverse order. Enabled from the Metachain height on.
 */
const keccak: Operation = (m) => {
  if (!m.has(VerifyFlag.METACHAIN)) throw new ScriptError('BAD_OPCODE');
  const key = m.pop();
  if (key.length === 0) throw new ScriptError('UNKNOWN_ERROR');
  m.stack.push(reverseBytes(keccak256(key.subarray(1)).subarray(-20)));
};

const numEqual = binary((a, b) => a === b);

/** All opcodes except pushes and branches, which the interpreter handles itself. */
export const OPERATIONS: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [Op.NOP, nothing],
  [Op.NOP1, reservedNop],
  [Op.CHECKLOCKTIMEVERIFY, checkLockTime],
  [Op.CHECKSEQUENCEVERIFY, checkSequence],
  [Op.NOP4, reservedNop],
  [Op.NOP5, reservedNop],
  [Op.NOP6, reservedNop],
  [Op.NOP7, reservedNop],
  [Op.NOP8, reservedNop],
  [Op.NOP9, reservedNop],
  [Op.NOP10, reservedNop],
  [Op.VERIFY, verifying(nothing, 'VERIFY')],
  [Op.RETURN, opReturn],
  [Op.TOALTSTACK, toAltStack],
  [Op.FROMALTSTACK, fromAltStack],
  [Op.TWO_DROP, drops(2)],
  [Op.TWO_DUP, copies(1, 0)],
  [Op.THREE_DUP, copies(2, 1, 0)],
  [Op.TWO_OVER, rearranged(4, 0, 1, 2, 3, 0, 1)],
  [Op.TWO_ROT, rearranged(6, 2, 3, 4, 5, 0, 1)],
  [Op.TWO_SWAP, rearranged(4, 2, 3, 0, 1)],
  [Op.IFDUP, ifDup],
  [Op.DEPTH, (m) => m.pushNumber(m.stack.length)],
  [Op.DROP, drops(1)],
  [Op.DUP, copies(0)],
  [Op.NIP, rearranged(2, 1)],
  [Op.OVER, rearranged(2, 0, 1, 0)],
  [Op.PICK, fromDepth(true)],
  [Op.ROLL, fromDepth(false)],
  [Op.ROT, rearranged(3, 1, 2, 0)],
  [Op.SWAP, rearranged(2, 1, 0)],
  [Op.TUCK, rearranged(2, 1, 0, 1)],
  [Op.SIZE, (m) => m.pushNumber(m.peek().length)],
  [Op.EQUAL, equal],
  [Op.EQUALVERIFY, verifying(equal, 'EQUALVERIFY')],
  [Op.ONE_ADD, unary((a) => a + 1)],
  [Op.ONE_SUB, unary((a) => a - 1)],
  [Op.NEGATE, unary((a) => -a)],
  [Op.ABS, unary(Math.abs)],
  [Op.NOT, unary((a) => Number(a === 0))],
  [Op.ZERO_NOT_EQUAL, unary((a) => Number(a !== 0))],
  [Op.ADD, binary((a, b) => a + b)],
  [Op.SUB, binary((a, b) => a - b)],
  [Op.BOOLAND, binary((a, b) => a !== 0 && b !== 0)],
  [Op.BOOLOR, binary((a, b) => a !== 0 || b !== 0)],
  [Op.NUMEQUAL, numEqual],
  [Op.NUMEQUALVERIFY, verifying(numEqual, 'NUMEQUALVERIFY')],
  [Op.NUMNOTEQUAL, binary((a, b) => a !== b)],
  [Op.LESSTHAN, binary((a, b) => a < b)],
  [Op.GREATERTHAN, binary((a, b) => a > b)],
  [Op.LESSTHANOREQUAL, binary((a, b) => a <= b)],
  [Op.GREATERTHANOREQUAL, binary((a, b) => a >= b)],
  [Op.MIN, binary(Math.min)],
  [Op.MAX, binary(Math.max)],
  [Op.WITHIN, within],
  [Op.RIPEMD160, hashing(ripemd160)],
  [Op.SHA1, hashing(sha1)],
  [Op.SHA256, hashing(sha256)],
  [Op.HASH160, hashing(hash160)],
  [Op.HASH256, hashing(sha256d)],
  [Op.KECCAK, keccak],
  [Op.CHECKSIG, checkSig],
  [Op.CHECKSIGVERIFY, verifying(checkSig, 'CHECKSIGVERIFY')],
  [Op.CHECKMULTISIG, checkMultiSig],
  [Op.CHECKMULTISIGVERIFY, verifying(checkMultiSig, 'CHECKMULTISIGVERIFY')],
]);

import type { Random } from '../mutate.js';
import * as known from './addresses.js';
import { CodeWriter, Op } from './code-writer.js';
import { precompileInput } from './precompile-inputs.js';

type Piece = (code: CodeWriter, random: Random, depth: number) => void;

const MAX_PIECES = 12;
/** Statements within loops and branches. */
const MAX_DEPTH = 2;
const MAX_HEIGHT = 24;
const WORD_BITS = 256n;
const ALL_GAS = (1n << WORD_BITS) - 1n;
/** Longest init code that the rules allow, and one more. */
const INIT_CODE_EDGES = [49_152n, 49_153n];
const STIPEND = 2300n;

const UNARY = [0x15, 0x19];
const BINARY = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d,
];
const TERNARY = [0x08, 0x09];
/** ADDRESS to GASPRICE, RETURNDATASIZE, COINBASE to BASEFEE, PC, MSIZE, GAS; all of them push a word. */
const ENVIRONMENT = [0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x58, 0x59, 0x5a];
/** BALANCE, EXTCODESIZE, EXTCODEHASH. */
const ACCOUNT_QUERIES = [0x31, 0x3b, 0x3f];
/** CALLDATACOPY, CODECOPY, RETURNDATACOPY: destination, offset, length. */
const COPIES = [0x37, 0x39, 0x3e];
const EXTCODECOPY = 0x3c;
const CALLDATALOAD = 0x35;
const BLOCKHASH = 0x40;
const MLOAD = 0x51;
const MSTORE8 = 0x53;

/** Statements, each as often as its weight. They leave the stack as high as it was, or push results. */
const PIECES: readonly (readonly [weight: number, piece: Piece])[] = [
  [4, pushWord],
  [4, (code, random) => code.op(random.pick(ENVIRONMENT), 1)],
  [8, arithmetic],
  [4, stackMove],
  [3, memoryAccess],
  [2, copy],
  [2, hash],
  [5, storageAccess],
  [2, accountQuery],
  [2, log],
  [5, callAccount],
  [2, callPrecompile],
  [2, creation],
  [2, branch],
  [2, loop],
  [1, blockHash],
];
const WEIGHTED = PIECES.flatMap(([weight, piece]) => Array.from({ length: weight }, () => piece));

/** Code that mostly runs: operands are there, offsets small, targets known. A few programs break off or contain any bytes. */
export function randomCode(random: Random, addresses: readonly bigint[] = known.ADDRESSES): Uint8Array {
  const code = new CodeWriter(addresses);
  statements(code, random, 1 + random.below(MAX_PIECES), 0);
  end(code, random);
  if (random.below(25) === 0) code.raw(random.bytes(random.below(12)));
  return code.code;
}

/** Init code that creates a contract with the given code. */
export function creationOf(deployed: Uint8Array): Uint8Array {
  const init = new CodeWriter([]);
  returnCode(init, deployed);
  return init.code;
}

/** Returns the code of a new contract. @param opcode ends the init code */
function returnCode(init: CodeWriter, deployed: Uint8Array, opcode: number = Op.return): void {
  init.store(0, deployed);
  init.push(BigInt(deployed.length));
  init.push(0n);
  init.op(opcode, -2);
}

function statements(code: CodeWriter, random: Random, count: number, depth: number): void {
  for (let left = count; left > 0; left--) {
    if (random.below(150) === 0) code.raw(random.bytes(1 + random.below(3)));
    random.pick(WEIGHTED)(code, random, depth);
    while (code.height > MAX_HEIGHT) code.op(Op.pop, -1);
  }
}

function end(code: CodeWriter, random: Random): void {
  const kind = random.below(12);
  if (kind < 4) range(code, random);
  if (kind < 3) code.op(Op.return, -2);
  else if (kind === 3) code.op(Op.revert, -2);
  else if (kind === 4) selfDestruct(code, random);
  else if (kind === 5) code.op(Op.invalid, 0);
  else if (kind === 6) code.op(Op.stop, 0);
}

function selfDestruct(code: CodeWriter, random: Random): void {
  code.push(random.pick(code.addresses));
  code.op(Op.selfdestruct, -1);
}

function pushWord(code: CodeWriter, random: Random): void {
  code.push(randomWord(code, random));
}

function randomWord(code: CodeWriter, random: Random): bigint {
  switch (random.below(7)) {
    case 0:
      return BigInt(random.below(4));
    case 1:
      return 1n << BigInt(random.below(Number(WORD_BITS)));
    case 2:
      return BigInt.asUintN(Number(WORD_BITS), -BigInt(1 + random.below(300)));
    case 3:
      return random.pick(code.addresses);
    case 4:
      return BigInt(`0x${Buffer.from(random.bytes(1 + random.below(32))).toString('hex')}`);
    default:
      return BigInt(random.below(300));
  }
}

/** Pushes words until there are as many operands. */
function need(code: CodeWriter, random: Random, operands: number): void {
  while (code.height < operands) pushWord(code, random);
}

function arithmetic(code: CodeWriter, random: Random): void {
  const kind = random.below(10);
  const operands = kind < 2 ? 1 : kind < 8 ? 2 : 3;
  if (random.below(2) === 0) for (let i = 0; i < operands; i++) pushWord(code, random);
  need(code, random, operands);
  code.op(random.pick([UNARY, BINARY, TERNARY][operands - 1] as number[]), 1 - operands);
}

function stackMove(code: CodeWriter, random: Random): void {
  need(code, random, 2);
  const reach = Math.min(code.height, 16);
  const kind = random.below(5);
  if (kind < 2) code.op(Op.dup1 + random.below(reach), 1);
  else if (kind < 4) code.op(Op.swap1 + random.below(Math.min(code.height - 1, 16)), 0);
  else code.op(Op.pop, -1);
}

/** Pushes a small offset, rarely a huge one. */
function offset(code: CodeWriter, random: Random): void {
  code.push(random.below(60) === 0 ? randomWord(code, random) : BigInt(random.below(200)));
}

/** Pushes length and offset of a range. */
function range(code: CodeWriter, random: Random): void {
  code.push(random.below(3) === 0 ? 0n : BigInt(random.below(100)));
  offset(code, random);
}

function memoryAccess(code: CodeWriter, random: Random): void {
  const kind = random.below(3);
  if (kind > 0) need(code, random, 1);
  offset(code, random);
  if (kind === 0) code.op(MLOAD, 0);
  else code.op(kind === 1 ? Op.mstore : MSTORE8, -2);
}

function copy(code: CodeWriter, random: Random): void {
  // RETURNDATACOPY fails beyond the end of what the last call returned.
  if (random.below(3) === 0) code.op(0x3d, 1);
  else code.push(BigInt(random.below(70)));
  code.push(random.below(2) === 0 ? 0n : BigInt(random.below(40)));
  offset(code, random);
  if (random.below(4) > 0) {
    code.op(random.pick(COPIES), -3);
    return;
  }
  code.push(random.pick(code.addresses));
  code.op(EXTCODECOPY, -4);
}

function hash(code: CodeWriter, random: Random): void {
  range(code, random);
  code.op(Op.keccak256, -1);
}

function storageAccess(code: CodeWriter, random: Random): void {
  const isWrite = random.below(2) === 0;
  if (isWrite) {
    if (random.below(3) === 0) need(code, random, 1);
    else code.push(BigInt(random.below(4)));
  }
  code.push(random.below(15) === 0 ? randomWord(code, random) : BigInt(random.below(4)));
  if (isWrite) code.op(Op.sstore, -2);
  else code.op(Op.sload, 0);
}

function accountQuery(code: CodeWriter, random: Random): void {
  const kind = random.below(ACCOUNT_QUERIES.length + 1);
  if (kind === 0) offset(code, random);
  else code.push(random.pick(code.addresses));
  code.op(kind === 0 ? CALLDATALOAD : (ACCOUNT_QUERIES[kind - 1] as number), 0);
}

function blockHash(code: CodeWriter, random: Random): void {
  code.push(random.below(10) === 0 ? randomWord(code, random) : BigInt(random.below(1100)));
  code.op(BLOCKHASH, 0);
}

function log(code: CodeWriter, random: Random): void {
  const topics = random.below(5);
  need(code, random, topics);
  range(code, random);
  code.op(Op.log0 + topics, -2 - topics);
}

/** Pushes the gas of a call: all, what is left, or little. */
function gas(code: CodeWriter, random: Random): void {
  const kind = random.below(4);
  if (kind < 2) code.op(Op.gas, 1);
  else code.push(kind === 2 ? ALL_GAS : BigInt(random.below(40_000)));
}

function callAccount(code: CodeWriter, random: Random): void {
  range(code, random);
  range(code, random);
  call(code, random, random.pick(code.addresses));
  afterCall(code, random);
}

function callPrecompile(code: CodeWriter, random: Random): void {
  // Points of a curve take the oracle milliseconds.
  const address = random.pick(random.below(40) === 0 ? known.PRECOMPILES : known.FAST_PRECOMPILES);
  const input = precompileInput(address, random);
  code.store(0, input);
  code.push(BigInt(random.below(100)));
  code.push(BigInt(random.below(300)));
  code.push(BigInt(input.length));
  code.push(0n);
  call(code, random, address);
  afterCall(code, random);
}

function call(code: CodeWriter, random: Random, target: bigint): void {
  const opcode = random.pick([Op.call, Op.call, Op.callcode, Op.delegatecall, Op.staticcall]);
  const hasValue = opcode === Op.call || opcode === Op.callcode;
  if (hasValue) code.push(random.below(3) > 0 ? 0n : random.pick([1n, 50n, 150n, STIPEND, 1n << 100n]));
  code.push(target);
  gas(code, random);
  code.op(opcode, hasValue ? -6 : -5);
}

function afterCall(code: CodeWriter, random: Random): void {
  if (random.below(3) > 0) return;
  code.op(0x3d, 1);
  code.push(0n);
  code.push(BigInt(random.below(64)));
  code.op(0x3e, -3);
}

function creation(code: CodeWriter, random: Random, depth: number): void {
  const isSalted = random.below(2) === 0;
  if (isSalted) code.push(BigInt(random.below(2)));
  if (random.below(20) === 0) {
    code.push(random.pick(INIT_CODE_EDGES));
    code.push(0n);
  } else {
    const init = depth < MAX_DEPTH ? initCode(random, code.addresses) : random.bytes(random.below(20));
    code.store(0, init);
    code.push(BigInt(init.length));
    code.push(0n);
  }
  code.push(random.below(4) > 0 ? 0n : BigInt(random.below(150)));
  code.op(isSalted ? Op.create2 : Op.create, isSalted ? -3 : -2);
}

/** A few statements, and most often code that is returned. */
function initCode(random: Random, addresses: readonly bigint[]): Uint8Array {
  const code = new CodeWriter(addresses);
  statements(code, random, random.below(3), MAX_DEPTH);
  const kind = random.below(6);
  if (kind === 0) return code.code;
  if (kind === 1) {
    selfDestruct(code, random);
    return code.code;
  }
  const deployed = new CodeWriter(addresses);
  if (kind === 2) deployed.raw(Uint8Array.of(random.pick([0xef, Op.selfdestruct, Op.invalid])));
  else statements(deployed, random, 1 + random.below(2), MAX_DEPTH);
  returnCode(code, deployed.code, random.below(8) === 0 ? Op.revert : Op.return);
  return code.code;
}

/** Statements that run if the word on the stack is not zero. Both ways leave the same height. */
function branch(code: CodeWriter, random: Random, depth: number): void {
  if (depth >= MAX_DEPTH) {
    pushWord(code, random);
    return;
  }
  need(code, random, 1);
  const target = code.pushTarget();
  code.op(Op.jumpi, -2);
  level(code, random, depth);
  code.setTarget(target);
}

/** Statements that are repeated up to 4 times. */
function loop(code: CodeWriter, random: Random, depth: number): void {
  if (depth >= MAX_DEPTH) {
    pushWord(code, random);
    return;
  }
  code.push(BigInt(1 + random.below(4)));
  const start = code.size;
  code.op(Op.jumpdest, 0);
  level(code, random, depth);
  code.push(1n);
  code.op(Op.swap1, 0);
  code.op(Op.sub, -1);
  code.op(Op.dup1, 1);
  code.push(BigInt(start));
  code.op(Op.jumpi, -2);
  code.op(Op.pop, -1);
}

/** Statements that leave the stack as high as it was; what is below is theirs to use, but not to remove. */
function level(code: CodeWriter, random: Random, depth: number): void {
  const before = code.height;
  statements(code, random, 1 + random.below(3), depth + 1);
  while (code.height > before) code.op(Op.pop, -1);
  while (code.height < before) pushWord(code, random);
}

import type { Execute, Instruction } from '../machine.js';
import * as arithmetic from './arithmetic.js';
import * as calls from './calls.js';
import * as env from './environment.js';
import * as flow from './flow.js';
import * as memory from './memory.js';
import * as storage from './storage.js';

type Row = readonly [op: number, name: string, cost: number, operands: number, results: number, execute: Execute];

/** Opcodes of the Shanghai rules: code, name, static cost, operands, results. @see docs/protocol/evm-engine.md 2.3 */
const ROWS: readonly Row[] = [
  [0x00, 'STOP', 0, 0, 0, flow.stop],
  [0x01, 'ADD', 3, 2, 1, arithmetic.add],
  [0x02, 'MUL', 5, 2, 1, arithmetic.mul],
  [0x03, 'SUB', 3, 2, 1, arithmetic.sub],
  [0x04, 'DIV', 5, 2, 1, arithmetic.div],
  [0x05, 'SDIV', 5, 2, 1, arithmetic.sdiv],
  [0x06, 'MOD', 5, 2, 1, arithmetic.mod],
  [0x07, 'SMOD', 5, 2, 1, arithmetic.smod],
  [0x08, 'ADDMOD', 8, 3, 1, arithmetic.addmod],
  [0x09, 'MULMOD', 8, 3, 1, arithmetic.mulmod],
  [0x0a, 'EXP', 10, 2, 1, arithmetic.exp],
  [0x0b, 'SIGNEXTEND', 5, 2, 1, arithmetic.signextend],
  [0x10, 'LT', 3, 2, 1, arithmetic.lt],
  [0x11, 'GT', 3, 2, 1, arithmetic.gt],
  [0x12, 'SLT', 3, 2, 1, arithmetic.slt],
  [0x13, 'SGT', 3, 2, 1, arithmetic.sgt],
  [0x14, 'EQ', 3, 2, 1, arithmetic.eq],
  [0x15, 'ISZERO', 3, 1, 1, arithmetic.iszero],
  [0x16, 'AND', 3, 2, 1, arithmetic.and],
  [0x17, 'OR', 3, 2, 1, arithmetic.or],
  [0x18, 'XOR', 3, 2, 1, arithmetic.xor],
  [0x19, 'NOT', 3, 1, 1, arithmetic.not],
  [0x1a, 'BYTE', 3, 2, 1, arithmetic.byte],
  [0x1b, 'SHL', 3, 2, 1, arithmetic.shl],
  [0x1c, 'SHR', 3, 2, 1, arithmetic.shr],
  [0x1d, 'SAR', 3, 2, 1, arithmetic.sar],
  [0x20, 'KECCAK256', 30, 2, 1, memory.keccak],
  [0x30, 'ADDRESS', 2, 0, 1, env.address],
  [0x31, 'BALANCE', 0, 1, 1, env.balance],
  [0x32, 'ORIGIN', 2, 0, 1, env.origin],
  [0x33, 'CALLER', 2, 0, 1, env.caller],
  [0x34, 'CALLVALUE', 2, 0, 1, env.callvalue],
  [0x35, 'CALLDATALOAD', 3, 1, 1, memory.calldataload],
  [0x36, 'CALLDATASIZE', 2, 0, 1, memory.calldatasize],
  [0x37, 'CALLDATACOPY', 3, 3, 0, memory.calldatacopy],
  [0x38, 'CODESIZE', 2, 0, 1, memory.codesize],
  [0x39, 'CODECOPY', 3, 3, 0, memory.codecopy],
  [0x3a, 'GASPRICE', 2, 0, 1, env.gasprice],
  [0x3b, 'EXTCODESIZE', 0, 1, 1, env.extcodesize],
  [0x3c, 'EXTCODECOPY', 0, 4, 0, env.extcodecopy],
  [0x3d, 'RETURNDATASIZE', 2, 0, 1, memory.returndatasize],
  [0x3e, 'RETURNDATACOPY', 3, 3, 0, memory.returndatacopy],
  [0x3f, 'EXTCODEHASH', 0, 1, 1, env.extcodehash],
  [0x40, 'BLOCKHASH', 20, 1, 1, env.blockhash],
  [0x41, 'COINBASE', 2, 0, 1, env.coinbase],
  [0x42, 'TIMESTAMP', 2, 0, 1, env.timestamp],
  [0x43, 'NUMBER', 2, 0, 1, env.number],
  [0x44, 'DIFFICULTY', 2, 0, 1, env.difficulty],
  [0x45, 'GASLIMIT', 2, 0, 1, env.gaslimit],
  [0x46, 'CHAINID', 2, 0, 1, env.chainid],
  [0x47, 'SELFBALANCE', 5, 0, 1, env.selfbalance],
  [0x48, 'BASEFEE', 2, 0, 1, env.basefee],
  [0x50, 'POP', 2, 1, 0, flow.pop],
  [0x51, 'MLOAD', 3, 1, 1, memory.mload],
  [0x52, 'MSTORE', 3, 2, 0, memory.mstore],
  [0x53, 'MSTORE8', 3, 2, 0, memory.mstore8],
  [0x54, 'SLOAD', 0, 1, 1, storage.sload],
  [0x55, 'SSTORE', 0, 2, 0, storage.sstore],
  [0x56, 'JUMP', 8, 1, 0, flow.jump],
  [0x57, 'JUMPI', 10, 2, 0, flow.jumpi],
  [0x58, 'PC', 2, 0, 1, flow.pc],
  [0x59, 'MSIZE', 2, 0, 1, memory.msize],
  [0x5a, 'GAS', 2, 0, 1, flow.gas],
  [0x5b, 'JUMPDEST', 1, 0, 0, flow.jumpdest],
  [0x5f, 'PUSH0', 2, 0, 1, flow.push(0)],
  ...numbered(32, (n): Row => [0x5f + n, `PUSH${n}`, 3, 0, 1, flow.push(n)]),
  ...numbered(16, (n): Row => [0x7f + n, `DUP${n}`, 3, n, n + 1, flow.dup(n)]),
  ...numbered(16, (n): Row => [0x8f + n, `SWAP${n}`, 3, n + 1, n + 1, flow.swap(n)]),
  ...numbered(5, (n): Row => [0x9f + n, `LOG${n - 1}`, 375 * n, n + 1, 0, storage.log(n - 1)]),
  [0xf0, 'CREATE', 32000, 3, 1, calls.create],
  [0xf1, 'CALL', 0, 7, 1, calls.call],
  [0xf2, 'CALLCODE', 0, 7, 1, calls.callcode],
  [0xf3, 'RETURN', 0, 2, 0, flow.returnOutput],
  [0xf4, 'DELEGATECALL', 0, 6, 1, calls.delegatecall],
  [0xf5, 'CREATE2', 32000, 4, 1, calls.create2],
  [0xfa, 'STATICCALL', 0, 6, 1, calls.staticcall],
  [0xfd, 'REVERT', 0, 2, 0, flow.revert],
  [0xff, 'SELFDESTRUCT', 5000, 1, 0, storage.selfdestruct],
];

function numbered(count: number, row: (n: number) => Row): readonly Row[] {
  return Array.from({ length: count }, (_, i) => row(i + 1));
}

/** Instructions by opcode; undefined for opcodes that are not defined. */
export const INSTRUCTIONS: readonly (Instruction | undefined)[] = Array.from({ length: 256 }, (_, op) => {
  const row = ROWS.find(([code]) => code === op);
  if (!row) return undefined;
  const [, name, cost, operands, results, execute] = row;
  return { name, cost, operands, growth: results - operands, execute };
});

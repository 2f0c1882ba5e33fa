import { Gas, wordCount } from '../gas.js';
import { callGas } from '../instructions/calls.js';
import { accessCost, toAddress } from '../instructions/environment.js';
import { isLog, Op } from '../instructions/operands.js';
import { loadGas, selfDestructGas, storeGas } from '../instructions/storage.js';
import { INSTRUCTIONS } from '../instructions/table.js';
import type { Machine } from '../machine.js';

const EXP = 0x0a;

/**
 * Total cost of an opcode, without growth of the memory and without the gas of calls. `defid` shows this cost for an opcode whose gas did
 * not suffice.
 * @param operands the top of the stack first; those that are missing do not count
 * @param address account whose code runs
 */
export function costWithoutMemory(op: number, operands: readonly bigint[], address: bigint, machine: Pick<Machine, 'state'>): bigint {
  return BigInt((INSTRUCTIONS[op]?.cost ?? 0) + costOfLength(op, operands) + costOfState(op, operands, address, machine));
}

function costOfLength(op: number, operands: readonly bigint[]): number {
  const [, second = 0n, third = 0n, fourth = 0n] = operands;
  if (op === EXP) return second === 0n ? 0 : Gas.expByte * Math.ceil(second.toString(16).length / 2);
  if (op === Op.keccak256) return Gas.hashWord * wordCount(Number(second));
  if (op === Op.create2) return Gas.hashWord * wordCount(Number(third));
  if (op === Op.calldatacopy || op === Op.codecopy || op === Op.returndatacopy) return Gas.copyWord * wordCount(Number(third));
  if (op === Op.extcodecopy) return Gas.copyWord * wordCount(Number(fourth));
  return isLog(op) ? Gas.logByte * Number(second) : 0;
}

function costOfState(op: number, operands: readonly bigint[], address: bigint, machine: Pick<Machine, 'state'>): number {
  const [first = 0n, second = 0n, third = 0n] = operands;
  switch (op) {
    case Op.balance:
    case Op.extcodesize:
    case Op.extcodecopy:
    case Op.extcodehash:
      return accessCost(machine, toAddress(first));
    case Op.sload:
      return loadGas(machine, address, first);
    case Op.sstore:
      return storeGas(
        machine,
        address,
        first,
        machine.state.originalStorage(address, first),
        machine.state.storage(address, first),
        second,
      );
    case Op.selfdestruct:
      return selfDestructGas(machine, address, toAddress(first));
    case Op.call:
    case Op.callcode:
      return callGas(machine, toAddress(second), third, op === Op.call);
    case Op.delegatecall:
    case Op.staticcall:
      return callGas(machine, toAddress(second), 0n, false);
    default:
      return 0;
  }
}

import type { Frame } from '../frame.js';
import { Gas } from '../gas.js';
import type { Execute, Machine } from '../machine.js';
import { chargeCopy, copyInto } from './ranges.js';

const ADDRESS_BITS = 160;

/** Address of a word: its low 20 bytes. */
export function toAddress(word: bigint): bigint {
  return BigInt.asUintN(ADDRESS_BITS, word);
}

/** Gas of the access to an account. */
export function accessCost({ state }: Pick<Machine, 'state'>, address: bigint): number {
  return state.isWarmAccount(address) ? Gas.warm : Gas.coldAccount;
}

/** Charges the access to an account, which is warm afterwards. */
export function chargeAccess({ meter }: Frame, machine: Machine, address: bigint): void {
  const { state } = machine;
  meter.charge(accessCost(machine, address));
  state.warmAccount(address);
}

export const address: Execute = (frame) => frame.push(frame.context.address);
export const caller: Execute = (frame) => frame.push(frame.context.caller);
export const callvalue: Execute = (frame) => frame.push(frame.context.value);
export const origin: Execute = (frame, { environment }) => frame.push(environment.origin);
export const gasprice: Execute = (frame, { environment }) => frame.push(environment.gasPrice);
export const coinbase: Execute = (frame, { environment }) => frame.push(environment.coinbase);
export const timestamp: Execute = (frame, { environment }) => frame.push(environment.timestamp);
export const number: Execute = (frame, { environment }) => frame.push(environment.number);
export const difficulty: Execute = (frame, { environment }) => frame.push(environment.difficulty);
export const gaslimit: Execute = (frame, { environment }) => frame.push(environment.gasLimit);
export const chainid: Execute = (frame, { environment }) => frame.push(environment.chainId);
export const basefee: Execute = (frame, { environment }) => frame.push(environment.baseFee);
export const blockhash: Execute = (frame, { environment }) => frame.push(environment.blockHash(frame.pop()));
export const selfbalance: Execute = (frame, { state }) => frame.push(state.balance(frame.context.address));

export const balance: Execute = (frame, machine) => {
  const of = toAddress(frame.pop());
  chargeAccess(frame, machine, of);
  frame.push(machine.state.balance(of));
};

export const extcodesize: Execute = (frame, machine) => {
  const of = toAddress(frame.pop());
  chargeAccess(frame, machine, of);
  frame.push(BigInt(machine.state.code(of).size));
};

/** Zero for accounts that do not exist. @see EIP-1052 */
export const extcodehash: Execute = (frame, machine) => {
  const of = toAddress(frame.pop());
  chargeAccess(frame, machine, of);
  frame.push(machine.state.exists(of) ? machine.state.code(of).hash : 0n);
};

export const extcodecopy: Execute = (frame, machine) => {
  const of = toAddress(frame.peek(0));
  frame.meter.charge(accessCost(machine, of));
  chargeCopy(frame, frame.peek(1), frame.peek(3));
  machine.state.warmAccount(of);
  frame.pop();
  copyInto(frame, frame.pop(), machine.state.code(of).bytes, frame.pop(), frame.pop());
};

import { keccak256 } from '../../crypto/keccak.js';
import { concatBytes, EMPTY_BYTES } from '../../util/bytes.js';
import { Code } from '../code.js';
import { encodeRlp } from '../codec/rlp.js';
import { invalidCode } from '../failure.js';
import type { Frame } from '../frame.js';
import { Gas, MAX_DEPTH, MAX_INIT_CODE_SIZE } from '../gas.js';
import type { Execute, Machine } from '../machine.js';
import { addressBytes, addressWord, encodeInteger, wordBytes, wordToSize } from '../words.js';
import { accessCost, toAddress } from './environment.js';
import { chargeMemory, lend, take, wordsCost } from './ranges.js';

const MAX_U64 = (1n << 64n) - 1n;
const CALL = 0xf1;
const CREATE = 0xf0;
const CREATE2 = 0xf5;
const CREATE2_PREFIX = Uint8Array.of(0xff);

/** Gas of a call, besides growth of the memory and what it forwards. @param creates true if a transfer may create the account: of CALL */
export function callGas(machine: Pick<Machine, 'state'>, target: bigint, value: bigint, creates: boolean): number {
  const isNew = creates && value !== 0n && !machine.state.exists(target);
  return accessCost(machine, target) + (value === 0n ? 0 : Gas.callValue) + (isNew ? Gas.newAccount : 0);
}

/** @see docs/protocol/evm-engine.md 2.5 */
function callOf(kind: 'call' | 'callcode' | 'delegatecall' | 'staticcall'): Execute {
  const hasValue = kind === 'call' || kind === 'callcode';
  return (frame, machine) => {
    const { state } = machine;
    const { context } = frame;
    const wanted = frame.pop();
    const target = toAddress(frame.pop());
    const value = hasValue ? frame.pop() : 0n;
    if (kind === 'call' && value !== 0n && context.isStatic) throw invalidCode(CALL);
    const [inOffset, inLength, outOffset, outLength] = [frame.pop(), frame.pop(), frame.pop(), frame.pop()];
    frame.meter.charge(callGas(machine, target, value, kind === 'call'));
    chargeLarger(frame, inOffset, inLength, outOffset, outLength);
    state.warmAccount(target);
    frame.returned = EMPTY_BYTES;
    const gas = frame.meter.forward(wanted > MAX_U64 ? MAX_U64 : wanted);
    const isDelegated = kind === 'delegatecall';
    machine.child = {
      kind: 'call',
      codeAddress: target,
      address: kind === 'call' || kind === 'staticcall' ? target : context.address,
      caller: isDelegated ? context.caller : context.address,
      value: isDelegated ? context.value : value,
      transfers: hasValue,
      // The opcode costs the same for any input, so a copy would not be paid for.
      data: lend(frame, inOffset, inLength),
      isStatic: context.isStatic || kind === 'staticcall',
      gas: value === 0n ? gas : gas + BigInt(Gas.stipend),
      outputOffset: outLength === 0n ? 0 : Number(outOffset),
      outputLength: Number(outLength),
    };
  };
}

/** Charges the larger of the growths for input and output, and does both. */
function chargeLarger(frame: Frame, inOffset: bigint, inLength: bigint, outOffset: bigint, outLength: bigint): void {
  const { memory } = frame;
  const cost = Math.max(memory.growthCost(inOffset, inLength), memory.growthCost(outOffset, outLength));
  if (cost > 0) frame.meter.charge(cost);
  if (inLength > 0n) memory.grow(Number(inOffset), Number(inLength));
  if (outLength > 0n) memory.grow(Number(outOffset), Number(outLength));
}

export const call: Execute = callOf('call');
export const callcode: Execute = callOf('callcode');
export const delegatecall: Execute = callOf('delegatecall');
export const staticcall: Execute = callOf('staticcall');

export const create: Execute = (frame, machine) => {
  if (frame.context.isStatic) throw invalidCode(CREATE);
  chargeMemory(frame, frame.peek(1), frame.peek(2));
  const value = frame.pop();
  const offset = frame.pop();
  const length = frame.pop();
  if (!chargeInitCode(frame, machine, length)) return;
  const { address } = frame.context;
  start(frame, machine, value, take(frame, offset, length), createAddress(address, machine.state.nonce(address)));
};

export const create2: Execute = (frame, machine) => {
  if (frame.context.isStatic) throw invalidCode(CREATE2);
  frame.meter.charge(wordsCost(frame.peek(2), Gas.hashWord));
  chargeMemory(frame, frame.peek(1), frame.peek(2));
  const value = frame.pop();
  const offset = frame.pop();
  const length = frame.pop();
  const salt = frame.pop();
  if (!chargeInitCode(frame, machine, length)) return;
  const code = take(frame, offset, length);
  start(frame, machine, value, code, saltedAddress(frame.context.address, salt, code));
};

/**
 * Charges init code. If it is too large or costs too much, `defid` drains the gas of the frame, pushes 0 and continues: the next opcode
 * fails, but code that ends here succeeds, without the refunds of the frame (docs/protocol/evm-engine.md 2.8, deviation 5).
 * @returns false in that case
 */
function chargeInitCode(frame: Frame, { state }: Machine, length: bigint): boolean {
  frame.returned = EMPTY_BYTES;
  const size = wordToSize(length);
  const cost = wordsCost(length, Gas.initCodeWord);
  if (size <= MAX_INIT_CODE_SIZE && frame.meter.left >= BigInt(cost)) {
    frame.meter.charge(cost);
    return true;
  }
  frame.meter.drain();
  // The meter of `defid` counts the refunds too.
  state.refund = frame.snapshot.refund;
  frame.push(0n);
  return false;
}

/** Checks before a creation. They leave the two accounts warm even if they fail. @see docs/protocol/evm-engine.md 2.6 */
function start(frame: Frame, machine: Machine, value: bigint, init: Uint8Array, address: bigint): void {
  const { state } = machine;
  const creator = frame.context.address;
  state.warmAccount(creator);
  state.warmAccount(address);
  const nonce = state.nonce(creator);
  if (frame.context.depth > MAX_DEPTH || state.balance(creator) < value || nonce >= MAX_U64) {
    frame.push(0n);
    return;
  }
  state.setNonce(creator, nonce + 1n);
  machine.child = { kind: 'create', address, value, code: new Code(init), gas: frame.meter.forward(MAX_U64) };
}

/** Address of the contract that an account creates with a nonce. */
export function createAddress(creator: bigint, nonce: bigint): bigint {
  return addressWord(keccak256(encodeRlp([addressBytes(creator), encodeInteger(nonce)])).subarray(12));
}

/** Address of the contract that an account creates with a salt. @see EIP-1014 */
export function saltedAddress(creator: bigint, salt: bigint, code: Uint8Array): bigint {
  const hash = keccak256(concatBytes(CREATE2_PREFIX, addressBytes(creator), wordBytes(salt), keccak256(code)));
  return addressWord(hash.subarray(12));
}

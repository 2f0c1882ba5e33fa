import { invalidCode, OUT_OF_GAS } from '../failure.js';
import { Gas } from '../gas.js';
import type { Execute, Machine } from '../machine.js';
import { wordToSize } from '../words.js';
import { chargeMemory, take } from './ranges.js';

type StateOnly = Pick<Machine, 'state'>;

/** Gas of SLOAD. */
export function loadGas({ state }: StateOnly, address: bigint, slot: bigint): number {
  return state.isWarmSlot(address, slot) ? Gas.warm : Gas.coldSlot;
}

export const sload: Execute = (frame, machine) => {
  const { state } = machine;
  const slot = frame.pop();
  const { address } = frame.context;
  frame.meter.charge(loadGas(machine, address, slot));
  state.warmSlot(address, slot);
  frame.push(state.storage(address, slot));
};

/** Gas of SSTORE. @param original value at the start of the transaction */
export function storeGas({ state }: StateOnly, address: bigint, slot: bigint, original: bigint, current: bigint, value: bigint): number {
  return storeCost(original, current, value) + (state.isWarmSlot(address, slot) ? 0 : Gas.coldSlot);
}

/** @see EIP-2200, EIP-2929, EIP-3529 */
export const sstore: Execute = (frame, machine) => {
  const { state } = machine;
  if (frame.context.isStatic) throw invalidCode(0x55);
  if (!frame.meter.exceeds(Gas.slotMinimum)) throw OUT_OF_GAS;
  const slot = frame.pop();
  const value = frame.pop();
  const { address } = frame.context;
  const original = state.originalStorage(address, slot);
  const current = state.storage(address, slot);
  frame.meter.charge(storeGas(machine, address, slot, original, current, value));
  state.refund += storeRefund(original, current, value);
  state.warmSlot(address, slot);
  state.setStorage(address, slot, value);
};

function storeCost(original: bigint, current: bigint, value: bigint): number {
  if (value === current || original !== current) return Gas.warm;
  return original === 0n ? Gas.slotSet : Gas.slotReset;
}

function storeRefund(original: bigint, current: bigint, value: bigint): number {
  if (value === current) return 0;
  if (original === current) return original !== 0n && value === 0n ? Gas.slotClearRefund : 0;
  let refund = 0;
  if (original !== 0n) {
    if (current === 0n) refund -= Gas.slotClearRefund;
    else if (value === 0n) refund += Gas.slotClearRefund;
  }
  if (value === original) refund += original === 0n ? Gas.slotRestoreSetRefund : Gas.slotRestoreRefund;
  return refund;
}

/** LOG with 0 to 4 topics. */
export function log(topicCount: number): Execute {
  return (frame, { state }) => {
    if (frame.context.isStatic) throw invalidCode(0xa0 + topicCount);
    const length = wordToSize(frame.peek(1));
    if (length === Number.POSITIVE_INFINITY) throw OUT_OF_GAS;
    frame.meter.charge(Gas.logByte * length);
    chargeMemory(frame, frame.peek(0), frame.peek(1));
    const offset = frame.pop();
    const data = take(frame, offset, frame.pop());
    const topics = Array.from({ length: topicCount }, () => frame.pop());
    state.logs.push({ address: frame.context.address, topics, data });
  };
}

/** Gas of SELFDESTRUCT, besides its static cost. */
export function selfDestructGas({ state }: StateOnly, address: bigint, beneficiary: bigint): number {
  const isNew = state.balance(address) !== 0n && !state.exists(beneficiary);
  return (isNew ? Gas.newAccount : 0) + (state.isWarmAccount(beneficiary) ? 0 : Gas.coldAccount);
}

/** The account stays until the end of the block. @see docs/protocol/evm-engine.md 2.8 */
export const selfdestruct: Execute = (frame, machine) => {
  const { state } = machine;
  if (frame.context.isStatic) throw invalidCode(0xff);
  const beneficiary = BigInt.asUintN(160, frame.pop());
  const { address } = frame.context;
  frame.meter.charge(selfDestructGas(machine, address, beneficiary));
  state.warmAccount(beneficiary);
  state.selfDestruct(address, beneficiary);
  frame.halt = 'Suicided';
};

import { EMPTY_BYTES } from '../../util/bytes.js';
import { OUT_OF_GAS } from '../failure.js';
import type { Frame } from '../frame.js';
import { Gas, wordCount } from '../gas.js';
import { wordToSize } from '../words.js';

/** Charges and does the growth of the memory until a range fits. @throws {Failure} out of gas */
export function chargeMemory(frame: Frame, offset: bigint, length: bigint): void {
  const cost = frame.memory.growthCost(offset, length);
  if (cost > 0) frame.meter.charge(cost);
  if (length > 0n) frame.memory.grow(Number(offset), Number(length));
}

/** Gas per word of a length. @throws {Failure} out of gas for a length that no gas pays for */
export function wordsCost(length: bigint, perWord: number): number {
  const size = wordToSize(length);
  if (size === Number.POSITIVE_INFINITY) throw OUT_OF_GAS;
  return perWord * wordCount(size);
}

/** Charges a copy into memory: its words and the growth. */
export function chargeCopy(frame: Frame, offset: bigint, length: bigint): void {
  frame.meter.charge(wordsCost(length, Gas.copyWord));
  chargeMemory(frame, offset, length);
}

/** Copies into memory a range of other bytes, which are followed by zeros. */
export function copyInto(frame: Frame, offset: bigint, from: Uint8Array, start: bigint, length: bigint): void {
  if (length === 0n) return;
  frame.memory.copy(Number(offset), from, start > BigInt(from.length) ? from.length : Number(start), Number(length));
}

/** Copy of a range of the memory that is paid for. */
export function take(frame: Frame, offset: bigint, length: bigint): Uint8Array {
  return length === 0n ? EMPTY_BYTES : frame.memory.slice(Number(offset), Number(length));
}

/** A range of the memory without a copy. It is valid until the frame continues; a call that receives it as input ends before that. */
export function lend({ memory }: Frame, offset: bigint, length: bigint): Uint8Array {
  return length === 0n ? EMPTY_BYTES : memory.view(Number(offset), Number(length));
}

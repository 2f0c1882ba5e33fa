import type { Message } from './execute.js';
import { Gas, wordCount } from './gas.js';
import { type ExecutionSteps, finishExecution } from './interpreter.js';

/** The parts of a message on which the gas depends. */
type Priced = Pick<Message, 'to' | 'data' | 'accessList'>;

/** Bytes that are looked at between two points of interruption, in some 0.1 ms. */
const PIECE = 64 * 1024;

/** Zero bytes of data longer than a piece. An estimate executes a message a dozen times. */
const counted = new WeakMap<Uint8Array, number>();

/**
 * Gas that a transaction costs before its first opcode. @see docs/protocol/evm-engine.md 2.2
 * @returns gas, at most 2^53
 */
export function intrinsicGas(message: Priced): number {
  return gasOf(message, finishExecution(zerosInSteps(message.data)));
}

/** {@link intrinsicGas} with points of interruption, because a call may have megabytes of data. */
export function* intrinsicGasInSteps(message: Priced): ExecutionSteps<number> {
  return gasOf(message, yield* zerosInSteps(message.data));
}

function gasOf({ to, data, accessList }: Priced, zeros: number): number {
  const keys = accessList.reduce((sum, item) => sum + item.keys.length, 0);
  const start = to === undefined ? Gas.creationTransaction + Gas.initCodeWord * wordCount(data.length) : Gas.transaction;
  const bytes = Gas.zeroByte * zeros + Gas.otherByte * (data.length - zeros);
  return start + bytes + Gas.accessListAddress * accessList.length + Gas.accessListKey * keys;
}

/** Counts the zero bytes of data. Long data have points of interruption, and need not be counted again. */
export function* zerosInSteps(data: Uint8Array): Generator<undefined, number, unknown> {
  if (data.length <= PIECE) return zerosOf(data);
  const known = counted.get(data);
  if (known !== undefined) return known;
  let zeros = 0;
  for (let from = 0; from < data.length; from += PIECE) {
    zeros += zerosOf(data.subarray(from, from + PIECE));
    yield undefined;
  }
  counted.set(data, zeros);
  return zeros;
}

/** By index, because an iterator takes ten times as long. */
function zerosOf(data: Uint8Array): number {
  let zeros = 0;
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros += 1;
  return zeros;
}

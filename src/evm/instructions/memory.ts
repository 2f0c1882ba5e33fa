import { keccak256 } from '../../crypto/keccak.js';
import { OUT_OF_OFFSET } from '../failure.js';
import { Gas } from '../gas.js';
import type { Execute } from '../machine.js';
import { readWord } from '../words.js';
import { chargeCopy, chargeMemory, copyInto, wordsCost } from './ranges.js';

const WORD = 32n;
/** Bytes beyond which a hash takes milliseconds. */
const LONG_HASH = 65_536n;

export const mload: Execute = (frame) => {
  chargeMemory(frame, frame.peek(0), WORD);
  frame.push(frame.memory.readWord(Number(frame.pop())));
};

export const mstore: Execute = (frame) => {
  chargeMemory(frame, frame.peek(0), WORD);
  const offset = Number(frame.pop());
  frame.memory.writeWord(offset, frame.pop());
};

export const mstore8: Execute = (frame) => {
  chargeMemory(frame, frame.peek(0), 1n);
  const offset = Number(frame.pop());
  frame.memory.writeByte(offset, Number(frame.pop() & 0xffn));
};

export const msize: Execute = (frame) => frame.push(BigInt(frame.memory.size));

export const keccak: Execute = (frame, machine) => {
  frame.meter.charge(wordsCost(frame.peek(1), Gas.hashWord));
  chargeMemory(frame, frame.peek(0), frame.peek(1));
  const offset = frame.pop();
  const length = frame.pop();
  if (length > LONG_HASH) {
    machine.child = { kind: 'hash', data: frame.memory.view(Number(offset), Number(length)) };
    return;
  }
  frame.push(readWord(keccak256(frame.memory.view(length === 0n ? 0 : Number(offset), Number(length))), 0));
};

export const calldataload: Execute = (frame) => {
  const offset = frame.pop();
  const { data } = frame.context;
  frame.push(offset >= BigInt(data.length) ? 0n : readWord(data, Number(offset)));
};

export const calldatasize: Execute = (frame) => frame.push(BigInt(frame.context.data.length));
export const codesize: Execute = (frame) => frame.push(BigInt(frame.code.size));
export const returndatasize: Execute = (frame) => frame.push(BigInt(frame.returned.length));

export const calldatacopy: Execute = (frame) => {
  chargeCopy(frame, frame.peek(0), frame.peek(2));
  copyInto(frame, frame.pop(), frame.context.data, frame.pop(), frame.pop());
};

export const codecopy: Execute = (frame) => {
  chargeCopy(frame, frame.peek(0), frame.peek(2));
  copyInto(frame, frame.pop(), frame.code.bytes, frame.pop(), frame.pop());
};

/** Reading beyond the end of the output fails, also for no bytes. */
export const returndatacopy: Execute = (frame) => {
  chargeCopy(frame, frame.peek(0), frame.peek(2));
  const offset = frame.pop();
  const start = frame.pop();
  const length = frame.pop();
  if (start + length > BigInt(frame.returned.length)) throw OUT_OF_OFFSET;
  copyInto(frame, offset, frame.returned, start, length);
};

import { INVALID_JUMP } from '../failure.js';
import type { Frame } from '../frame.js';
import type { Execute } from '../machine.js';
import { wordOfByte } from '../words.js';
import { chargeMemory, take } from './ranges.js';

export const stop: Execute = (frame) => {
  frame.halt = 'Stopped';
};

export const pop: Execute = (frame) => {
  frame.height -= 1;
};

export const pc: Execute = (frame) => frame.push(BigInt(frame.pc - 1));
export const gas: Execute = (frame) => frame.push(frame.meter.left);
export const jumpdest: Execute = () => {};

export const jump: Execute = (frame) => jumpTo(frame, frame.pop());

/** The target is looked at only if the condition holds. */
export const jumpi: Execute = (frame) => {
  const target = frame.pop();
  if (frame.pop() !== 0n) jumpTo(frame, target);
};

function jumpTo(frame: Frame, target: bigint): void {
  if (target > 0xffffffffn || !frame.code.isTarget(Number(target))) throw INVALID_JUMP;
  frame.pc = Number(target);
}

/** PUSH of 0 to 32 bytes. */
export function push(size: number): Execute {
  if (size === 0) return (frame) => frame.push(0n);
  if (size === 1)
    return (frame) => {
      frame.push(wordOfByte(frame.code.bytes[frame.pc] ?? 0));
      frame.pc += 1;
    };
  return (frame) => {
    frame.push(frame.code.pushed(frame.pc, size));
    frame.pc += size;
  };
}

/** DUP of the entry at a position counted from 1. */
export function dup(position: number): Execute {
  return (frame) => frame.push(frame.stack[frame.height - position] as bigint);
}

/** SWAP of the top with the entry at a position counted from 1 below it. */
export function swap(position: number): Execute {
  return ({ stack, height }) => {
    const top = stack[height - 1] as bigint;
    stack[height - 1] = stack[height - 1 - position] as bigint;
    stack[height - 1 - position] = top;
  };
}

export const returnOutput: Execute = halting('Returned');
export const revert: Execute = halting('Reverted');

function halting(halt: 'Returned' | 'Reverted'): Execute {
  return (frame) => {
    chargeMemory(frame, frame.peek(0), frame.peek(1));
    const offset = frame.pop();
    frame.output = take(frame, offset, frame.pop());
    frame.halt = halt;
  };
}

import { EMPTY_BYTES } from '../util/bytes.js';
import type { Code } from './code.js';
import { Memory } from './memory.js';
import { Meter } from './meter.js';
import type { ChildCall, ChildCreation } from './requests.js';
import type { Snapshot } from './state/transaction-state.js';

/** Contract that runs, and its input. Addresses are numbers. */
export interface CallContext {
  /** Account whose balance and storage the code uses. */
  readonly address: bigint;
  readonly caller: bigint;
  /** Wei that the code sees; DELEGATECALL inherits it. */
  readonly value: bigint;
  readonly data: Uint8Array;
  /** True if the code must not change the state. */
  readonly isStatic: boolean;
  /** The first frame is 0. */
  readonly depth: number;
}

/** End of a frame without a failure. */
export type Halt = 'Stopped' | 'Returned' | 'Suicided' | 'Reverted';

/** Execution of the code of one contract. */
export class Frame {
  readonly meter: Meter;
  readonly memory: Memory = new Memory();
  /** Operand stack; `height` entries are in use. */
  readonly stack: bigint[] = [];
  height = 0;
  /** Position of the next opcode. */
  pc = 0;
  /** Output of the last child frame. */
  returned: Uint8Array = EMPTY_BYTES;
  /** Undefined while the frame runs. */
  halt: Halt | undefined;
  output: Uint8Array = EMPTY_BYTES;

  constructor(
    readonly code: Code,
    readonly context: CallContext,
    /** State before the frame. */
    readonly snapshot: Snapshot,
    /** Call or creation that the frame executes. */
    readonly request: ChildCall | ChildCreation,
  ) {
    this.meter = new Meter(request.gas);
  }

  pop(): bigint {
    this.height -= 1;
    return this.stack[this.height] as bigint;
  }

  push(word: bigint): void {
    this.stack[this.height] = word;
    this.height += 1;
  }

  /** Entry below the top without removing it; the top is 0. */
  peek(depth: number): bigint {
    return this.stack[this.height - 1 - depth] as bigint;
  }
}

import { EMPTY_BYTES } from '../../util/bytes.js';
import { type Failure, STACK_UNDERFLOW } from '../failure.js';
import type { Frame } from '../frame.js';
import { Gas, wordCount } from '../gas.js';
import { Op } from '../instructions/operands.js';
import { INSTRUCTIONS } from '../instructions/table.js';
import type { Exit } from '../interpreter.js';
import type { Machine } from '../machine.js';
import { memoryCost } from '../memory.js';
import type { ChildCall, ChildCreation } from '../requests.js';
import { WordMap } from '../word-map.js';
import { isBeyondMemory, isCore, isNesting, isRefused, isUnnoted, opcodeName, operandsOf } from './opcodes.js';
import { costWithoutMemory } from './refused-cost.js';
import { type Tracer, TraceTooLong } from './tracer.js';

/** An opcode that was executed. */
export interface StructLog {
  /** The first frame is 1. */
  readonly depth: number;
  /** Before the opcode. */
  readonly gas: bigint;
  /** Without growth of the memory and without the gas of calls. */
  readonly gasCost: bigint;
  /** Bytes that were written so far, from offset 0. */
  readonly memory: Uint8Array | undefined;
  readonly op: string;
  readonly pc: number;
  /** The top is last. */
  readonly stack: readonly bigint[] | undefined;
  /** Slots that the frame has read or written, ascending. */
  readonly storage: readonly (readonly [bigint, bigint])[] | undefined;
}

export interface StepTracerOptions {
  readonly disableStorage: boolean;
  readonly disableMemory: boolean;
  readonly disableStack: boolean;
  /** Bytes of memory and storage, and entries of stacks, that a trace may contain. */
  readonly maxSize: number;
  /** Characters that the trace may have as JSON. Beyond them the opcodes are not kept, only counted for the other limit. */
  readonly maxLength: number;
}

type Slots = WordMap<bigint>;
type Step = Omit<StructLog, 'storage'>;

/** A frame, as the tracer of `defid` sees it. */
interface Context {
  readonly address: bigint;
  readonly slots: Slots;
  /** `slots` in order; undefined after a change. */
  sorted: StructLog['storage'];
  /** Slots of other accounts that frames below have changed. */
  readonly others: WordMap<Slots>;
  /** Opcode whose end was not reported yet. */
  step: Step | undefined;
}

/** Characters of a step without its lists, and of a word in them. */
const STEP_LENGTH = 80;
const WORD_LENGTH = 67;
const SLOT_SIZE = 64;
const WORD_BYTES = 32;

/**
 * Trace of each opcode, as the tracer of `defid` gives it. Opcodes that are refused for their cost are not in it. Depth and storage are
 * those of a context that has ended, or never existed, after a call of a precompiled contract, after a refused creation, and after a frame
 * that ends by a failure or by SELFDESTRUCT.
 * @see docs/protocol/evm-engine.md 10.9
 */
export class StepTracer implements Tracer {
  readonly #logs: StructLog[] = [];
  /** Output of the first frame. */
  returnValue: Uint8Array = EMPTY_BYTES;
  readonly #contexts: Context[] = [];
  /** True if the next opcode begins a context. */
  #isEntering = false;
  #size = 0;
  #length = 0;
  /** End of the bytes that a frame has written. */
  readonly #written = new WeakMap<Frame, number>();
  #before = { gas: 0n, memory: 0, height: 0, operands: [] as readonly bigint[] };

  constructor(private readonly options: StepTracerOptions) {}

  /** Opcodes in the order of execution. @throws {TraceTooLong} if they are longer than the options allow */
  get logs(): readonly StructLog[] {
    if (this.#isTooLong) throw new TraceTooLong('length');
    return this.#logs;
  }

  /** Characters that the trace has at least as JSON. */
  get length(): number {
    return this.#length;
  }

  get #isTooLong(): boolean {
    return this.#length > this.options.maxLength;
  }

  start(): void {
    this.#isEntering = true;
  }

  step(frame: Frame, op: number): void {
    this.#before = { gas: frame.meter.left, memory: frame.memory.size, height: frame.height, operands: operandsOf(frame) };
    if (this.#isEntering) {
      this.#isEntering = false;
      const { address } = frame.context;
      this.#contexts.push({ address, slots: new WordMap<bigint>(), sorted: undefined, others: new WordMap<Slots>(), step: undefined });
    }
    const context = this.#contexts.at(-1);
    if (!context) return;
    const { disableMemory, disableStack } = this.options;
    const written = this.#written.get(frame) ?? 0;
    this.#grow((disableMemory ? 0 : written) + (disableStack ? 0 : frame.height));
    const memory = disableMemory || this.#isTooLong ? undefined : frame.memory.slice(0, written);
    const stack = disableStack || this.#isTooLong ? undefined : frame.stack.slice(0, frame.height);
    const gasCost = BigInt(INSTRUCTIONS[op]?.cost ?? 0);
    const { gas } = this.#before;
    context.step = { depth: this.#contexts.length, gas, gasCost, memory, op: opcodeName(op), pc: frame.pc, stack };
  }

  stepped(frame: Frame, op: number, machine: Machine, failure: Failure | undefined): void {
    const context = this.#contexts.at(-1);
    if (failure && isRefused(op, failure, this.#before.height)) {
      // `defid` shows the refused opcode only if the frame above has no opcode after the call.
      if (context?.step) context.step = { ...context.step, ...this.#refused(frame, op, machine, failure) };
      return;
    }
    if (context?.step) context.step = { ...context.step, gasCost: this.#costOf(frame, op, machine, failure) };
    this.#report();
    if (isCore(op)) {
      if (failure || frame.halt) this.#exit(!failure && frame.halt !== 'Reverted', frame.output);
    } else if (isNesting(op)) this.#isEntering = true;
    if (!failure) this.#note(frame, op);
  }

  /** Gas and cost of an opcode that was refused. If its gas did not suffice, `defid` has noted the cost without memory. */
  #refused({ context }: Frame, op: number, machine: Machine, failure: Failure): Partial<Step> {
    const { operands } = this.#before;
    if (isUnnoted(op, failure, this.#before)) return { gas: 0n, gasCost: 0n };
    if (failure.kind !== 'OutOfGas' || isBeyondMemory(op, operands)) return {};
    return { gasCost: costWithoutMemory(op, operands, context.address, machine) };
  }

  ranOff(): void {
    this.#report();
    this.#exit(true, EMPTY_BYTES);
  }

  enter(): void {}

  leave({ output }: Exit, request: ChildCall | ChildCreation | undefined, parent: Frame | undefined): void {
    if (!parent || request?.kind !== 'call') return;
    this.#write(parent, request.outputOffset, Math.min(request.outputLength, output.length));
  }

  /** Adds the opcode that has ended. */
  #report(): void {
    const context = this.#contexts.at(-1);
    const step = context?.step;
    if (!context || !step) return;
    context.step = undefined;
    let storage: StructLog['storage'];
    if (!this.options.disableStorage) this.#grow(SLOT_SIZE * context.slots.size);
    if (this.#isTooLong) return;
    if (!this.options.disableStorage) {
      context.sorted ??= [...context.slots].sort(([a], [b]) => (a < b ? -1 : 1));
      storage = context.sorted;
    }
    const words = wordCount(step.memory?.length ?? 0) + (step.stack?.length ?? 0) + 2 * (storage?.length ?? 0);
    this.#length += STEP_LENGTH + WORD_LENGTH * words;
    if (this.#isTooLong) this.#logs.length = 0;
    else this.#logs.push({ ...step, storage });
  }

  #costOf(frame: Frame, op: number, machine: Machine, failure: Failure | undefined): bigint {
    const { child } = machine;
    const { gas, memory, operands } = this.#before;
    // The growth of the memory was charged, but not done.
    if (failure === STACK_UNDERFLOW) return costWithoutMemory(op, operands, frame.context.address, machine);
    if (op === Op.create) return BigInt(Gas.create);
    if (op === Op.create2) return BigInt(Gas.create + Gas.hashWord * wordCount(Number(operands[2])));
    const growth = memoryCost(wordCount(frame.memory.size)) - memoryCost(wordCount(memory));
    const forwarded = child?.kind === 'call' ? child.gas - stipendOf(child) : 0n;
    return gas - frame.meter.left - BigInt(growth) - forwarded;
  }

  /** Ends the last context. Its reads and writes are visible to its parent, unless it failed. */
  #exit(isSuccess: boolean, output: Uint8Array): void {
    const context = this.#contexts.pop();
    if (!context) return;
    const parent = this.#contexts.at(-1);
    if (!parent) this.returnValue = output;
    else if (isSuccess && !this.options.disableStorage) merge(context, parent);
  }

  #note(frame: Frame, op: number): void {
    const [first = 0n, second = 0n, third = 0n, fourth = 0n] = this.#before.operands;
    if (op === Op.sload) this.#noteSlot(first, frame.peek(0));
    else if (op === Op.sstore) this.#noteSlot(first, second);
    else if (op === Op.mstore) this.#write(frame, Number(first), WORD_BYTES);
    else if (op === Op.mstore8) this.#write(frame, Number(first), 1);
    else if (op === Op.calldatacopy || op === Op.codecopy || op === Op.returndatacopy) this.#write(frame, Number(first), Number(third));
    else if (op === Op.extcodecopy) this.#write(frame, Number(second), Number(fourth));
  }

  #noteSlot(slot: bigint, value: bigint): void {
    const context = this.#contexts.at(-1);
    if (!context || this.options.disableStorage) return;
    context.slots.set(slot, value);
    context.sorted = undefined;
  }

  #write(frame: Frame, offset: number, length: number): void {
    if (length > 0) this.#written.set(frame, Math.max(this.#written.get(frame) ?? 0, offset + length));
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size > this.options.maxSize) throw new TraceTooLong('size');
  }
}

function stipendOf({ transfers, value }: ChildCall): bigint {
  return transfers && value !== 0n ? BigInt(Gas.stipend) : 0n;
}

/**
 * Updates the slots that the parent knows, if the child belongs to the same account; otherwise the changes wait for an ancestor of that
 * account. The maps of the child are reused, because copies for each of thousands of children would take seconds.
 */
function merge({ address, slots, others }: Context, parent: Context): void {
  others.set(address, slots);
  for (const [account, changed] of others) {
    if (account === parent.address) {
      for (const [slot, value] of changed) if (parent.slots.has(slot)) parent.slots.set(slot, value);
      parent.sorted = undefined;
      continue;
    }
    const known = parent.others.get(account);
    if (known) for (const [slot, value] of changed) known.set(slot, value);
    else parent.others.set(account, changed);
  }
}

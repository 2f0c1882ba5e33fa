import { keccak256 } from '../crypto/keccak.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import { Code } from './code.js';
import {
  CALL_TOO_DEEP,
  CREATE_COLLISION,
  CREATE_CONTRACT_LIMIT,
  Failure,
  invalidCode,
  OUT_OF_FUND,
  OUT_OF_GAS,
  STACK_OVERFLOW,
} from './failure.js';
import { type CallContext, Frame, type Halt } from './frame.js';
import { Gas, MAX_CODE_SIZE, MAX_DEPTH } from './gas.js';
import { failForOperands } from './instructions/operands.js';
import { INSTRUCTIONS } from './instructions/table.js';
import type { Environment, Machine, Precompile } from './machine.js';
import type { ChildCall, ChildCreation, ChildHash, ChildRequest } from './requests.js';
import type { Snapshot, TransactionState } from './state/transaction-state.js';
import { failureInStaticFrame, isWriting, operandsOf } from './tracing/opcodes.js';
import type { Tracer } from './tracing/tracer.js';
import { readWord } from './words.js';

const STACK_LIMIT = 1024;
/** First byte that code must not have. @see EIP-3541 */
const RESERVED_BYTE = 0xef;

/** End of a frame. */
export interface Exit {
  readonly kind: Halt | Failure;
  readonly gasLeft: bigint;
  /** Returned or reverted data; empty after a failure and after a creation that succeeds. */
  readonly output: Uint8Array;
}

/** Gas between two points of interruption: far less than a millisecond of ordinary opcodes. */
const GAS_PER_STEP = 20_000;
/** Least gas that each call counts as towards the next point of interruption, so that calls without cost reach one too. */
const GAS_PER_CALL = 100;

/** A long computation that depends on its input alone: a precompiled contract, or Keccak-256. */
export interface LongWork {
  /** Address of the contract; `keccak` for the hash. */
  readonly name: bigint | 'keccak';
  readonly data: Uint8Array;
}

/** Result of long work: its output, or the failure of a precompiled contract. */
export type WorkResult = Uint8Array | Failure;

/** Starts long work in another thread. @returns undefined for work that is short enough to be done here */
export type Offload = (work: LongWork, cost: number) => Promise<WorkResult> | undefined;

/** An execution that can be interrupted. It yields promises of long work, which the caller awaits and hands back, or undefined. */
export type ExecutionSteps<T> = Generator<Promise<WorkResult> | undefined, T, WorkResult | undefined>;

/** Runs all steps synchronously. There must be no `Offload`. */
export function finishExecution<T>(steps: ExecutionSteps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Precompiled contract at an address.
 * @param context account in whose name it runs
 * @returns undefined for ordinary accounts
 */
export type FindPrecompile = (codeAddress: bigint, context: Pick<CallContext, 'address' | 'caller'>) => Precompile | undefined;

/** Long work that a request waits for, and its end. */
interface Waiting {
  readonly work: Promise<WorkResult>;
  exitOf(result: WorkResult): Exit;
}

/** Optional parts of an execution. */
export interface InterpreterOptions {
  readonly tracer?: Tracer | undefined;
  readonly offload?: Offload | undefined;
}

/** True for an end that keeps the changes of the frame. */
export function isSuccess({ kind }: Pick<Exit, 'kind'>): boolean {
  return kind === 'Stopped' || kind === 'Returned' || kind === 'Suicided';
}

/**
 * Runs code, one frame for each contract that calls another. Frames are kept in a list instead of on the stack of the process, so
 * that no depth of calls can overflow it. @see docs/protocol/evm-engine.md 2
 */
export class Interpreter implements Machine {
  child: ChildRequest | undefined;
  readonly #frames: Frame[] = [];
  /** Gas until the next point of interruption. */
  #gasToPause = GAS_PER_STEP;
  readonly #tracer: Tracer | undefined;
  readonly #offload: Offload | undefined;

  constructor(
    readonly state: TransactionState,
    readonly environment: Environment,
    private readonly findPrecompile: FindPrecompile,
    { tracer, offload }: InterpreterOptions = {},
  ) {
    this.#tracer = tracer;
    this.#offload = offload;
  }

  /** Runs the call or creation of a transaction with all calls below it; may be interrupted. @param caller sender */
  *steps(request: ChildCall | ChildCreation, caller: bigint): ExecutionSteps<Exit> {
    let ended: ChildRequest = request;
    let entered = this.#enter(request, caller, 0);
    for (;;) {
      const exit: Exit | undefined = entered && 'work' in entered ? entered.exitOf((yield entered.work) as WorkResult) : entered;
      const frame = this.#frames.at(-1);
      if (exit) {
        if (ended.kind !== 'hash') this.#tracer?.leave(exit, ended, frame);
        if (!frame) return exit;
        resume(frame, exit, ended);
      }
      if (this.#gasToPause <= 0) {
        yield;
        this.#gasToPause = GAS_PER_STEP;
      }
      const { request: running, context } = frame as Frame;
      const kind = this.#execute(frame as Frame);
      const { child } = this;
      if (kind !== undefined) {
        this.#frames.pop();
        ended = running;
        entered = this.#leave(frame as Frame, kind);
      } else if (child) {
        this.child = undefined;
        ended = child;
        entered = this.#enter(child, context.address, context.depth + 1);
      } else entered = undefined;
    }
  }

  /** @returns the end of a request for which no frame is needed */
  #enter(request: ChildRequest, caller: bigint, depth: number): Exit | Waiting | undefined {
    if (request.kind === 'hash') return this.#hash(request);
    this.#tracer?.enter(request, caller, this.#frames.at(-1));
    const snapshot = this.state.snapshot();
    if (request.kind === 'call') return this.#enterCall(request, depth, snapshot);
    return this.#enterCreation(request, caller, depth, snapshot);
  }

  #enterCall(request: ChildCall, depth: number, snapshot: Snapshot): Exit | Waiting | undefined {
    const { state } = this;
    const { address, caller, value, data, gas, codeAddress, isStatic } = request;
    state.touch(address);
    if (depth > MAX_DEPTH) return this.#failed(refused(CALL_TOO_DEEP, gas), snapshot);
    if (request.transfers && !state.transfer(caller, address, value)) return this.#failed(refused(OUT_OF_FUND, gas), snapshot);
    const precompile = this.findPrecompile(codeAddress, request);
    if (precompile) return this.#runPrecompile(precompile, request, snapshot);
    const code = state.code(codeAddress);
    // A tracer observes the end of a frame, so it needs one.
    if (code.size === 0 && !this.#tracer) return returned('Stopped', gas, EMPTY_BYTES);
    const context = { address, caller, value, data, isStatic, depth };
    this.#frames.push(new Frame(code, context, snapshot, request));
    return undefined;
  }

  #enterCreation(request: ChildCreation, caller: bigint, depth: number, snapshot: Snapshot): Exit | undefined {
    const { state } = this;
    const { address, value, code } = request;
    if (state.code(address).size > 0 || state.nonce(address) > 0n) return this.#failed(refused(CREATE_COLLISION, 0n), snapshot);
    state.create(address);
    state.transfer(caller, address, value);
    const context = { address, caller, value, data: EMPTY_BYTES, isStatic: false, depth };
    this.#frames.push(new Frame(code, context, snapshot, request));
    return undefined;
  }

  #runPrecompile(precompile: Precompile, request: ChildCall, snapshot: Snapshot): Exit | Waiting {
    const { data, gas, caller, address, codeAddress } = request;
    const ended = (run: () => WorkResult, cost: number): Exit => {
      const output = failureOr(run);
      this.#gasToPause -= cost;
      if (output instanceof Failure) return this.#failed(refused(output, 0n), snapshot);
      return returned('Returned', gas - BigInt(cost), output);
    };
    const cost = failureOr(() => precompile.cost(data));
    if (cost instanceof Failure) return this.#failed(refused(cost, 0n), snapshot);
    const isPaid = BigInt(cost) <= gas;
    if (isPaid || !precompile.comparesFirst) this.#tracer?.charged?.(gas);
    if (!isPaid) return this.#failed(refused(OUT_OF_GAS, 0n), snapshot);
    const work = this.#offload?.({ name: codeAddress, data }, cost);
    if (work) return { work, exitOf: (result) => ended(() => result, cost) };
    return ended(() => precompile.run(data, { state: this.state, caller, address }), cost);
  }

  #hash({ data }: ChildHash): Exit | Waiting {
    const work = this.#offload?.({ name: 'keccak', data }, 0);
    if (work) return { work, exitOf: (result) => returned('Returned', 0n, result as Uint8Array) };
    return returned('Returned', 0n, keccak256(data));
  }

  /** Reverts the changes of a request that failed before its first opcode. */
  #failed(exit: Exit, snapshot: Snapshot): Exit {
    this.state.rollback(snapshot);
    return exit;
  }

  /** Runs opcodes. @returns the end of the frame; undefined if it calls another or is interrupted */
  #execute(frame: Frame): Halt | Failure | undefined {
    const { meter } = frame;
    const before = meter.gas;
    try {
      return this.#tracer ? this.#runTraced(frame, this.#tracer) : this.#runOpcodes(frame);
    } catch (error) {
      return asFailure(error);
    } finally {
      const forwarded = this.child && this.child.kind !== 'hash' ? Number(this.child.gas) : 0;
      this.#gasToPause -= Math.max(before - meter.gas - forwarded, GAS_PER_CALL);
    }
  }

  #runOpcodes(frame: Frame): Halt | undefined {
    const { meter } = frame;
    const { bytes } = frame.code;
    const floor = meter.gas - this.#gasToPause;
    while (frame.pc < bytes.length) {
      if (meter.gas < floor) return undefined;
      const op = bytes[frame.pc] as number;
      const instruction = INSTRUCTIONS[op];
      if (instruction === undefined) throw failureOfUndefined(frame, op);
      if (frame.height < instruction.operands) failForOperands(frame, op, instruction.cost);
      meter.gas -= instruction.cost;
      if (meter.gas < 0) meter.refill();
      if (frame.height + instruction.growth > STACK_LIMIT) throw STACK_OVERFLOW;
      frame.pc += 1;
      instruction.execute(frame, this);
      if (frame.halt !== undefined) return frame.halt;
      if (this.child !== undefined) return undefined;
    }
    // Running off the end of the code stops it without a check of the gas.
    return 'Stopped';
  }

  /** Runs opcodes one by one, as `#runOpcodes` does, and reports each. */
  #runTraced(frame: Frame, tracer: Tracer): Halt | undefined {
    const { bytes } = frame.code;
    const floor = frame.meter.gas - this.#gasToPause;
    while (frame.pc < bytes.length) {
      if (frame.meter.gas < floor) return undefined;
      const op = bytes[frame.pc] as number;
      tracer.step(frame, op, this);
      const forbidden = frame.context.isStatic && isWriting(op) ? failureInStaticFrame(op, operandsOf(frame)) : undefined;
      try {
        this.#runOpcode(frame, op);
      } catch (error) {
        const reason = asFailure(error);
        const failure = forbidden ?? reason;
        tracer.stepped(frame, op, this, failure);
        throw failure;
      }
      tracer.stepped(frame, op, this, undefined);
      if (frame.halt !== undefined) return frame.halt;
      if (this.child !== undefined) return undefined;
    }
    tracer.ranOff(frame);
    return 'Stopped';
  }

  #runOpcode(frame: Frame, op: number): void {
    const instruction = INSTRUCTIONS[op];
    if (instruction === undefined) throw failureOfUndefined(frame, op);
    if (frame.height < instruction.operands) failForOperands(frame, op, instruction.cost);
    frame.meter.charge(instruction.cost);
    if (frame.height + instruction.growth > STACK_LIMIT) throw STACK_OVERFLOW;
    frame.pc += 1;
    instruction.execute(frame, this);
  }

  #leave(frame: Frame, kind: Halt | Failure): Exit {
    const exit = this.#exitOf(frame, kind);
    if (!isSuccess(exit)) this.state.rollback(frame.snapshot);
    else if (frame.request.kind === 'create') this.state.setCode(frame.request.address, new Code(frame.output));
    return exit;
  }

  #exitOf(frame: Frame, kind: Halt | Failure): Exit {
    if (kind instanceof Failure) return refused(kind, 0n);
    if (kind === 'Reverted' || frame.request.kind === 'call') return returned(kind, frame.meter.left, frame.output);
    const failure = deposit(frame);
    return failure ? refused(failure, 0n) : returned(kind, frame.meter.left, EMPTY_BYTES);
  }
}

/** Failure of an opcode that is not defined. `defid` looks at a drained meter first. */
function failureOfUndefined({ meter }: Frame, op: number): Failure {
  return meter.gas < 0 ? OUT_OF_GAS : invalidCode(op);
}

/** Charges the code that a creation returns. @returns a reason to refuse it */
function deposit({ output, meter }: Frame): Failure | undefined {
  if (output[0] === RESERVED_BYTE) return invalidCode(RESERVED_BYTE);
  if (output.length > MAX_CODE_SIZE) return CREATE_CONTRACT_LIMIT;
  try {
    meter.charge(Gas.codeByte * output.length);
    return undefined;
  } catch (error) {
    return asFailure(error);
  }
}

/** Hands the end of a child frame to its parent. */
function resume(frame: Frame, exit: Exit, request: ChildRequest): void {
  if (request.kind === 'hash') {
    frame.push(readWord(exit.output, 0));
    return;
  }
  frame.meter.giveBack(exit.gasLeft);
  frame.returned = exit.output;
  if (request.kind === 'create') {
    frame.push(isSuccess(exit) ? request.address : 0n);
    return;
  }
  const length = Math.min(request.outputLength, exit.output.length);
  if (length > 0) frame.memory.copy(request.outputOffset, exit.output, 0, length);
  frame.push(isSuccess(exit) ? 1n : 0n);
}

function returned(kind: Halt, gasLeft: bigint, output: Uint8Array): Exit {
  return { kind, gasLeft, output };
}

function refused(kind: Failure, gasLeft: bigint): Exit {
  return { kind, gasLeft, output: EMPTY_BYTES };
}

/** Result of a step, or the failure that it throws. */
function failureOr<T>(step: () => T): T | Failure {
  try {
    return step();
  } catch (error) {
    return asFailure(error);
  }
}

/** The failure that was thrown. Anything else is a fault of this program and is no verdict on a contract. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

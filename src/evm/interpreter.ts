import { EMPTY_BYTES } from '../util/bytes.js';
import { Code } from './code.js';
import { CREATE_COLLISION, CREATE_CONTRACT_LIMIT, Failure, invalidCode, OUT_OF_GAS, STACK_OVERFLOW, STACK_UNDERFLOW } from './failure.js';
import { type CallContext, Frame, type Halt } from './frame.js';
import { Gas, MAX_CODE_SIZE, MAX_DEPTH } from './gas.js';
import { INSTRUCTIONS } from './instructions/table.js';
import type { Environment, Machine, Precompile } from './machine.js';
import type { ChildCall, ChildCreation } from './requests.js';
import type { Snapshot, TransactionState } from './state/transaction-state.js';

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

/** Called before each opcode of a traced execution. */
export type OnStep = (frame: Frame, op: number) => void;

/**
 * Precompiled contract at an address.
 * @param context account in whose name it runs
 * @returns undefined for ordinary accounts
 */
export type FindPrecompile = (codeAddress: bigint, context: Pick<CallContext, 'address' | 'caller'>) => Precompile | undefined;

interface Finished {
  readonly exit: Exit;
  readonly request: ChildCall | ChildCreation;
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
  child: ChildCall | ChildCreation | undefined;
  readonly #frames: Frame[] = [];

  constructor(
    readonly state: TransactionState,
    readonly environment: Environment,
    private readonly findPrecompile: FindPrecompile,
    private readonly onStep?: OnStep,
  ) {}

  /** Runs the call or creation of a transaction with all calls below it. @param caller sender */
  run(request: ChildCall | ChildCreation, caller: bigint): Exit {
    let finished = this.#enter(request, caller, 0);
    for (;;) {
      const frame = this.#frames.at(-1);
      if (finished) {
        if (!frame) return finished.exit;
        resume(frame, finished);
      }
      finished = this.#advance(frame as Frame);
    }
  }

  /** Runs a frame until it ends or calls another. @returns the frame that ended; undefined if one was entered */
  #advance(frame: Frame): Finished | undefined {
    const kind = this.#execute(frame);
    if (kind !== undefined) {
      this.#frames.pop();
      return { exit: this.#leave(frame, kind), request: frame.request };
    }
    const request = this.child as ChildCall | ChildCreation;
    this.child = undefined;
    return this.#enter(request, frame.context.address, frame.context.depth + 1);
  }

  /** @returns the end of a request for which no frame is needed */
  #enter(request: ChildCall | ChildCreation, caller: bigint, depth: number): Finished | undefined {
    const snapshot = this.state.snapshot();
    const exit =
      request.kind === 'call' ? this.#enterCall(request, depth, snapshot) : this.#enterCreation(request, caller, depth, snapshot);
    if (exit && !isSuccess(exit)) this.state.rollback(snapshot);
    return exit && { exit, request };
  }

  #enterCall(request: ChildCall, depth: number, snapshot: Snapshot): Exit | undefined {
    const { state } = this;
    const { address, caller, value, data, gas, codeAddress, isStatic } = request;
    state.touch(address);
    if (depth > MAX_DEPTH || (request.transfers && !state.transfer(caller, address, value))) return returned('Reverted', gas);
    const precompile = this.findPrecompile(codeAddress, request);
    if (precompile) return this.#runPrecompile(precompile, request);
    const context = { address, caller, value, data, isStatic, depth };
    this.#frames.push(new Frame(state.code(codeAddress), context, snapshot, request));
    return undefined;
  }

  #enterCreation(request: ChildCreation, caller: bigint, depth: number, snapshot: Snapshot): Exit | undefined {
    const { state } = this;
    const { address, value, code } = request;
    if (state.code(address).size > 0 || state.nonce(address) > 0n) return failed(CREATE_COLLISION);
    state.create(address);
    state.transfer(caller, address, value);
    const context = { address, caller, value, data: EMPTY_BYTES, isStatic: false, depth };
    this.#frames.push(new Frame(code, context, snapshot, request));
    return undefined;
  }

  #runPrecompile(precompile: Precompile, { data, gas, caller, address }: ChildCall): Exit {
    try {
      const cost = BigInt(precompile.cost(data));
      if (cost > gas) return failed(OUT_OF_GAS);
      return { kind: 'Returned', gasLeft: gas - cost, output: precompile.run(data, { state: this.state, caller, address }) };
    } catch (error) {
      return failed(asFailure(error));
    }
  }

  /** Runs opcodes. @returns the end of the frame; undefined if it calls another */
  #execute(frame: Frame): Halt | Failure | undefined {
    try {
      return this.#runOpcodes(frame);
    } catch (error) {
      return asFailure(error);
    }
  }

  #runOpcodes(frame: Frame): Halt | undefined {
    const { meter, onStep } = { meter: frame.meter, onStep: this.onStep };
    const { bytes } = frame.code;
    while (frame.pc < bytes.length) {
      const op = bytes[frame.pc] as number;
      onStep?.(frame, op);
      const instruction = INSTRUCTIONS[op];
      if (instruction === undefined) throw invalidCode(op);
      meter.gas -= instruction.cost;
      if (meter.gas < 0) meter.refill();
      if (frame.height < instruction.operands) throw STACK_UNDERFLOW;
      if (frame.height + instruction.growth > STACK_LIMIT) throw STACK_OVERFLOW;
      frame.pc += 1;
      instruction.execute(frame, this);
      if (frame.halt !== undefined) return frame.halt;
      if (this.child !== undefined) return undefined;
    }
    // Running off the end of the code stops it without a check of the gas.
    return 'Stopped';
  }

  #leave(frame: Frame, kind: Halt | Failure): Exit {
    const exit = this.#exitOf(frame, kind);
    if (!isSuccess(exit)) this.state.rollback(frame.snapshot);
    else if (frame.request.kind === 'create') this.state.setCode(frame.request.address, new Code(frame.output));
    return exit;
  }

  #exitOf(frame: Frame, kind: Halt | Failure): Exit {
    if (kind instanceof Failure) return failed(kind);
    if (kind === 'Reverted' || frame.request.kind === 'call') return { kind, gasLeft: frame.meter.left, output: frame.output };
    const refused = deposit(frame);
    return refused ? failed(refused) : returned(kind, frame.meter.left);
  }
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
function resume(frame: Frame, { exit, request }: Finished): void {
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

function returned(kind: Halt, gasLeft: bigint): Exit {
  return { kind, gasLeft, output: EMPTY_BYTES };
}

function failed(kind: Failure): Exit {
  return { kind, gasLeft: 0n, output: EMPTY_BYTES };
}

/** The failure that was thrown. Anything else is a fault of this program and is no verdict on a contract. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

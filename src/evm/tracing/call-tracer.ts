import { EMPTY_BYTES } from '../../util/bytes.js';
import type { Message } from '../execute.js';
import { CALL_TOO_DEEP, CREATE_CONTRACT_LIMIT, type Failure, MAX_NONCE, OUT_OF_FUND, OUT_OF_GAS } from '../failure.js';
import type { Frame, Halt } from '../frame.js';
import { Gas, MAX_DEPTH, MAX_INIT_CODE_SIZE, wordCount } from '../gas.js';
import { createAddress, saltedAddress } from '../instructions/calls.js';
import { Op } from '../instructions/operands.js';
import { type Exit, isSuccess } from '../interpreter.js';
import type { Machine } from '../machine.js';
import type { ChildCall, ChildCreation } from '../requests.js';
import { isCore, isRefused, isUnnoted, operandsOf } from './opcodes.js';
import { type Tracer, TraceTooLong } from './tracer.js';

/** Kind of a traced call. */
export type CallKind = 'call' | 'callcode' | 'delegatecall' | 'staticcall' | 'create' | 'selfdestruct';

/** A call, creation or destruction within a transaction. Addresses are numbers, amounts wei. */
export interface TracedCall {
  readonly kind: CallKind;
  readonly from: bigint;
  /** Account that is called or created, or that receives the balance. */
  readonly to: bigint;
  readonly value: bigint;
  readonly input: Uint8Array;
  /** Gas that was left before the last cost. */
  readonly gas: bigint;
  readonly gasUsed: bigint;
  /** Indices of the calls that lead here. */
  readonly path: readonly number[];
  /** Reason of a failure, in the words of `defid`; undefined after a success. */
  readonly error: string | undefined;
  /** Output, or the code of a contract. */
  readonly output: Uint8Array;
}

/** A call that has not ended. */
interface Context {
  readonly index: number;
  readonly kind: CallKind;
  readonly from: bigint;
  readonly to: bigint;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly path: readonly number[];
  children: number;
  /** Gas before its first and before its last cost. */
  startGas: bigint | undefined;
  gas: bigint;
}

type Beginning = Pick<Context, 'kind' | 'from' | 'to' | 'value' | 'input'>;

const KINDS: Readonly<Record<number, CallKind>> = {
  [Op.call]: 'call',
  [Op.callcode]: 'callcode',
  [Op.delegatecall]: 'delegatecall',
  [Op.staticcall]: 'staticcall',
};

/** Characters of a call without its data, and of a byte of them. */
const CALL_LENGTH = 140;
const BYTE_LENGTH = 2;

/** Texts of failures; the others are unexpected. */
const ERRORS: Readonly<Record<string, string>> = {
  StackUnderflow: 'stack underflow',
  StackOverflow: 'stack overflow',
  InvalidJump: 'invalid jump',
  InvalidRange: 'invalid range',
  CallTooDeep: 'call too deep',
  CreateCollision: 'create collision',
  CreateContractLimit: 'create contract limit',
  OutOfOffset: 'out of offset',
  OutOfGas: 'out of gas',
  OutOfFund: 'out of funds',
};

/**
 * Trace of the calls of a transaction, as the tracer of `defid` gives it. The gas of a call is what was left before the last cost that was
 * charged, to any frame, while the call was the innermost one.
 * @see docs/protocol/evm-engine.md 10.9
 */
export class CallTracer implements Tracer {
  /** By index; undefined before its end. */
  readonly #ended: (TracedCall | undefined)[] = [];
  readonly #contexts: Context[] = [];
  /** The first frame belongs to the context of the transaction. */
  #isFirst = false;
  #kind: CallKind = 'call';
  #intrinsic = 0n;
  /** Call whose frame has ended, until its effects are decided. */
  #pending: { readonly index: number; readonly call: TracedCall } | undefined;
  #before = { gas: 0n, height: 0, balance: 0n, operands: [] as readonly bigint[] };
  #length = 0;

  /** @param maxLength characters that the trace may have as JSON: inputs are kept, and the gas of a call does not pay for its own */
  constructor(private readonly maxLength: number = Number.POSITIVE_INFINITY) {}

  /** Characters that the trace has at least as JSON. */
  get length(): number {
    return this.#length;
  }

  /** Calls in the order of their beginning. */
  get calls(): readonly TracedCall[] {
    return this.#ended.filter((call) => call !== undefined);
  }

  start({ from, to, value, data }: Message, created: bigint | undefined, intrinsic: bigint): void {
    this.#intrinsic = intrinsic;
    this.#begin({ kind: created === undefined ? 'call' : 'create', from, to: to ?? (created as bigint), value, input: data });
    this.#isFirst = true;
  }

  step(frame: Frame, op: number, { state }: Machine): void {
    this.#before = {
      gas: frame.meter.left,
      height: frame.height,
      balance: op === Op.selfdestruct ? state.balance(frame.context.address) : 0n,
      operands: operandsOf(frame),
    };
  }

  stepped(frame: Frame, op: number, machine: Machine, failure: Failure | undefined): void {
    if (failure && isUnnoted(op, failure, this.#before)) return;
    this.#charge(this.#before.gas);
    if (failure && isRefused(op, failure, this.#before.height)) return;
    if (isCore(op)) {
      if (failure || frame.halt) this.#pending = this.#end(failure ?? (frame.halt as Halt), frame.output);
      return;
    }
    this.#kind = KINDS[op] ?? this.#kind;
    if (failure) return;
    if (op === Op.selfdestruct) this.#destroy(frame);
    else if ((op === Op.create || op === Op.create2) && !machine.child) this.#refuseCreation(frame, op, machine);
  }

  ranOff(): void {
    this.#pending = this.#end('Stopped', EMPTY_BYTES);
  }

  enter(request: ChildCall | ChildCreation, caller: bigint, parent: Frame | undefined): void {
    const gas = parent ? parent.meter.left + request.gas - stipendOf(request) : request.gas;
    if (this.#isFirst) this.#isFirst = false;
    else if (request.kind === 'create') {
      this.#charge(gas + initCodeGas(request.code.size));
      this.#begin({ kind: 'create', from: caller, to: request.address, value: request.value, input: request.code.bytes });
    } else {
      const from = this.#contexts.at(-1)?.to ?? request.caller;
      this.#begin({ kind: this.#kind, from, to: request.codeAddress, value: request.value, input: request.data.slice() });
    }
    this.#charge(gas);
  }

  charged(gas: bigint): void {
    this.#charge(gas);
  }

  leave(exit: Exit, request: ChildCall | ChildCreation | undefined, parent: Frame | undefined): void {
    const { kind } = exit;
    const returnsGas = isSuccess(exit) || kind === 'Reverted' || kind === OUT_OF_FUND || kind === CALL_TOO_DEEP;
    if (request && returnsGas) this.#charge(parent?.meter.left ?? 0n);
    this.#finish(kind, exit.output);
  }

  #begin(beginning: Beginning): void {
    this.#grow(CALL_LENGTH + BYTE_LENGTH * beginning.input.length);
    this.#contexts.push({ ...beginning, index: this.#ended.length, path: this.#nextPath(), children: 0, startGas: undefined, gas: 0n });
    this.#ended.push(undefined);
  }

  #nextPath(): readonly number[] {
    const parent = this.#contexts.at(-1);
    if (!parent) return [];
    parent.children += 1;
    return [...parent.path, parent.children - 1];
  }

  #grow(length: number): void {
    this.#length += length;
    if (this.#length > this.maxLength) throw new TraceTooLong('length');
  }

  /** Notes the gas before a cost. */
  #charge(gas: bigint): void {
    const context = this.#contexts.at(-1);
    if (!context) return;
    context.startGas ??= gas;
    context.gas = gas;
  }

  #end(kind: Halt | Failure, output: Uint8Array): { readonly index: number; readonly call: TracedCall } | undefined {
    const context = this.#contexts.pop();
    if (!context) return undefined;
    const { index, startGas = 0n, gas, children, ...rest } = context;
    const used = startGas > gas ? startGas - gas : 0n;
    const gasUsed = index === 0 ? used + this.#intrinsic : used;
    const isOutput = context.kind === 'create' ? typeof kind === 'string' : kind === 'Returned';
    return { index, call: { ...rest, gas, gasUsed, error: errorText(kind), output: isOutput ? output : EMPTY_BYTES } };
  }

  #finish(kind: Halt | Failure, output: Uint8Array): void {
    const ended = this.#pending ?? this.#end(kind, output);
    this.#pending = undefined;
    if (!ended) return;
    this.#grow(BYTE_LENGTH * ended.call.output.length);
    this.#ended[ended.index] = ended.call;
  }

  #destroy({ context: { address } }: Frame): void {
    const to = BigInt.asUintN(160, this.#before.operands[0] as bigint);
    this.#grow(CALL_LENGTH);
    const [value, none] = [this.#before.balance, { input: EMPTY_BYTES, gas: 0n, gasUsed: 0n, error: undefined, output: EMPTY_BYTES }];
    this.#ended.push({ kind: 'selfdestruct', from: address, to, value, path: this.#nextPath(), ...none });
  }

  /** A creation that ended before its first frame. */
  #refuseCreation(frame: Frame, op: number, { state }: Machine): void {
    const [value = 0n, offset = 0n, length = 0n, salt = 0n] = this.#before.operands;
    const { address, depth } = frame.context;
    if (frame.meter.gas === Number.NEGATIVE_INFINITY) {
      const isTooLarge = length > BigInt(MAX_INIT_CODE_SIZE);
      // Init code that is too large is refused before it is charged.
      if (!isTooLarge) this.#charge(frame.meter.drained);
      this.#finish(isTooLarge ? CREATE_CONTRACT_LIMIT : OUT_OF_GAS, EMPTY_BYTES);
      return;
    }
    const input = length === 0n ? EMPTY_BYTES : frame.memory.slice(Number(offset), Number(length));
    this.#charge(frame.meter.left + initCodeGas(input.length));
    const to = op === Op.create ? createAddress(address, state.nonce(address)) : saltedAddress(address, salt, input);
    this.#begin({ kind: 'create', from: address, to, value, input });
    this.#finish(depth > MAX_DEPTH ? CALL_TOO_DEEP : state.balance(address) < value ? OUT_OF_FUND : MAX_NONCE, EMPTY_BYTES);
  }
}

function stipendOf(request: ChildCall | ChildCreation): bigint {
  return request.kind === 'call' && request.transfers && request.value !== 0n ? BigInt(Gas.stipend) : 0n;
}

function initCodeGas(size: number): bigint {
  return BigInt(Gas.initCodeWord * wordCount(size));
}

function errorText(kind: Halt | Failure): string | undefined {
  if (kind === 'Reverted') return 'execution reverted';
  if (typeof kind === 'string') return undefined;
  const other = /^Other\("(.*)"\)$/.exec(kind.kind)?.[1];
  return other ?? ERRORS[kind.kind] ?? 'unexpected error';
}

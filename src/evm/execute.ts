import { EMPTY_BYTES } from '../util/bytes.js';
import { UnitCount } from '../util/slicer.js';
import { Code } from './code.js';
import { MAX_NONCE, OUT_OF_FUND, OUT_OF_GAS, refusedInput } from './failure.js';
import { MAX_INIT_CODE_SIZE, REFUND_QUOTIENT } from './gas.js';
import { createAddress } from './instructions/calls.js';
import {
  type ExecutionSteps,
  type Exit,
  type FindPrecompile,
  finishExecution,
  Interpreter,
  type InterpreterOptions,
  isSuccess,
} from './interpreter.js';
import { intrinsicGasInSteps } from './intrinsic-gas.js';
import type { Environment } from './machine.js';
import { type Log, type StateBelow, type TransactionChanges, TransactionState } from './state/transaction-state.js';

/** Largest gas limit that the engine counts; greater ones count as this. No account has a nonce beyond it. */
const MAX_GAS = (1n << 64n) - 1n;

/** Gas limit below the intrinsic cost: nothing happens, and all of it is used. */
const OUT_OF_GAS_AT_ONCE: Exit = { kind: OUT_OF_GAS, gasLeft: 0n, output: EMPTY_BYTES };

/** Name in traces for the end of a transaction whose reason the tracer of `defid` does not see. */
const EARLY_EXIT = refusedInput('early exit (out of gas, stack overflow, direct call to precompile, ...)');

/** Address with its storage keys, warm from the start. @see EIP-2930 */
export interface AccessListItem {
  readonly address: bigint;
  readonly keys: readonly bigint[];
}

/** A transaction as the engine executes it. Addresses are numbers, amounts wei. */
export interface Message {
  readonly from: bigint;
  /** Undefined for the creation of a contract. */
  readonly to: bigint | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  readonly accessList: readonly AccessListItem[];
}

/** Outcome of a transaction. */
export interface Executed {
  readonly exit: Exit;
  readonly isSuccess: boolean;
  readonly usedGas: bigint;
  /** Address of a creation, also of one that failed; undefined for calls. */
  readonly created: bigint | undefined;
  readonly logs: readonly Log[];
  readonly changes: TransactionChanges;
}

/** Surroundings of an execution. */
export interface ExecuteOptions extends InterpreterOptions {
  readonly below: StateBelow;
  readonly environment: Environment;
  readonly findPrecompile: FindPrecompile;
}

/** True for a creation that must be refused everywhere, because `defid` aborts on it. @see docs/protocol/evm-engine.md 2.8, deviation 6 */
export function hasTooMuchInitCode({ to, data }: Pick<Message, 'to' | 'data'>): boolean {
  return to === undefined && data.length > MAX_INIT_CODE_SIZE;
}

/** Executes a transaction whose gas has been paid for. Nothing is changed: the caller applies the changes. @see docs/protocol/evm-engine.md 2.8 */
export function executeMessage(message: Message, options: ExecuteOptions): Executed {
  return finishExecution(executeInSteps(message, options));
}

/** {@link executeMessage} with points of interruption. The state below must not change meanwhile. */
export function* executeInSteps(message: Message, options: ExecuteOptions): ExecutionSteps<Executed> {
  const state = new TransactionState(options.below);
  const limit = message.gasLimit > MAX_GAS ? MAX_GAS : message.gasLimit;
  const intrinsic = BigInt(yield* intrinsicGasInSteps(message));
  const created = message.to === undefined ? createAddress(message.from, state.nonce(message.from)) : undefined;
  options.tracer?.start(message, created, intrinsic);
  if (limit < intrinsic) {
    options.tracer?.leave(OUT_OF_GAS_AT_ONCE, undefined, undefined);
    return outcome(state, OUT_OF_GAS_AT_ONCE, limit, created);
  }
  const interpreter = new Interpreter(state, options.environment, options.findPrecompile, options);
  const gas = limit - intrinsic;
  yield* warm(state, message);
  return created === undefined
    ? yield* call(interpreter, { ...message, to: message.to as bigint }, intrinsic, gas, options)
    : yield* create(interpreter, message, intrinsic, gas, created, options);
}

function* warm(state: TransactionState, { from, accessList }: Message): ExecutionSteps<void> {
  state.warmAccount(from);
  const units = new UnitCount();
  for (const { address, keys } of accessList) {
    state.warmAccount(address);
    if (units.add()) yield;
    for (const key of keys) {
      state.warmSlot(address, key);
      if (units.add()) yield;
    }
  }
}

function* call(
  interpreter: Interpreter,
  { from, to, value, data }: Message & { readonly to: bigint },
  intrinsic: bigint,
  gas: bigint,
  { environment, tracer }: ExecuteOptions,
): ExecutionSteps<Executed> {
  const { state } = interpreter;
  state.warmAccount(environment.coinbase);
  state.warmAccount(to);
  const nonce = state.nonce(from);
  // Only a replaced account of a call has such a nonce.
  if (nonce >= MAX_GAS) {
    const exit: Exit = { kind: MAX_NONCE, gasLeft: gas, output: EMPTY_BYTES };
    tracer?.leave({ ...exit, kind: EARLY_EXIT }, undefined, undefined);
    return outcome(state, exit, intrinsic, undefined);
  }
  state.setNonce(from, nonce + 1n);
  const target = { codeAddress: to, address: to, caller: from, value, transfers: true, data, isStatic: false };
  const exit = yield* interpreter.steps({ kind: 'call', ...target, gas, outputOffset: 0, outputLength: 0 }, from);
  return outcome(state, exit, intrinsic + gas - exit.gasLeft, undefined);
}

/** The beneficiary of the block is not warm here. @see docs/protocol/evm-engine.md 2.8, deviations 1, 2 and 4 */
function* create(
  interpreter: Interpreter,
  { from, value, data }: Message,
  intrinsic: bigint,
  gas: bigint,
  address: bigint,
  { tracer }: InterpreterOptions,
): ExecutionSteps<Executed> {
  const { state } = interpreter;
  const nonce = state.nonce(from);
  state.warmAccount(address);
  const isShort = state.balance(from) < value;
  if (isShort || nonce >= MAX_GAS) {
    const exit: Exit = { kind: isShort ? OUT_OF_FUND : MAX_NONCE, gasLeft: gas, output: EMPTY_BYTES };
    tracer?.leave(exit, undefined, undefined);
    return outcome(state, exit, intrinsic, address);
  }
  state.setNonce(from, nonce + 1n);
  const exit = yield* interpreter.steps({ kind: 'create', address, value, code: new Code(data), gas }, from);
  return outcome(state, exit, intrinsic + gas - exit.gasLeft, address);
}

function outcome(state: TransactionState, exit: Exit, spent: bigint, created: bigint | undefined): Executed {
  const most = spent / BigInt(REFUND_QUOTIENT);
  const refund = BigInt(state.refund);
  // `defid` reads a negative sum as a huge one. It is negative if a drained frame lost the refund of a slot that is set again.
  const usedGas = spent - (refund >= 0n && refund < most ? refund : most);
  return { exit, isSuccess: isSuccess(exit), usedGas, created, logs: state.logs, changes: state.changes() };
}

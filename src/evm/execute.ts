import { EMPTY_BYTES } from '../util/bytes.js';
import { Code } from './code.js';
import { OUT_OF_GAS } from './failure.js';
import { Gas, MAX_INIT_CODE_SIZE, REFUND_QUOTIENT, wordCount } from './gas.js';
import { createAddress } from './instructions/calls.js';
import { type Exit, type FindPrecompile, Interpreter, isSuccess, type OnStep } from './interpreter.js';
import type { Environment } from './machine.js';
import { type Log, type StateBelow, type TransactionChanges, TransactionState } from './state/transaction-state.js';

/** Largest gas limit that the engine counts; greater ones count as this. */
const MAX_GAS = (1n << 64n) - 1n;

/** Gas limit below the intrinsic cost: nothing happens, and all of it is used. */
const OUT_OF_GAS_AT_ONCE: Exit = { kind: OUT_OF_GAS, gasLeft: 0n, output: EMPTY_BYTES };

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
  /** Address of a creation, also of one that failed in its code; undefined for calls. */
  readonly created: bigint | undefined;
  readonly logs: readonly Log[];
  readonly changes: TransactionChanges;
}

/** Surroundings of an execution. */
export interface ExecuteOptions {
  readonly below: StateBelow;
  readonly environment: Environment;
  readonly findPrecompile: FindPrecompile;
  readonly onStep?: OnStep;
}

/**
 * Gas that a transaction costs before its first opcode. @see docs/protocol/evm-engine.md 2.2
 * @returns gas, at most 2^53
 */
export function intrinsicGas({ to, data, accessList }: Pick<Message, 'to' | 'data' | 'accessList'>): number {
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros += 1;
  const keys = accessList.reduce((sum, item) => sum + item.keys.length, 0);
  const start = to === undefined ? Gas.creationTransaction + Gas.initCodeWord * wordCount(data.length) : Gas.transaction;
  const bytes = Gas.zeroByte * zeros + Gas.otherByte * (data.length - zeros);
  return start + bytes + Gas.accessListAddress * accessList.length + Gas.accessListKey * keys;
}

/** True for a creation that must be refused everywhere, because `defid` aborts on it. @see docs/protocol/evm-engine.md 2.8, deviation 6 */
export function hasTooMuchInitCode({ to, data }: Pick<Message, 'to' | 'data'>): boolean {
  return to === undefined && data.length > MAX_INIT_CODE_SIZE;
}

/** Executes a transaction whose gas has been paid for. Nothing is changed: the caller applies the changes. @see docs/protocol/evm-engine.md 2.8 */
export function executeMessage(message: Message, options: ExecuteOptions): Executed {
  const state = new TransactionState(options.below);
  const limit = message.gasLimit > MAX_GAS ? MAX_GAS : message.gasLimit;
  const intrinsic = BigInt(intrinsicGas(message));
  if (limit < intrinsic) return outcome(state, OUT_OF_GAS_AT_ONCE, limit, undefined);
  const interpreter = new Interpreter(state, options.environment, options.findPrecompile, options.onStep);
  const gas = limit - intrinsic;
  warm(state, message);
  return message.to === undefined
    ? create(interpreter, message, intrinsic, gas)
    : call(interpreter, { ...message, to: message.to }, intrinsic, gas, options.environment.coinbase);
}

function warm(state: TransactionState, { from, accessList }: Message): void {
  state.warmAccount(from);
  for (const { address, keys } of accessList) {
    state.warmAccount(address);
    for (const key of keys) state.warmSlot(address, key);
  }
}

function call(
  interpreter: Interpreter,
  { from, to, value, data }: Message & { readonly to: bigint },
  intrinsic: bigint,
  gas: bigint,
  coinbase: bigint,
): Executed {
  const { state } = interpreter;
  state.warmAccount(coinbase);
  state.warmAccount(to);
  state.setNonce(from, state.nonce(from) + 1n);
  const target = { codeAddress: to, address: to, caller: from, value, transfers: true, data, isStatic: false };
  const exit = interpreter.run({ kind: 'call', ...target, gas, outputOffset: 0, outputLength: 0 }, from);
  return outcome(state, exit, intrinsic + gas - exit.gasLeft, undefined);
}

/** The beneficiary of the block is not warm here. @see docs/protocol/evm-engine.md 2.8, deviations 1, 2 and 4 */
function create(interpreter: Interpreter, { from, value, data }: Message, intrinsic: bigint, gas: bigint): Executed {
  const { state } = interpreter;
  const nonce = state.nonce(from);
  const address = createAddress(from, nonce);
  state.warmAccount(address);
  if (state.balance(from) < value || nonce >= MAX_GAS) {
    const exit: Exit = { kind: 'Reverted', gasLeft: gas, output: EMPTY_BYTES };
    return outcome(state, exit, intrinsic, address);
  }
  state.setNonce(from, nonce + 1n);
  const exit = interpreter.run({ kind: 'create', address, value, code: new Code(data), gas }, from);
  return outcome(state, exit, intrinsic + gas - exit.gasLeft, address);
}

function outcome(state: TransactionState, exit: Exit, spent: bigint, created: bigint | undefined): Executed {
  const most = spent / BigInt(REFUND_QUOTIENT);
  const refund = BigInt(state.refund);
  const usedGas = spent - (refund < most ? refund : most);
  return { exit, isSuccess: isSuccess(exit), usedGas, created, logs: state.logs, changes: state.changes() };
}

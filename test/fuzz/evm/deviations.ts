import type { Common } from '@ethereumjs/common';
import { EVMError, type EVMResult, type ExecResult, type PrecompileFunc } from '@ethereumjs/evm';
import { generateAddress, generateAddress2 } from '@ethereumjs/util';
import { addressBytes, readWord, wordBytes } from '../../../src/evm/words.js';
import { blockHash } from './environment.js';

/** Part of the running frame that the deviations need. */
interface RunState {
  readonly stack: { peek(count: number): bigint[]; popN(count: number): bigint[]; push(value: bigint): void };
  readonly memory: { read(offset: number, size: number): Uint8Array };
  readonly code: Uint8Array;
  programCounter: number;
  messageGasLimit?: bigint | undefined;
  gasLeft: bigint;
  gasRefund: bigint;
  readonly interpreter: {
    getGasLeft(): bigint;
    subRefund(amount: bigint): void;
    readonly journal: { addWarmedAddress(address: Uint8Array): void };
    readonly _env: {
      readonly address: { readonly bytes: Uint8Array };
      readonly contract: { readonly nonce: bigint };
      readonly isCreate: boolean;
      readonly gasRefund: bigint;
    };
  };
}

interface Opcode {
  gasHandler: (state: RunState, gas: bigint, common: Common) => Promise<bigint>;
  opHandler: (state: RunState, common: Common) => unknown;
}

/** Tables of the oracle, which are its own business otherwise. */
export interface Engine {
  readonly _opcodeMap: readonly Opcode[];
  readonly precompiles: Map<string, PrecompileFunc>;
  runInterpreter(message: { readonly isCreate?: boolean }, options?: unknown): Promise<ExecResult>;
  _executeCreate(message: unknown): Promise<EVMResult>;
}

const BLOCKHASH = 0x40;
const SSTORE = 0x55;
const CREATE = 0xf0;
const CREATE2 = 0xf5;
const MODEXP = '5'.padStart(40, '0');

const MAX_INIT_CODE = 49_152n;
const INIT_CODE_WORD = 2n;
const MAX_LENGTH = 1024;
const EVEN_FACTOR = 20n;
const ENOUGH_GAS = 1n << 60n;
/** First byte that deployed code must not have. */
const FORMAT = 0xef;
const NOTHING = new Uint8Array(0);

/** Changes the oracle's rules where those of `defid` are others. @see docs/protocol/evm-engine.md 2.8 */
export function deviate(engine: Engine): void {
  const { _opcodeMap, precompiles } = engine;
  deviateBlockHash(_opcodeMap[BLOCKHASH] as Opcode);
  deviateCreation(_opcodeMap[CREATE] as Opcode, 3);
  deviateCreation(_opcodeMap[CREATE2] as Opcode, 4);
  allowNegativeRefunds(_opcodeMap[SSTORE] as Opcode);
  const modexp = precompiles.get(MODEXP) as PrecompileFunc;
  precompiles.set(MODEXP, (input) => runModexp(modexp, input));
  ignoreFormatOfReverts(engine);
}

/** Deviation 12: any earlier block has a hash. */
function deviateBlockHash(opcode: Opcode): void {
  opcode.opHandler = ({ stack }) => stack.push(blockHash(stack.popN(1)[0] as bigint));
}

function deviateCreation(opcode: Opcode, operands: number): void {
  const { gasHandler, opHandler } = opcode;
  const withoutInitCode = new WeakSet<RunState>();
  // Deviation 5: init code that is too long or not payable empties the meter, refunds included, and the frame continues. Init code
  // that ends there cannot pay for its deposit of 0 bytes.
  opcode.gasHandler = async (state, base, common) => {
    const gas = await gasHandler(state, base, common);
    const length = state.stack.peek(3)[2] as bigint;
    const initCode = INIT_CODE_WORD * ((length + 31n) / 32n);
    const left = state.interpreter.getGasLeft();
    if (gas - initCode > left || (length <= MAX_INIT_CODE && gas <= left)) return gas;
    withoutInitCode.add(state);
    return gas - initCode;
  };
  opcode.opHandler = async (state, common) => {
    if (withoutInitCode.delete(state)) {
      state.stack.popN(operands);
      state.stack.push(0n);
      state.gasLeft = 0n;
      state.gasRefund = state.interpreter._env.gasRefund;
      if (state.programCounter < state.code.length || state.interpreter._env.isCreate)
        throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
      return;
    }
    warmCreated(state, operands === 4);
    await opHandler(state, common);
  };
}

/** Deviation 5: a frame may lose a refund that another one takes back. */
function allowNegativeRefunds(opcode: Opcode): void {
  const { gasHandler } = opcode;
  opcode.gasHandler = (state, gas, common) => {
    state.interpreter.subRefund = (amount) => {
      state.gasRefund -= amount;
    };
    return gasHandler(state, gas, common);
  };
}

/** Deviation 4: the new address is warm even if depth or balance do not allow the creation. */
function warmCreated({ stack, memory, interpreter }: RunState, isSalted: boolean): void {
  const [, offset, length, salt] = stack.peek(isSalted ? 4 : 3) as [bigint, bigint, bigint, bigint];
  const { address, contract } = interpreter._env;
  const init = length === 0n ? NOTHING : memory.read(Number(offset), Number(length));
  const created = isSalted
    ? generateAddress2(address.bytes, wordBytes(salt), init)
    : generateAddress(address.bytes, trimmed(contract.nonce));
  interpreter.journal.addWarmedAddress(created);
}

/**
 * Deviation 11: lengths above 1024 fail, a modulus of no bytes is free, even moduli cost 20 times as much, and zeros at the start of a
 * long exponent save one iteration. @see docs/protocol/evm-engine.md 3.2
 */
function runModexp(published: PrecompileFunc, input: Parameters<PrecompileFunc>[0]): ExecResult | Promise<ExecResult> {
  const { data, gasLimit } = input;
  const lengths = [0, 32, 64].map((at) => Number(readWord(data, at))) as [number, number, number];
  if (lengths.some((length) => length > MAX_LENGTH)) return outOfGas(gasLimit);
  const [baseLength, exponentLength, modulusLength] = lengths;
  if (modulusLength === 0) return { executionGasUsed: 0n, returnValue: NOTHING };
  const { executionGasUsed, returnValue } = published({ ...input, gasLimit: ENOUGH_GAS }) as ExecResult;
  const startsWithZeros = exponentLength > 32 && readWord(data, 96 + baseLength) === 0n;
  const words = Math.ceil(Math.max(baseLength, modulusLength) / 8);
  const iterations = 8 * (exponentLength - 32) - 1;
  const cost = startsWithZeros ? BigInt(Math.max(200, Math.floor((words * words * iterations) / 3))) : executionGasUsed;
  const isEven = ((data[95 + baseLength + exponentLength + modulusLength] ?? 0) & 1) === 0;
  const charged = isEven ? EVEN_FACTOR * cost : cost;
  return charged > gasLimit ? outOfGas(gasLimit) : { executionGasUsed: charged, returnValue };
}

/** The oracle refuses reverted data that starts like code of EIP-3541, which is about deployed code alone. */
function ignoreFormatOfReverts(engine: Engine): void {
  const hidden = new WeakSet<Uint8Array>();
  const runInterpreter = engine.runInterpreter.bind(engine);
  const executeCreate = engine._executeCreate.bind(engine);
  engine.runInterpreter = async (message, options) => {
    const result = await runInterpreter(message, options);
    if (message.isCreate !== true || result.exceptionError === undefined || result.returnValue[0] !== FORMAT) return result;
    const returnValue = Uint8Array.from(result.returnValue);
    returnValue[0] = 0;
    hidden.add(returnValue);
    return { ...result, returnValue };
  };
  engine._executeCreate = async (message) => {
    const result = await executeCreate(message);
    const { returnValue } = result.execResult;
    if (hidden.has(returnValue)) returnValue[0] = FORMAT;
    return result;
  };
}

function outOfGas(gasLimit: bigint): ExecResult {
  return { executionGasUsed: gasLimit, returnValue: NOTHING, exceptionError: new EVMError(EVMError.errorMessages.OUT_OF_GAS) };
}

/** Minimal big-endian bytes. */
function trimmed(value: bigint): Uint8Array {
  const bytes = addressBytes(value);
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? NOTHING : bytes.subarray(start);
}

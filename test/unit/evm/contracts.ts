import { Code, NO_CODE } from '../../../src/evm/code.js';
import { type Executed, executeMessage } from '../../../src/evm/execute.js';
import { STANDARD_PRECOMPILES } from '../../../src/evm/precompiles/standard.js';
import type { Tracer } from '../../../src/evm/tracing/tracer.js';
import { fromHex } from '../../../src/util/bytes.js';
import { blockHash, ENVIRONMENT } from '../../fuzz/evm/environment.js';

/** Contract that transactions of {@link executeCode} call. */
const CONTRACT = 0xccn;
const DELEGATE = 0xbbn;
const CALLER = 0xaan;
const TRANSACTION_GAS = 21_000n;

/** Circumstances of a call that a test may choose. */
export interface CallOptions {
  /** Gas in addition to that of the transaction itself. */
  readonly gas?: bigint;
  readonly tracer?: Tracer;
  /** Nonce of the sender. */
  readonly nonce?: bigint;
  /** Value of slot 0 of the contract. */
  readonly slot?: bigint;
  /** Code of another contract, 0xbb, in hex. */
  readonly delegate?: string;
}

/** Calls code that has no storage but slot 0. @param code hex */
export function executeCode(
  code: string,
  { gas = 1_000_000n, tracer, nonce = 0n, slot: first = 0n, delegate = '' }: CallOptions = {},
): Executed {
  const codes = new Map([
    [CONTRACT, new Code(fromHex(code))],
    [DELEGATE, new Code(fromHex(delegate))],
  ]);
  const caller = { nonce, balance: 1n, storageRoot: new Uint8Array(32), codeHash: new Uint8Array(32) };
  const below = {
    account: (address: bigint) => (address === CALLER ? caller : undefined),
    code: (address: bigint) => codes.get(address) ?? NO_CODE,
    storage: (address: bigint, slot: bigint) => (address === CONTRACT && slot === 0n ? first : 0n),
  };
  const message = { from: CALLER, to: CONTRACT, value: 0n, data: new Uint8Array(0), gasLimit: TRANSACTION_GAS + gas, accessList: [] };
  const environment = { ...ENVIRONMENT, blockHash, origin: CALLER };
  return executeMessage(message, { below, environment, findPrecompile: (address) => STANDARD_PRECOMPILES.get(address), tracer });
}

import { parentPort } from 'node:worker_threads';
import { keccak256 } from '../crypto/keccak.js';
import { Failure, type FailureKind } from './failure.js';
import type { LongWork } from './interpreter.js';
import type { PrecompileCall } from './machine.js';
import { STANDARD_PRECOMPILES } from './precompiles/standard.js';

/** Work with its number. */
export interface WorkRequest extends LongWork {
  readonly id: number;
}

/** Result of the work of that number. */
export type WorkReply = { readonly id: number } & (
  | { readonly output: Uint8Array }
  | { readonly failure: FailureKind }
  | { readonly fault: string }
);

/** Worker thread that computes long hashes and precompiled contracts of calls, in order. */
parentPort?.on('message', ({ id, name, data }: WorkRequest) => parentPort?.postMessage({ id, ...compute({ name, data }) }));

function compute({ name, data }: LongWork): { output: Uint8Array } | { failure: FailureKind } | { fault: string } {
  try {
    if (name === 'keccak') return { output: keccak256(data) };
    const precompile = STANDARD_PRECOMPILES.get(name);
    // Ethereum's contracts depend on their input alone.
    return { output: precompile?.run(data, undefined as unknown as PrecompileCall) as Uint8Array };
  } catch (error) {
    return error instanceof Failure ? { failure: error.kind } : { fault: String(error) };
  }
}

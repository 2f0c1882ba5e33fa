import type { Executed } from '../../evm/execute.js';
import { CallTracer, type TracedCall } from '../../evm/tracing/call-tracer.js';
import { StepTracer, type StructLog } from '../../evm/tracing/step-tracer.js';
import { type Tracer, TraceTooLong } from '../../evm/tracing/tracer.js';
import { EMPTY_BYTES, toHex } from '../../util/bytes.js';
import type { JsonValue } from '../../util/json.js';
import type { Steps, UnitCount } from '../../util/slicer.js';
import { customError, engineError } from '../errors.js';
import { AnswerTooLong } from '../json.js';
import { readMembers, type SteppedReader } from '../members.js';
import { parseBoolean, parseText } from '../values.js';
import { xxhash128 } from './xxhash.js';

/** Choice of a trace. */
export type TraceRequest =
  | { readonly kind: 'steps'; readonly disableStorage: boolean; readonly disableMemory: boolean; readonly disableStack: boolean }
  | { readonly kind: 'calls' | 'flat calls' };

/** A trace: opcodes, or calls in the order of their beginning. */
export type Trace =
  | {
      readonly kind: 'steps';
      readonly gas: bigint;
      readonly isSuccess: boolean;
      readonly output: Uint8Array;
      readonly logs: readonly StructLog[];
    }
  | { readonly kind: 'calls' | 'flat calls'; readonly calls: readonly TracedCall[] };

/** Limits of traces. */
export interface TraceLimits {
  /** -ethtracingmaxmemoryusage */
  readonly maxTraceBytes: number;
  /** -ethmaxresponsesize */
  readonly maxResponseBytes: number;
}

const PARAMS = {
  disableStorage: parseBoolean,
  disableMemory: parseBoolean,
  disableStack: parseBoolean,
  tracer: parseText,
  timeout: parseText,
} as const;
/** Hashes of the two scripts of Blockscout that `defid` knows. */
const BLOCKSCOUT = ['94d9f08796f91eb13a2e82a6066882f7', '89db13694675692951673a1e6e18ff02'];

/** The trace of every opcode, with memory, stack and storage. */
export const ALL_STEPS: TraceRequest = { kind: 'steps', disableStorage: false, disableMemory: false, disableStack: false };

/** Reads the options of a trace. The tracer is looked up when the method runs. */
export const traceParamsReader: SteppedReader<() => TraceRequest> = { steps: readTraceParams };

function* readTraceParams(value: JsonValue, units: UnitCount): Steps<() => TraceRequest> {
  const {
    tracer,
    disableStorage = false,
    disableMemory = false,
    disableStack = false,
  } = yield* readMembers(value, { name: 'TraceParams', readers: PARAMS }, units);
  return () => (tracer === undefined ? { kind: 'steps', disableStorage, disableMemory, disableStack } : { kind: kindOf(tracer) });
}

function kindOf(tracer: string): 'calls' | 'flat calls' {
  if (tracer === 'callTracer') return 'calls';
  const hash = xxhash128(Buffer.from(tracer, 'utf8'));
  if (BLOCKSCOUT.includes(toHex(hash))) return 'flat calls';
  throw customError(`javascript based tracing is not available (hash :[${[...hash].join(', ')}])`);
}

/** Records an execution. */
export class Recorder {
  readonly tracer: Tracer;
  readonly #steps: StepTracer | undefined;
  readonly #calls: CallTracer | undefined;

  constructor(
    private readonly request: TraceRequest,
    { maxTraceBytes, maxResponseBytes }: TraceLimits,
  ) {
    if (request.kind === 'steps') this.#steps = new StepTracer({ ...request, maxSize: maxTraceBytes, maxLength: maxResponseBytes });
    else this.#calls = new CallTracer(maxResponseBytes);
    this.tracer = (this.#steps ?? this.#calls) as Tracer;
  }

  /** Characters that the trace has at least as JSON. */
  get length(): number {
    return (this.#steps ?? this.#calls)?.length ?? 0;
  }

  /**
   * The trace of the execution.
   * @param executed undefined for an entry of the node itself, which runs no code
   * @param isFree true if its gas counts as 0
   * @throws {EthereumError} for calls of an entry that runs no code, as `defid` does
   */
  trace(executed: Pick<Executed, 'isSuccess' | 'usedGas'> | undefined, isFree: boolean): Trace {
    const { kind } = this.request;
    if (kind === 'steps') {
      const { returnValue: output = EMPTY_BYTES, logs = [] } = this.#steps ?? {};
      return { kind, gas: isFree ? 0n : (executed?.usedGas ?? 0n), isSuccess: executed?.isSuccess ?? true, output, logs };
    }
    const calls = this.#calls?.calls ?? [];
    if (calls.length === 0) throw engineError('trace result is empty');
    return { kind, calls: isFree ? calls.map((call) => ({ ...call, gasUsed: 0n })) : calls };
  }
}

/** The error of a method for a limit that a trace exceeds. */
export function traceError(error: unknown): unknown {
  if (!(error instanceof TraceTooLong)) return error;
  if (error.limit === 'length') return new AnswerTooLong();
  return engineError('replayed transaction generated too much data. try disabling memory or storage?');
}

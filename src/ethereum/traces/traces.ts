import { evmBlock } from '../../dfi/evm/blocks.js';
import { equalBytes } from '../../util/bytes.js';
import type { PreparedCall } from '../calls/call.js';
import { CallSite, runInSlices } from '../calls/execution.js';
import { headerNotFound } from '../errors.js';
import type { EthereumCall } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { replay } from './replay.js';
import { Recorder, type Trace, type TraceRequest, traceError } from './trace.js';

type TraceModules = Pick<EthereumModules, 'chain' | 'execution'>;

/** Trace of an entry of a block. */
export interface NamedTrace {
  /** Hash of the transaction. */
  readonly hash: Uint8Array;
  readonly trace: Trace;
}

/** Choice of entries of a block. */
export interface BlockTraceOptions {
  readonly request: TraceRequest;
  /** Hash of the only entry to trace; undefined for all. */
  readonly only?: Uint8Array;
}

/** Traces entries of a block by executing it again. @throws {EthereumError} */
export async function traceBlock(
  modules: TraceModules,
  number: number,
  { request, only }: BlockTraceOptions,
  call: EthereumCall,
): Promise<readonly NamedTrace[]> {
  const site = new CallSite(modules, { kind: 'number', number });
  const entries = evmBlock(modules.chain.state, number)?.entries ?? [];
  const wanted = only && entries.findIndex(({ hash }) => equalBytes(hash, only));
  if (wanted === -1) throw headerNotFound();
  let recorder: Recorder | undefined;
  const traces: NamedTrace[] = [];
  // All traces are in one answer.
  let room = modules.execution.maxResponseBytes;
  const steps = replay(
    modules,
    number,
    wanted ?? entries.length - 1,
    (index) => {
      const isWanted = wanted === undefined || index === wanted;
      recorder = isWanted ? new Recorder(request, { ...modules.execution, maxResponseBytes: room }) : undefined;
      return recorder?.tracer;
    },
    ({ hash, executed, isFree }) => {
      if (!recorder) return;
      traces.push({ hash, trace: recorder.trace(executed, isFree) });
      room -= recorder.length;
    },
  );
  await limited(async () => runInSlices(steps, call, () => site.requireActive()));
  return traces;
}

/** Traces a call without effect. @throws {EthereumError} */
export async function traceCall(
  modules: TraceModules,
  { site, message, gasPrice }: PreparedCall,
  request: TraceRequest,
  call: EthereumCall,
): Promise<Trace> {
  const recorder = new Recorder(request, modules.execution);
  return limited(async () => recorder.trace(await site.run(message, gasPrice, call, recorder.tracer), false));
}

async function limited<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw traceError(error);
  }
}

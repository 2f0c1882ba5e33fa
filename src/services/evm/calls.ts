import type {
  CallEvmRequest,
  CallEvmResponse,
  EstimateEvmGasRequest,
  EstimateEvmGasResponse,
  EvmCall,
  EvmStep,
  TraceEvmTransactionRequest,
  TraceEvmTransactionResponse,
} from '../../../gen/ts/dfi/evm/v1/evm.js';
import { evmTransaction } from '../../dfi/evm/blocks.js';
import { blockGasLimit } from '../../dfi/evm/limits.js';
import { answerCall, prepareCall } from '../../ethereum/calls/call.js';
import { NO_OVERRIDES } from '../../ethereum/calls/call-request.js';
import { estimateGas } from '../../ethereum/calls/estimate.js';
import { CallSite } from '../../ethereum/calls/execution.js';
import type { Trace, TraceRequest } from '../../ethereum/traces/trace.js';
import { traceBlock } from '../../ethereum/traces/traces.js';
import { formatAddress, formatBytes, formatWord, parseHash } from '../../ethereum/values.js';
import type { TracedCall } from '../../evm/tracing/call-tracer.js';
import type { StructLog } from '../../evm/tracing/step-tracer.js';
import type { Handler } from '../../rpc/handler.js';
import { NodeError } from '../../util/errors.js';
import { answered, readCall, readTag } from './arguments.js';
import { atMostU64 } from './messages.js';
import type { EvmModules } from './modules.js';

/** Output of a call without effect. */
export const callEvm: Handler<EvmModules, CallEvmRequest, CallEvmResponse> = (modules, request, call) =>
  answered(async () => {
    const siteOf = () => new CallSite(modules, readTag(request.block));
    const prepared = prepareCall(readCall(request), blockGasLimit(modules.chain.state), siteOf);
    return { output: formatBytes(await answerCall(prepared, call)) };
  });

/** Gas with which a call succeeds. */
export const estimateEvmGas: Handler<EvmModules, EstimateEvmGasRequest, EstimateEvmGasResponse> = (modules, request, call) =>
  answered(async () => {
    const { chain, execution } = modules;
    const options = { blockGasLimit: blockGasLimit(chain.state), errorRatio: execution.estimateErrorRatio, overrides: NO_OVERRIDES };
    return { gas: await estimateGas(readCall(request), options, () => new CallSite(modules, readTag(request.block)), call) };
  });

/** Calls and opcodes of a transaction that is executed again. */
export const traceEvmTransaction: Handler<EvmModules, TraceEvmTransactionRequest, TraceEvmTransactionResponse> = (
  modules,
  { hash: text, steps },
  call,
) =>
  answered(async () => {
    const { chain, execution } = modules;
    if (!execution.isDebug && !execution.isTracing) throw new NodeError('misc', 'traces are disabled: -ethdebugtrace=0');
    const hash = parseHash(text);
    const place = evmTransaction(chain.state, hash);
    if (!place) throw new NodeError('transaction-not-found', 'No such EVM transaction in a block');
    const trace = async (request: TraceRequest): Promise<Trace | undefined> => {
      const [only] = await traceBlock(modules, place.number, { request, only: hash }, call);
      return only?.trace;
    };
    const calls = await trace({ kind: 'calls' });
    const opcodes = steps ? await trace(STACKS) : undefined;
    return {
      calls: calls?.kind === 'calls' ? calls.calls.map(callMessage) : [],
      steps: opcodes?.kind === 'steps' ? opcodes.logs.map(stepMessage) : [],
    };
  });

const STACKS: TraceRequest = { kind: 'steps', disableStorage: true, disableMemory: true, disableStack: false };

function callMessage({ kind, path, from, to, value, input, gas, gasUsed, output, error }: TracedCall): EvmCall {
  return {
    kind,
    path: [...path],
    from: formatAddress(from),
    to: formatAddress(to),
    value: String(value),
    input: formatBytes(input),
    gas: atMostU64(gas),
    gasUsed: atMostU64(gasUsed),
    output: formatBytes(output),
    error,
  };
}

function stepMessage({ depth, pc, op, gas, gasCost, stack = [] }: StructLog): EvmStep {
  return { depth, pc, op, gas: atMostU64(gas), gasCost: atMostU64(gasCost), stack: stack.map(formatWord) };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type {
  GetAccessRequest,
  GetAccessResponse,
  GetMemoryInfoRequest,
  GetMemoryInfoResponse,
  GetRpcInfoRequest,
  GetRpcInfoResponse,
  HelpRequest,
  HelpResponse,
  LoggingRequest,
  LoggingResponse,
  SetMockTimeRequest,
  SetMockTimeResponse,
  StopRequest,
  StopResponse,
  SyncWithValidationInterfaceQueueRequest,
  SyncWithValidationInterfaceQueueResponse,
  UptimeRequest,
  UptimeResponse,
} from '../../../../gen/ts/dfi/node/v1/control.js';
import { allowedMethods, roleNameOf } from '../../../rpc/access.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { help as helpText } from '../../../rpc/help.js';
import { asString } from '../../../rpc/scalars.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { JsonNumber } from '../../../util/json.js';
import type { NodeModules } from '../modules.js';

export const help: Handler<Pick<NodeModules, 'catalogue'>, HelpRequest, HelpResponse> = ({ catalogue }, request) => {
  if (rawJson(request, 'command') === null) asString(null);
  return { text: helpText(catalogue, request.command) };
};

export const getAccess: Handler<Pick<NodeModules, 'catalogue'>, GetAccessRequest, GetAccessResponse> = ({ catalogue }, _, { caller }) => {
  if (!caller) throw new NodeError('internal', 'the transport provides no caller');
  const { user, role, methods } = caller;
  const allowed = allowedMethods(catalogue.operations, caller).sort();
  return { user, role: roleNameOf(role), whitelisted: methods !== undefined, methods: allowed };
};

/**
 * Stops the node, after the delay that the caller may ask for. Stopping begins after the answer has been handed to the transport;
 * otherwise the answer would be cut off.
 */
export const stop: Handler<Pick<NodeModules, 'process'>, StopRequest, StopResponse> = async ({ process }, request) => {
  const wait = millisecondsOf(request);
  if (wait > 0) await sleep(wait, undefined, { signal: process.stopping }).catch(() => undefined);
  process.announceStop();
  setImmediate(() => process.requestStop());
  return { text: 'Defi server stopping' };
};

/** Milliseconds to wait. Over JSON-RPC any value but a number is ignored. */
function millisecondsOf(request: StopRequest): number {
  const given = rawJson(request, 'wait');
  return given === undefined || given instanceof JsonNumber ? Number(request.wait ?? 0n) : 0;
}

/** Counts by the mock time if one is set, so that tests can control it. */
export const uptime: Handler<Pick<NodeModules, 'process' | 'clock'>, UptimeRequest, UptimeResponse> = ({ process, clock }) => ({
  seconds: BigInt(clock.seconds() - process.startedAt),
});

/** Microseconds in a millisecond. */
const MICROSECONDS = 1000;

export const getRpcInfo: Handler<Pick<NodeModules, 'calls' | 'process'>, GetRpcInfoRequest, GetRpcInfoResponse> = ({ calls, process }) => {
  const now = performance.now();
  return {
    activeCommands: [...calls.active].map(({ method, startedMs }) => ({
      method,
      duration: BigInt(Math.trunc((now - startedMs) * MICROSECONDS)),
    })),
    logpath: process.logPath,
  };
};

/** No memory is locked: the JavaScript engine manages the memory of keys and may move it. */
const NOTHING_LOCKED = { used: 0n, free: 0n, total: 0n, locked: 0n, chunksUsed: 0n, chunksFree: 0n };

export const getMemoryInfo: Handler<object, GetMemoryInfoRequest, GetMemoryInfoResponse> = (_modules, { mode = 'stats' }) => {
  if (mode === 'stats') return { locked: NOTHING_LOCKED };
  if (mode !== 'mallocinfo') throw invalidParameter(`unknown mode ${mode}`);
  throw invalidParameter('mallocinfo is only available when compiled with glibc 2.10+');
};

/** Exclusion wins over inclusion of the same category. Over JSON-RPC any value but a list is ignored. */
export const logging: Handler<Pick<NodeModules, 'logCategories'>, LoggingRequest, LoggingResponse> = ({ logCategories }, request) => {
  for (const [field, on] of [['include', true] as const, ['exclude', false] as const]) {
    const json = rawJson(request, field);
    if (json === undefined || Array.isArray(json)) switchCategories(logCategories, request[field], on);
  }
  return { categories: logCategories.states() };
};

function switchCategories(categories: NodeModules['logCategories'], names: readonly string[], on: boolean): void {
  for (const name of names) {
    if (!categories.set(name, on)) throw invalidParameter(`unknown logging category ${name}`);
  }
}

export const setMockTime: Handler<Pick<NodeModules, 'chain' | 'clock'>, SetMockTimeRequest, SetMockTimeResponse> = (
  { chain, clock },
  request,
) => {
  if (!chain.params.isRegtest) throw new NodeError('misc', 'setmocktime for regression testing (-regtest mode) only');
  clock.setMockTime(Number(request.timestamp));
  return {};
};

/** Returns immediately: indexes are updated synchronously with the chain, so there is never a queue to wait for. */
export const syncWithValidationInterfaceQueue: Handler<
  object,
  SyncWithValidationInterfaceQueueRequest,
  SyncWithValidationInterfaceQueueResponse
> = () => ({});

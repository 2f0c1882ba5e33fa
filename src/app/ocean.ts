import { OceanServer } from '../gateway/ocean/ocean-server.js';
import { textOf } from '../gateway/reply.js';
import type { RpcMetrics } from '../metrics/rpc.js';
import { OceanApi } from '../ocean/api/api.js';
import { OperationFailed } from '../ocean/api/errors.js';
import type { OceanModules } from '../ocean/modules.js';
import type { Operations } from '../ocean/node/operations.js';
import { TipCache } from '../ocean/node/tip-cache.js';
import { oceanRoutes } from '../ocean/routes/index.js';
import type { Catalogue } from '../rpc/catalogue.js';
import { statusOf, toNodeError } from '../rpc/errors.js';
import type { CallContext } from '../rpc/handler.js';
import type { Invoker } from '../rpc/invoke.js';
import { MemoryStore } from '../storage/memory.js';
import { type JsonValue, parseJson } from '../util/json.js';
import type { StartParts } from './parts.js';
import type { StartedNode } from './started-node.js';

/** Time that the shutdown waits for running requests. */
const STOP_GRACE_MS = 20_000;

/** Modules that answer calls. */
interface Calls {
  readonly catalogue: Catalogue;
  readonly invoker: Invoker;
  readonly metrics: RpcMetrics;
}

/** Starts the HTTP API of light wallets with -oceanarchiveserver. It starts last, so that no request meets a node in warm-up. */
export async function startOcean(parts: StartParts, started: StartedNode, calls: Calls): Promise<void> {
  const { config, lifecycle, clock } = parts;
  const log = parts.log.child('ocean');
  const { ocean, rpc } = config;
  if (!ocean.server) return;
  const { chain, txIndex, oceanIndex } = started;
  const modules: OceanModules = {
    chain,
    txIndex,
    clock,
    operations: operations(calls, lifecycle.interrupt),
    rows: oceanIndex ?? { view: new MemoryStore(), position: undefined },
    perTip: new TipCache(() => chain.tip.hash),
  };
  const { port, bind, optional } = ocean.server;
  const server = new OceanServer(
    {
      port,
      bind,
      allowIp: rpc.allowIp,
      maxPending: rpc.threads + rpc.workQueue,
      idleTimeoutMs: rpc.idleTimeoutSec * 1000,
      stopGraceMs: STOP_GRACE_MS,
    },
    { service: new OceanApi(modules, oceanRoutes, log), rejected: calls.metrics.rejected, log },
  );
  try {
    const endpoints = await server.start();
    lifecycle.onStopFirst('ocean', () => server.stop());
    log.info('Ocean server listening', { endpoints });
  } catch (error) {
    if (!optional) throw error;
    log.warn('port is in use, running without the Ocean server', { port });
  }
}

/** Operations as JSON-RPC answers them, without its transport. */
function operations({ catalogue, invoker }: Calls, signal: AbortSignal): Operations {
  const call: CallContext = { dialect: 'json-rpc', requestId: 'ocean', user: undefined, wallet: undefined, signal };
  const callRaw: Operations['callRaw'] = async (method, params) => {
    try {
      const op = catalogue.byName(method);
      if (!op) throw new Error(`no operation ${method}`);
      const response = await invoker.open(op, call)(op.codec.bindPositional(params));
      return textOf(await op.codec.write(response, call));
    } catch (error) {
      const known = toNodeError(error);
      throw known.kind === 'unexpected' ? error : new OperationFailed(method, statusOf[known.kind].jsonRpc, known.message);
    }
  };
  return {
    callRaw,
    call: async (method, ...params) => parseJson(await callRaw(method, params.map(jsonOf))),
  };
}

function jsonOf(value: unknown): JsonValue {
  return parseJson(JSON.stringify(value) ?? 'null');
}

import { OceanServer } from '../gateway/ocean/ocean-server.js';
import { oceanMetrics } from '../metrics/ocean.js';
import type { RpcMetrics } from '../metrics/rpc.js';
import { OceanApi } from '../ocean/api/api.js';
import { OperationFailed } from '../ocean/api/errors.js';
import type { OceanModules } from '../ocean/modules.js';
import type { Operations } from '../ocean/node/operations.js';
import { TipCache } from '../ocean/node/tip-cache.js';
import { oceanRoutes } from '../ocean/routes/index.js';
import { statusOf, toNodeError } from '../rpc/errors.js';
import { MemoryStore } from '../storage/memory.js';
import { parseJson } from '../util/json.js';
import { listenerOptions, startListener } from './listeners.js';
import { type Calls, jsonArguments, ownCall } from './own-calls.js';
import type { StartParts } from './parts.js';
import type { StartedNode } from './started-node.js';

/** Starts the HTTP API of light wallets with -oceanarchiveserver. It starts last, so that no request meets a node in warm-up. */
export async function startOcean(parts: StartParts, started: StartedNode, calls: Calls & { readonly metrics: RpcMetrics }): Promise<void> {
  const { config, lifecycle, clock } = parts;
  const log = parts.log.child('ocean');
  const { ocean } = config;
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
  const service = new OceanApi(modules, oceanRoutes, { log, metrics: oceanMetrics(parts.registry) });
  const server = new OceanServer(listenerOptions(config, ocean.server), { service, rejected: calls.metrics.rejected, log });
  await startListener(parts, log, 'Ocean server', server, ocean.server);
}

/** Operations as JSON-RPC answers them. */
function operations(calls: Calls, signal: AbortSignal): Operations {
  const call = ownCall(calls, { requestId: 'ocean', transport: 'ocean', anyWallet: true, signal });
  const callRaw: Operations['callRaw'] = async (method, params) => {
    try {
      return await call(method, params);
    } catch (error) {
      const known = toNodeError(error);
      throw known.kind === 'unexpected' ? error : new OperationFailed(method, statusOf[known.kind].jsonRpc, known.message);
    }
  };
  return {
    callRaw,
    call: async (method, ...params) => parseJson(await callRaw(method, jsonArguments(params))),
  };
}

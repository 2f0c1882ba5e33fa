import type {
  GetRpcStatsRequest,
  GetRpcStatsResponse,
  ListRpcStatsRequest,
  ListRpcStatsResponse,
  RpcStats,
  RpcStatsRange,
} from '../../../../gen/ts/dfi/node/v1/control.js';
import type { CallStats, OperationStats, StatRange } from '../../../rpc/call-stats.js';
import type { Handler } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import type { CallStatsModules } from '../modules.js';

export const getRpcStats: Handler<CallStatsModules, GetRpcStatsRequest, GetRpcStatsResponse> = (modules, { command }) => {
  const stats = requireStats(modules).get(command);
  if (!stats) throw new NodeError('invalid-params', 'No stats for this command.');
  return { stats: formatStats(stats) };
};

export const listRpcStats: Handler<CallStatsModules, ListRpcStatsRequest, ListRpcStatsResponse> = (modules) => ({
  stats: requireStats(modules).list().map(formatStats),
});

function requireStats({ callStats }: CallStatsModules): Pick<CallStats, 'get' | 'list'> {
  if (!callStats) throw new NodeError('invalid-request', 'Rpcstats is desactivated.');
  return callStats;
}

function formatStats({ name, count, lastUsedTime, latency, payload, history }: OperationStats): RpcStats {
  return {
    name,
    count: BigInt(count),
    lastusedtime: BigInt(lastUsedTime),
    latency: formatRange(latency),
    payload: formatRange(payload),
    history: history.map((call) => ({
      timestamp: BigInt(call.timestamp),
      latency: BigInt(call.latency),
      payload: BigInt(call.payload),
    })),
  };
}

function formatRange({ min, avg, max }: StatRange): RpcStatsRange {
  return { min: BigInt(min), avg: BigInt(avg), max: BigInt(max) };
}

import type { Config } from '../config/config.js';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from '../gateway/connection-limits.js';
import { METRICS_CONNECTIONS } from '../gateway/metrics-port.js';
import { CONNECTION_LIMITS } from '../grpc/listen.js';
import type { Logger } from '../util/logger.js';

/** File descriptors reserved for logs, wallets and libraries, as many as Bitcoin Core reserves. */
const RESERVED = 150;

/** Maximum number of open files of the database. */
const STORE_FILES = 1000;

/** Number of connections that are accepted even if there are too few descriptors. */
const MIN_CONNECTIONS = 16;

/** Descriptors of a gRPC connection: its own, and both ends of the inner connection to the gRPC library. */
const GRPC_DESCRIPTORS = 3;

type Uses = Pick<Config, 'mode' | 'p2p' | 'grpc' | 'metrics'>;

/** @returns maximum number of open file descriptors of the process; undefined if the system has no such limit */
export function descriptorLimit(): number | undefined {
  const { report } = process;
  // The report would otherwise resolve the host names of all peers, which takes long.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** Limits of HTTP connections: the descriptors that files, peers and gRPC leave. Logs a warning if they are fewer than the default. */
export function httpConnections(config: Uses, limit: number | undefined, log: Logger): ConnectionLimits {
  if (limit === undefined) return DEFAULT_CONNECTION_LIMITS;
  const others = RESERVED + descriptorsOf(config);
  const total = Math.max(MIN_CONNECTIONS, Math.min(DEFAULT_CONNECTION_LIMITS.total, limit - others));
  if (total === DEFAULT_CONNECTION_LIMITS.total) return DEFAULT_CONNECTION_LIMITS;
  log.warn('Not enough file descriptors: HTTP connections are reduced', {
    limit,
    needed: others + DEFAULT_CONNECTION_LIMITS.total,
    connections: total,
  });
  return { total, perAddress: Math.ceil(total / 4) };
}

function descriptorsOf({ mode, p2p, grpc, metrics }: Uses): number {
  const ofMetrics = metrics ? METRICS_CONNECTIONS.total : 0;
  if (mode === 'gateway') return ofMetrics;
  return ofMetrics + STORE_FILES + p2p.maxConnections + (grpc ? CONNECTION_LIMITS.connections * GRPC_DESCRIPTORS : 0);
}

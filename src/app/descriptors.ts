import type { Config } from '../config/config.js';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from '../gateway/connection-limits.js';
import { METRICS_CONNECTIONS } from '../gateway/metrics-port.js';
import { CONNECTION_LIMITS } from '../grpc/listen.js';
import type { Logger } from '../util/logger.js';

/** File descriptors for logs, wallets, libraries and the like, as many as Bitcoin Core sets aside. */
const RESERVED = 150;

/** Files that the store keeps open at most. */
const STORE_FILES = 1000;

/** So many are served even where descriptors are short. */
const FEWEST_CONNECTIONS = 16;

type Uses = Pick<Config, 'mode' | 'p2p' | 'grpc' | 'metrics'>;

/** @returns descriptors that the process may have open; undefined where the system has no such limit */
export function descriptorLimit(): number | undefined {
  const { report } = process;
  // Names of other machines are of no interest here, and looking them up takes long.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** Bounds HTTP connections by what files, peers and gRPC leave of the process's descriptors, and warns where that is little. */
export function httpConnections(config: Uses, limit: number | undefined, log: Logger): ConnectionLimits {
  if (limit === undefined) return DEFAULT_CONNECTION_LIMITS;
  const others = RESERVED + descriptorsOf(config);
  const total = Math.max(FEWEST_CONNECTIONS, Math.min(DEFAULT_CONNECTION_LIMITS.total, limit - others));
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
  return ofMetrics + STORE_FILES + p2p.maxConnections + (grpc ? CONNECTION_LIMITS.connections : 0);
}

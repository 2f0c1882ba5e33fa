import { Counter, Histogram, type Registry } from 'prom-client';
import { watch } from './gauge.js';

/** Reason for which a request was rejected before an operation ran. */
export type RejectReason = 'unauthenticated' | 'permission' | 'source' | 'site' | 'connections' | 'queue' | 'size' | 'malformed';

/** Counts a request that was rejected before any operation ran. */
export type Rejected = (reason: RejectReason) => void;

/** Observer of calls. `code` is a gRPC status by name, `seconds` the time from the start of the operation to its answer. */
export interface RpcMetrics {
  finished(transport: string, method: string, code: string, seconds: number): void;
  rejected(reason: RejectReason): void;
}

/**
 * Metrics of calls.
 * @param inFlight returns the number of running calls; called on scrape
 */
export function rpcMetrics(registry: Registry, inFlight: () => number): RpcMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'dfi_rpc_requests_total',
    help: 'Calls by transport, operation and gRPC status',
    labelNames: ['transport', 'method', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'dfi_rpc_duration_seconds',
    help: 'Time from the start of an operation to its answer',
    labelNames: ['transport'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  watch(registry, 'dfi_rpc_in_flight', 'Calls that run now', inFlight);
  const rejected = new Counter({
    name: 'dfi_rpc_rejected_total',
    help: 'Requests rejected before an operation ran, by reason',
    labelNames: ['reason'],
    registers,
  });
  return {
    finished(transport, method, code, seconds) {
      requests.inc({ transport, method, code });
      duration.observe({ transport }, seconds);
    },
    rejected(reason) {
      rejected.inc({ reason });
    },
  };
}

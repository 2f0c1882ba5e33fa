import { Counter, type Registry } from 'prom-client';
import { Durations } from './durations.js';
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
  const calls = new CallCounts();
  new Counter({
    name: 'dfi_rpc_requests_total',
    help: 'Calls by transport, operation and gRPC status',
    labelNames: ['transport', 'method', 'code'],
    registers,
    collect() {
      for (const { labels, count } of calls.drain()) this.inc(labels, count);
    },
  });
  const durations = new Durations(registry, {
    name: 'dfi_rpc_duration_seconds',
    help: 'Time from the start of an operation to its answer',
    label: 'transport',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
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
      calls.add(transport, method, code);
      durations.add(transport, seconds);
    },
    rejected(reason) {
      rejected.inc({ reason });
    },
  };
}

interface CallCount {
  readonly labels: { readonly transport: string; readonly method: string; readonly code: string };
  count: number;
}

/** Calls since the last scrape. The library's counter would check and hash the three labels at each call. */
class CallCounts {
  /** By method, which tells most calls apart, then by transport and code. */
  readonly #byMethod = new Map<string, CallCount[]>();

  add(transport: string, method: string, code: string): void {
    let counts = this.#byMethod.get(method);
    if (!counts) {
      counts = [];
      this.#byMethod.set(method, counts);
    }
    for (const known of counts) {
      if (known.labels.code !== code || known.labels.transport !== transport) continue;
      known.count += 1;
      return;
    }
    counts.push({ labels: { transport, method, code }, count: 1 });
  }

  /** The counts since the last time, each of which starts again at zero. */
  *drain(): Generator<CallCount, void> {
    for (const counts of this.#byMethod.values()) {
      for (const call of counts) {
        if (call.count > 0) yield call;
        call.count = 0;
      }
    }
  }
}

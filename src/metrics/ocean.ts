import { Counter, type Registry } from 'prom-client';
import { Durations } from './durations.js';

/** Observer of requests to the HTTP API of light wallets. */
export interface OceanMetrics {
  /** @param endpoint its path with names of parameters; `unknown` for a request that met none @param seconds time until the answer was ready */
  answered(endpoint: string, status: number, seconds: number): void;
}

/** Metrics of requests to the HTTP API of light wallets. */
export function oceanMetrics(registry: Registry): OceanMetrics {
  const requests = new Counter({
    name: 'dfi_ocean_requests_total',
    help: 'Requests to Ocean by endpoint and HTTP status',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  });
  const durations = new Durations(registry, {
    name: 'dfi_ocean_duration_seconds',
    help: 'Time from a request to Ocean to its answer',
    label: 'endpoint',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    answered(endpoint, status, seconds) {
      requests.inc({ endpoint, status });
      durations.add(endpoint, seconds);
    },
  };
}

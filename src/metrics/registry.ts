import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export { Registry } from 'prom-client';

/** Facts about the running program; `version` is that of the release. */
export interface BuildInfo {
  readonly version: string;
  /** True if libsecp256k1 verifies signatures. */
  readonly nativeEcdsa: boolean;
}

/** Gauges of the library with the names of counters, which promtool rejects. Metrics with the label `type` have the same facts. */
const MISNAMED = ['dfi_nodejs_active_handles_total', 'dfi_nodejs_active_requests_total', 'dfi_nodejs_active_resources_total'];

/** A registry with the metrics of the process: memory, CPU, garbage collection and event-loop lag under `dfi_`, and the build. */
export function createRegistry({ version, nativeEcdsa }: BuildInfo): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'dfi_' });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: 'dfi_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
  new Gauge({
    name: 'dfi_ecdsa_native',
    help: '1 if libsecp256k1 verifies signatures, 0 if the slower fallback does',
    registers: [registry],
  }).set(nativeEcdsa ? 1 : 0);
  return registry;
}

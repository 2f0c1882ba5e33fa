import { Histogram, type Registry } from 'prom-client';
import { watch } from './gauge.js';

export interface StoreMetrics {
  /** One batch was written. */
  wrote(seconds: number): void;
  /** One read went to the database. */
  read(seconds: number): void;
}

export interface StoreGauges {
  /** Bytes of the database on disk. */
  sizeBytes(): number;
  /** Bytes that its block cache holds. */
  cacheBytes?(): number;
}

/** Metrics of the store. */
export function storeMetrics(registry: Registry, gauges: StoreGauges): StoreMetrics {
  const registers = [registry];
  const buckets = [0.00001, 0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
  const batch = new Histogram({ name: 'dfi_store_batch_seconds', help: 'Time to write one batch', buckets, registers });
  const read = new Histogram({ name: 'dfi_store_read_seconds', help: 'Time of one read of the database', buckets, registers });
  watch(registry, 'dfi_store_size_bytes', 'Bytes of the database on disk', () => gauges.sizeBytes());
  const { cacheBytes } = gauges;
  if (cacheBytes) watch(registry, 'dfi_store_cache_bytes', 'Bytes held by the cache of the database', () => cacheBytes.call(gauges));
  return { wrote: (seconds) => batch.observe(seconds), read: (seconds) => read.observe(seconds) };
}

import { Counter, type Registry } from 'prom-client';
import { watch } from './gauge.js';

/** The part of the cache of answers that metrics read. */
export interface ObservedAnswers {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** Metrics of the cache of answers, read on scrape. */
export function observeAnswers(registry: Registry, cache: ObservedAnswers): void {
  total(registry, 'dfi_rpc_cache_hits_total', 'Calls answered from the cache of answers', () => cache.hits);
  total(registry, 'dfi_rpc_cache_misses_total', 'Calls that the cache of answers had no answer to', () => cache.misses);
  watch(registry, 'dfi_rpc_cache_bytes', 'Memory use of the cache of answers, bytes', () => cache.bytes);
}

/** Adds a counter whose value is read on scrape. */
function total(registry: Registry, name: string, help: string, value: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

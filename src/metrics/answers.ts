import type { Registry } from 'prom-client';
import { count, watch } from './gauge.js';

/** The part of the cache of answers that metrics read. */
export interface ObservedAnswers {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** Metrics of the cache of answers, read on scrape. */
export function observeAnswers(registry: Registry, cache: ObservedAnswers): void {
  count(registry, 'dfi_rpc_cache_hits_total', 'Calls answered from the cache of answers', () => cache.hits);
  count(registry, 'dfi_rpc_cache_misses_total', 'Calls that the cache of answers had no answer to', () => cache.misses);
  watch(registry, 'dfi_rpc_cache_bytes', 'Memory use of the cache of answers, bytes', () => cache.bytes);
}

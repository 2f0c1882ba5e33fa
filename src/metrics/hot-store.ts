import type { Registry } from 'prom-client';
import { count, watch } from './gauge.js';

/** The part of the store of hot rows that metrics read. */
export interface ObservedHotStore {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** Metrics of the DeFi state that is kept in memory, read on scrape. */
export function observeHotStore(registry: Registry, store: ObservedHotStore): void {
  count(registry, 'dfi_state_cache_hits_total', 'Rows of the DeFi state that were read from memory', () => store.hits);
  count(registry, 'dfi_state_cache_misses_total', 'Rows of the DeFi state that were read from the database', () => store.misses);
  watch(registry, 'dfi_state_cache_bytes', 'Estimated memory of the rows of the DeFi state in memory', () => store.bytes);
}

import type { Registry } from 'prom-client';
import { watch } from './gauge.js';

/** The part of the sync that metrics read. */
export interface ObservedSync {
  readonly blocksInFlight: number;
  readonly orphanBlocks: number;
  readonly orphanTransactions: number;
  readonly progress: { headersShare(): number; blocksShare(): number };
}

/** Metrics of the sync: values are read on scrape. */
export function observeSync(registry: Registry, sync: ObservedSync): void {
  watch(registry, 'dfi_sync_blocks_in_flight', 'Blocks requested from peers', () => sync.blocksInFlight);
  watch(registry, 'dfi_sync_headers_ratio', 'Estimated share of the headers that are known', () => sync.progress.headersShare());
  watch(registry, 'dfi_sync_blocks_ratio', 'Share of the known blocks that are validated', () => sync.progress.blocksShare());
  watch(registry, 'dfi_sync_orphan_blocks', 'Blocks kept whose parents are unknown', () => sync.orphanBlocks);
  watch(registry, 'dfi_sync_orphan_transactions', 'Transactions kept whose parents are unknown', () => sync.orphanTransactions);
}

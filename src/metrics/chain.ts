import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { watch } from './gauge.js';

/** Kinds of faults that halt block processing. */
const FAULT_KINDS = ['disk-full', 'write', 'damaged', 'internal'] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

/** The part of the chain that metrics read. */
export interface ObservedChain {
  readonly tip: { readonly height: number; readonly time: number };
  readonly bestHeader: { readonly height: number };
  readonly blockCache: { readonly hits: number; readonly misses: number; readonly bytes: number };
  /** Undefined while blocks are processed. */
  readonly fault: { readonly kind: FaultKind } | undefined;
  verificationProgress(): number;
  on(name: 'disconnected' | 'tip', listener: () => void): () => void;
}

export interface ChainMetrics {
  /** @param stage step of connecting a block, e.g. `check`, `connect`, `write` */
  connected(stage: string, seconds: number): void;
  /** Unsubscribes from the chain. */
  stop(): void;
}

/** Metrics of the chain: values are read on scrape, reorganisations are counted by events. */
export function observeChain(registry: Registry, chain: ObservedChain): ChainMetrics {
  const registers = [registry];
  watch(registry, 'dfi_chain_height', 'Height of the validated tip', () => chain.tip.height);
  watch(registry, 'dfi_chain_headers', 'Height of the best known header', () => chain.bestHeader.height);
  watch(registry, 'dfi_chain_tip_timestamp_seconds', 'Time of the validated tip', () => chain.tip.time);
  watch(registry, 'dfi_sync_progress_ratio', 'Estimated share of the chain that is validated', () => chain.verificationProgress());
  watchFaults(registry, chain);
  watchBlockCache(registry, chain);
  const connectSeconds = new Histogram({
    name: 'dfi_block_connect_seconds',
    help: 'Time to connect a block, by stage',
    labelNames: ['stage'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  const stopReorgs = observeReorgs(registry, chain);
  return {
    connected: (stage, seconds) => connectSeconds.observe({ stage }, seconds),
    stop: stopReorgs,
  };
}

function watchFaults(registry: Registry, chain: ObservedChain): void {
  new Gauge({
    name: 'dfi_chain_halted',
    help: '1 if block processing is halted by a fault of that kind',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const kind of FAULT_KINDS) this.set({ kind }, chain.fault?.kind === kind ? 1 : 0);
    },
  });
}

function watchBlockCache(registry: Registry, chain: ObservedChain): void {
  const lookups = {
    name: 'dfi_block_cache_lookups_total',
    help: 'Lookups in the cache of decoded blocks, by result',
    labelNames: ['result'],
  };
  new Counter({
    ...lookups,
    registers: [registry],
    collect() {
      const { hits, misses } = chain.blockCache;
      this.reset();
      this.inc({ result: 'hit' }, hits);
      this.inc({ result: 'miss' }, misses);
    },
  });
  watch(registry, 'dfi_block_cache_bytes', 'Estimated memory of the cache of decoded blocks', () => chain.blockCache.bytes);
}

function observeReorgs(registry: Registry, chain: ObservedChain): () => void {
  const registers = [registry];
  const reorgs = new Counter({ name: 'dfi_chain_reorgs_total', help: 'Changes of the tip that disconnected blocks', registers });
  const depths = new Histogram({
    name: 'dfi_chain_reorg_depth',
    help: 'Blocks disconnected by a change of the tip',
    buckets: [1, 2, 3, 5, 10, 25, 100],
    registers,
  });
  let depth = 0;
  const stops = [
    chain.on('disconnected', () => {
      depth += 1;
    }),
    chain.on('tip', () => {
      if (depth > 0) {
        reorgs.inc();
        depths.observe(depth);
      }
      depth = 0;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

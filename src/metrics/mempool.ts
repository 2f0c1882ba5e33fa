import { Counter, type Registry } from 'prom-client';
import { watch } from './gauge.js';

/** What is watched of the mempool. */
export interface ObservedMempool {
  readonly pool: {
    readonly size: number;
    readonly memoryUsage: number;
    on(name: 'removed', listener: (event: { readonly reason: string }) => void): () => void;
  };
  /** Satoshis per kB. */
  minimumFeeRate(): bigint;
}

/** Removals that are no news: the transaction is in a block. */
const CONFIRMED = 'block';

/** Metrics of the mempool: values are read when the metrics are, removals are counted as they happen. */
export function observeMempool(registry: Registry, mempool: ObservedMempool): void {
  const registers = [registry];
  watch(registry, 'dfi_mempool_transactions', 'Transactions that wait for a block', () => mempool.pool.size);
  watch(registry, 'dfi_mempool_bytes', 'Memory that waiting transactions take', () => mempool.pool.memoryUsage);
  watch(registry, 'dfi_mempool_min_fee', 'Least fee rate that gets into the mempool, satoshis per kB', () =>
    Number(mempool.minimumFeeRate()),
  );
  const evicted = new Counter({
    name: 'dfi_mempool_evicted_total',
    help: 'Transactions that left the mempool without a block',
    labelNames: ['reason'],
    registers,
  });
  mempool.pool.on('removed', ({ reason }) => {
    if (reason !== CONFIRMED) evicted.inc({ reason });
  });
}

import { Counter, type Registry } from 'prom-client';
import { watch } from './gauge.js';

/** The part of the mempool that metrics read. */
export interface ObservedMempool {
  readonly pool: {
    readonly size: number;
    readonly memoryUsage: number;
    on(name: 'removed', listener: (event: { readonly reason: string }) => void): () => void;
  };
  /** Satoshis per kB. */
  minimumFeeRate(): bigint;
}

/** Removal reason that is not counted: confirmation in a block. */
const CONFIRMED = 'block';

/** Metrics of the mempool: values are read on scrape, removals are counted by events. */
export function observeMempool(registry: Registry, mempool: ObservedMempool): void {
  const registers = [registry];
  watch(registry, 'dfi_mempool_transactions', 'Transactions in the mempool', () => mempool.pool.size);
  watch(registry, 'dfi_mempool_bytes', 'Memory use of the mempool, bytes', () => mempool.pool.memoryUsage);
  watch(registry, 'dfi_mempool_min_fee', 'Minimum fee rate for acceptance into the mempool, satoshis per kB', () =>
    Number(mempool.minimumFeeRate()),
  );
  const evicted = new Counter({
    name: 'dfi_mempool_evicted_total',
    help: 'Transactions removed from the mempool without confirmation, by reason',
    labelNames: ['reason'],
    registers,
  });
  mempool.pool.on('removed', ({ reason }) => {
    if (reason !== CONFIRMED) evicted.inc({ reason });
  });
}

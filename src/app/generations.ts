import type { Generations } from '../rpc/answer-cache.js';
import type { Clock } from '../util/clock.js';
import type { StartedNode } from './started-node.js';

type Sources = Pick<StartedNode, 'chain' | 'mempool' | 'mempoolPersistence' | 'wallets' | 'txIndex' | 'filterIndex' | 'warnings'>;

/** Generations of everything that cached answers depend on. */
export function generations(sources: Sources, clock: Pick<Clock, 'seconds'>): Generations {
  const { chain, mempool, mempoolPersistence, wallets, txIndex, filterIndex, warnings } = sources;
  // Of an index that catches up with the chain nothing is cached: every value is new.
  const progress = (): unknown => (txIndex?.synced === false || filterIndex?.synced === false ? {} : undefined);
  return {
    tip: () => chain.tipChanges,
    blocks: () => chain.blockChanges,
    // Negative until the stored mempool is loaded.
    mempool: () => (mempoolPersistence.loaded ? mempool.pool.updates : -1 - mempool.pool.updates),
    wallets: () => wallets?.changes,
    indexes: progress,
    clock: () => clock.seconds(),
    warnings: () => warnings.text,
  };
}

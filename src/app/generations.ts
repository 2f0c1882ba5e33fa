import type { Generations } from '../rpc/answer-cache.js';
import type { Clock } from '../util/clock.js';
import type { StartedNode } from './started-node.js';

type Sources = Pick<
  StartedNode,
  'chain' | 'mempool' | 'mempoolPersistence' | 'wallets' | 'txIndex' | 'filterIndex' | 'warnings' | 'minter' | 'staker' | 'network'
>;

/** Generations of everything that cached answers depend on. */
export function generations(sources: Sources, clock: Pick<Clock, 'seconds'>): Generations {
  const { chain, mempool, mempoolPersistence, wallets, txIndex, filterIndex, warnings, minter, staker, network } = sources;
  const { peers } = network;
  // While an index catches up, each read of its generation is a new value, so that answers from it are not cached.
  const progress = (): unknown => (txIndex?.synced === false || filterIndex?.synced === false ? {} : undefined);
  return {
    tip: () => chain.tipChanges,
    blocks: () => chain.blockChanges,
    mempool: together(
      () => mempool.pool.updates,
      () => mempoolPersistence.loaded,
    ),
    // While a wallet rescans, answers about wallets are not cached, because they contain its progress.
    wallets: () => (wallets?.isRescanning ? {} : wallets?.changes),
    indexes: progress,
    clock: () => clock.seconds(),
    warnings: () => warnings.text,
    minting: together(
      () => minter.lastAssembled,
      () => staker?.running,
      () => staker?.attempts,
    ),
    network: together(
      () => peers.count,
      () => peers.active,
      () => peers.timeOffset(),
      () => peers.options.services,
      () => peers.local.changes,
      // The only address that changes at run time: the Tor service sets it.
      () => peers.networks.proxyOf('onion'),
    ),
  };
}

/** One generation for several values. It changes whenever one of them does. */
function together(...values: readonly (() => unknown)[]): () => unknown {
  let last: readonly unknown[] = [];
  let generation = {};
  return () => {
    if (values.every((value, i) => value() === last[i]) && last.length > 0) return generation;
    last = values.map((value) => value());
    generation = {};
    return generation;
  };
}

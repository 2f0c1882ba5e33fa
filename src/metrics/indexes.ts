import { Gauge, type Registry } from 'prom-client';

/** The part of an index that metrics read. */
export interface ObservedIndex {
  /** Last indexed block of the active chain; undefined before the first. */
  readonly position: { readonly height: number } | undefined;
}

/** Metric of the indexes of the chain, by the option that switches each on, read on scrape. */
export function observeIndexes(registry: Registry, indexes: ReadonlyMap<string, ObservedIndex>): void {
  new Gauge({
    name: 'dfi_index_height',
    help: 'Height of the last block of an index, -1 before the first; that of the chain once the index has caught up',
    labelNames: ['index'],
    registers: [registry],
    collect() {
      for (const [index, { position }] of indexes) this.set({ index }, position?.height ?? -1);
    },
  });
}

import { Gauge, type Registry } from 'prom-client';
import { count, watch } from './gauge.js';

/** The part of the database that metrics read. */
export interface ObservedStore {
  /** Batches written since the start: their number, their rows, and the time until they were written. */
  readonly writes: { readonly batches: number; readonly rows: number; readonly seconds: number };
  /** State of the background work of the engine. */
  work(): { readonly compactions: number; readonly flushes: number; readonly errors: number; readonly isDelayed: boolean };
  /** Files on disk. */
  files(): Promise<{ readonly tables: number; readonly tableBytes: number; readonly logBytes: number }>;
}

/** Metrics of the database, read on scrape. */
export function observeStore(registry: Registry, store: ObservedStore): void {
  count(registry, 'dfi_store_batches_total', 'Batches written to the database', () => store.writes.batches);
  count(registry, 'dfi_store_rows_total', 'Rows written to the database, deleted ones included', () => store.writes.rows);
  count(registry, 'dfi_store_write_seconds_total', 'Time to write batches to the database', () => store.writes.seconds);
  watch(registry, 'dfi_store_running_compactions', 'Compactions of the database under way', () => store.work().compactions);
  watch(registry, 'dfi_store_running_flushes', 'Memory tables being written to files', () => store.work().flushes);
  watch(
    registry,
    'dfi_store_background_errors',
    'Errors of the background work of the database since the start',
    () => store.work().errors,
  );
  watch(registry, 'dfi_store_writes_delayed', '1 if the database delays writes until compactions catch up', () =>
    store.work().isDelayed ? 1 : 0,
  );
  observeFiles(registry, store);
}

function observeFiles(registry: Registry, store: ObservedStore): void {
  let looking: ReturnType<ObservedStore['files']> | undefined;
  /** The gauges of one scrape share a look at the directory. */
  const files = (): ReturnType<ObservedStore['files']> => {
    looking ??= store.files().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const watchFiles = (name: string, help: string, member: 'tables' | 'tableBytes' | 'logBytes'): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await files())[member]);
      },
    });
  };
  watchFiles('dfi_store_tables', 'Table files of the database', 'tables');
  watchFiles('dfi_store_table_bytes', 'Bytes of the table files of the database', 'tableBytes');
  watchFiles('dfi_store_log_bytes', 'Bytes of the write-ahead log: the rows of memory tables, not in table files yet', 'logBytes');
}

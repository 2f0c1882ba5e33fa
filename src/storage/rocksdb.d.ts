/** Part of `@nxtedition/rocksdb` 12.2.12 that is used here; the package has no types. Its synchronous calls begin with `_`. */
declare module 'rocksdb' {
  /** Handle of a column family. */
  export interface Family {
    readonly family: unique symbol;
  }

  export interface FamilyOptions {
    readonly cacheSize?: number;
    readonly compaction?: 'level' | 'universal';
    readonly memtableMemoryBudget?: number;
    readonly optimize?: 'point-lookup';
  }

  export interface RocksIterator {
    _seekSync(target: Uint8Array): void;
    /** Keys and values alternate in `rows`. */
    _nextvSync(size: number): { readonly rows: readonly Uint8Array[]; readonly finished: boolean };
    _closeSync(): void;
    close(callback: (error?: Error) => void): void;
  }

  export interface RocksBatch {
    _put(key: Uint8Array, value: Uint8Array, options: { readonly column: Family }): void;
    _del(key: Uint8Array, options: { readonly column: Family }): void;
    _writeSync(options: { readonly sync: boolean }): void;
    _closeSync(): void;
    close(callback: (error?: Error) => void): void;
  }

  export interface ReadOptions {
    readonly column: Family;
    readonly valueEncoding: 'buffer';
  }

  export interface IteratorOptions {
    readonly column: Family;
    /** Keys of an iterator with `utf8` are texts. */
    readonly keyEncoding: 'buffer' | 'utf8';
    readonly valueEncoding: 'buffer';
    /** False to leave values undefined. */
    readonly values?: boolean;
    readonly gte?: Uint8Array;
    readonly lt?: Uint8Array;
    readonly reverse?: boolean;
    readonly fillCache?: boolean;
    readonly highWaterMarkBytes?: number;
  }

  export class RocksLevel {
    constructor(
      directory: string,
      options: {
        readonly columns: Readonly<Record<string, FamilyOptions>>;
        readonly createIfMissing: boolean;
        /** Compresses the write-ahead log; by default the library does. */
        readonly walCompression: boolean;
        readonly keyEncoding: 'buffer';
        readonly valueEncoding: 'buffer';
      },
    );
    readonly status: 'opening' | 'open' | 'closing' | 'closed';
    readonly columns: Readonly<Record<string, Family>>;
    open(): Promise<void>;
    close(): Promise<void>;
    /** Property of the engine as text; empty for an unknown one. */
    getProperty(name: string): string;
    detachResource(resource: RocksIterator | RocksBatch): void;
    _getManySync(keys: readonly Uint8Array[], options: ReadOptions): (Uint8Array | undefined)[];
    /** `_getManySync` on a thread of the pool of libuv. The database must not be closed before the promise is resolved. */
    _getManyAsync(keys: readonly Uint8Array[], options: ReadOptions): Promise<(Uint8Array | undefined)[]>;
    _iterator(options: IteratorOptions): RocksIterator;
    _chainedBatch(): RocksBatch;
  }
}

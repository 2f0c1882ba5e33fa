import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FamilyOptions, RocksLevel } from 'rocksdb';
import { StoreDamaged, StoreLocked } from './errors.js';
import { causeOf, damaged } from './rocks-damage.js';

/** Memory tables of a family, bytes. The write-ahead log that a start replays is at most six times this size per family. */
const MEMTABLE_BYTES = 32 * 2 ** 20;

/**
 * Opens a database, or creates it.
 * @param cacheBytes size of the block cache, divided evenly among the column families
 * @throws {StoreLocked} if another process has it open
 * @throws {StoreDamaged} if it cannot be read
 */
export async function openDatabase(directory: string, families: ReadonlySet<string>, cacheBytes: number): Promise<RocksLevel> {
  const { RocksLevel } = await loadEngine();
  const names = new Set(['default', ...families]);
  for (let attempt = 0; ; attempt++) {
    const settings: FamilyOptions = {
      cacheSize: Math.floor(cacheBytes / names.size),
      compaction: 'level',
      memtableMemoryBudget: MEMTABLE_BYTES,
      // Bloom filters also for memory tables, and hash indexes in blocks: most reads are of one key, which is often absent.
      optimize: 'point-lookup',
    };
    const columns = Object.fromEntries([...names].map((name) => [name, settings]));
    const db = new RocksLevel(directory, {
      columns,
      createIfMissing: true,
      // Rows are mostly hashes, which compress little for the time and the memory that it takes.
      walCompression: false,
      keyEncoding: 'buffer',
      valueEncoding: 'buffer',
    });
    try {
      await db.open();
      return db;
    } catch (error) {
      const { code, message } = causeOf(error);
      const unknown = /Column families not opened: (.*)$/.exec(message)?.[1];
      if (unknown && attempt === 0) {
        // A newer program created them. They must be opened too, so that the version record can be read.
        for (const name of unknown.split(', ')) names.add(name);
        continue;
      }
      if (code === 'LEVEL_LOCKED') throw new StoreLocked(directory, { cause: error });
      if (code === 'LEVEL_CORRUPTION' || message.includes('No such file')) throw damaged(directory, message, error);
      throw new Error(`cannot open the database in ${directory}: ${message}`, { cause: error });
    }
  }
}

/** Closes a database. @throws {Error} with the engine's reason; the database is closed nevertheless, although the library takes it for open */
export async function closeDatabase(db: RocksLevel, directory: string): Promise<void> {
  try {
    await db.close();
  } catch (error) {
    throw new Error(`cannot close the database in ${directory}: ${causeOf(error).message}`, { cause: error });
  }
}

/** Open databases of locks. References to them prevent garbage collection, which would close them and release the locks. */
const locks = new Set<RocksLevel>();

/**
 * Locks an empty database, which is created if necessary, with a lock of the kernel.
 * @returns a function that releases the lock
 * @throws {StoreLocked} if it is locked, by another process or by this one
 */
export async function lockDatabase(directory: string): Promise<() => Promise<void>> {
  mkdirSync(directory, { recursive: true });
  const open = () => openDatabase(directory, new Set(), 0);
  let db: RocksLevel;
  try {
    db = await open();
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    // Nothing is stored here. The LOCK file is kept, because otherwise two processes could each lock a file of that name.
    for (const name of readdirSync(directory)) if (name !== 'LOCK') rmSync(join(directory, name), { recursive: true, force: true });
    db = await open();
  }
  locks.add(db);
  return async () => {
    try {
      await closeDatabase(db, directory);
    } finally {
      locks.delete(db);
    }
  };
}

async function loadEngine(): Promise<typeof import('rocksdb')> {
  try {
    return (await import('rocksdb')).default;
  } catch (error) {
    throw new Error(
      `the database engine has no binary for ${process.platform}-${process.arch}: it needs Linux on x64 with glibc, or macOS on arm64`,
      { cause: error },
    );
  }
}

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** State of the background work of the engine. */
export interface StoreWork {
  readonly compactions: number;
  readonly flushes: number;
  /** Errors since the start. */
  readonly errors: number;
  /** True while writes wait for compactions. */
  readonly isDelayed: boolean;
}

/** Files of a database. The engine keeps rows in table files, and those of memory tables in the write-ahead log. */
export interface StoreFiles {
  readonly tables: number;
  readonly tableBytes: number;
  readonly logBytes: number;
}

/** Number of files whose sizes are read at a time. */
const FILES_AT_ONCE = 32;

/** @param property reads a property of the engine; the binding knows only those that all families share */
export function storeWork(property: (name: string) => number): StoreWork {
  return {
    compactions: property('num-running-compactions'),
    flushes: property('num-running-flushes'),
    errors: property('background-errors'),
    isDelayed: property('is-write-stopped') > 0 || property('actual-delayed-write-rate') > 0,
  };
}

/** Counts the files in the directory of a database. */
export async function storeFiles(directory: string): Promise<StoreFiles> {
  const names = (await readdir(directory)).filter((name) => /\.(?:sst|log)$/.test(name));
  const found = { tables: 0, tableBytes: 0, logBytes: 0 };
  for (let i = 0; i < names.length; i += FILES_AT_ONCE) {
    await Promise.all(
      names.slice(i, i + FILES_AT_ONCE).map(async (name) => {
        const bytes = await sizeOf(join(directory, name));
        if (name.endsWith('.log')) found.logBytes += bytes;
        else {
          found.tables += 1;
          found.tableBytes += bytes;
        }
      }),
    );
  }
  return found;
}

/** 0 for a file that the engine has deleted meanwhile. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

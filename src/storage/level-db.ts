import { readdirSync } from 'node:fs';

/** The database is one of `defid`, which this program can neither read nor leave as it is once it is open. */
export class ForeignData extends Error {
  override name = 'ForeignData';
  /** @param database path of the database */
  constructor(readonly database: string) {
    super(`${database} is a database of defid, which this program cannot use. Nothing was changed; choose another directory with -datadir`);
  }
}

/** Files that RocksDB has and LevelDB has not. RocksDB writes `IDENTITY` first, so every database of this program has one of them. */
const ROCKS_FILE = /^IDENTITY$|^OPTIONS-|\.sst$/;

/** True if a directory contains a database of LevelDB, the engine of `defid`. RocksDB would rewrite it, or abort the process. */
export function isLevelDb(directory: string): boolean {
  const names = namesIn(directory);
  // Earlier versions of this program opened such a database, so it may have files of RocksDB too.
  if (names.some((name) => name.endsWith('.ldb'))) return true;
  return names.some((name) => name === 'CURRENT' || name.startsWith('MANIFEST-')) && !names.some((name) => ROCKS_FILE.test(name));
}

/** True if a directory contains a database of this program. */
export function isRocksDb(directory: string): boolean {
  return !isLevelDb(directory) && namesIn(directory).some((name) => ROCKS_FILE.test(name));
}

/** @throws {ForeignData} if a directory contains a database of `defid` */
export function refuseLevelDb(directory: string): void {
  if (isLevelDb(directory)) throw new ForeignData(directory);
}

/** Names in a directory; none if it cannot be read, which whatever opens it will report. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

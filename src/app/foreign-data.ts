import { join } from 'node:path';
import { DEFID_FOLDERS } from '../config/data-dir.js';
import { databaseOf, type ImportPaths } from '../snapshot/install.js';
import { isRocksDb, refuseLevelDb } from '../storage/level-db.js';

/**
 * Refuses a data directory of `defid`, which by default is at the same place, before anything in it is changed: `-reindex` would delete its
 * databases, and new blocks would be appended to its block files. Block files alone, without databases of `defid`, are imported: they may
 * be copies that the operator made to save the download. Next to a database of this program, others do no harm.
 * @throws {ForeignData}
 */
export function refuseForeignData(paths: ImportPaths): void {
  const { networkDir, blocksDir } = paths;
  const database = databaseOf(paths);
  refuseLevelDb(database);
  if (isRocksDb(database)) return;
  for (const directory of [join(blocksDir, 'index'), join(networkDir, 'blocks', 'index')]) refuseLevelDb(directory);
  for (const name of DEFID_FOLDERS) refuseLevelDb(join(networkDir, name));
}

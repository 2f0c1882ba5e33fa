import { join } from 'node:path';
import { databaseOf, type ImportPaths } from '../snapshot/install.js';
import { isRocksDb, refuseLevelDb } from '../storage/level-db.js';

/** Databases that `defid` always makes, besides `chainstate` and the block index, relative to the network directory. */
const FOLDERS = ['enhancedcs', 'anchors', 'burn'];

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
  for (const name of FOLDERS) refuseLevelDb(join(networkDir, name));
}

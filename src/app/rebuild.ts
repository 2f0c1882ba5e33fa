import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chainColumns } from '../chain/database.js';
import { INDEX_FORMAT, indexActiveChain } from '../chain/index-upgrade.js';
import { invalidBlocks, marks } from '../chain/records.js';
import { PRUNED_DATA } from '../chain/stored-blocks.js';
import type { Config } from '../config/config.js';
import { ConfigError } from '../config/errors.js';
import { formatHash, type Hash256, parseHash256 } from '../primitives/hash.js';
import { databaseOf, validatingOf } from '../snapshot/install.js';
import { closingAfter } from '../storage/closing.js';
import { StoreLocked } from '../storage/errors.js';
import { RocksStore } from '../storage/rocks.js';
import { isDiskFull, replaceFile } from '../util/disk.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';

/** Permissions of the file of these hashes, less the umask. */
const FILE_MODE = 0o666;

type Place = Pick<Config, 'paths' | 'chain'>;

/** True if the database is rebuilt from the stored blocks. */
export function rebuilds({ reindex, reindexChainState }: Pick<Config['chain'], 'reindex' | 'reindexChainState'>): boolean {
  return reindex || reindexChainState;
}

/**
 * Deletes the databases that -reindex or -reindex-chainstate rebuild. The latter keeps the hashes of blocks that are marked invalid in a
 * file until the rebuild is complete, because `defid` keeps its block index.
 * @throws {Error} before anything is deleted, if blocks that -reindex-chainstate needs are or may be pruned, or if that file cannot be written
 */
export async function prepareRebuild(place: Place, log: Logger): Promise<void> {
  const { paths, chain } = place;
  if (chain.reindex) forgetMarks(paths);
  else if (chain.reindexChainState) await keepMarks(place, log);
  for (const each of [databaseOf(paths), validatingOf(paths)]) dropDirectory(each, rebuilds(chain));
}

/** Hashes of the blocks that an unfinished rebuild has to mark as invalid. */
export function keptMarks(paths: Config['paths']): Hash256[] {
  const file = fileOf(paths);
  if (!existsSync(file)) return [];
  const hashes = readFileSync(file, 'utf8').split('\n');
  return hashes.filter((hash) => /^[0-9a-f]{64}$/.test(hash)).map((hash) => parseHash256(hash));
}

/** Deletes the file of these hashes. */
export function forgetMarks(paths: Config['paths']): void {
  rmSync(fileOf(paths), { force: true });
}

async function keepMarks({ paths, chain }: Place, log: Logger): Promise<void> {
  if (chain.pruneTargetBytes !== undefined) {
    throw new ConfigError('Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead.');
  }
  const found = await marksIn(databaseOf(paths), log);
  if (found.length === 0) return;
  const hashes = new Set([...keptMarks(paths), ...found].map(formatHash));
  replaceFile(fileOf(paths), [...hashes].join('\n'), FILE_MODE);
}

/**
 * Hashes of the blocks that are marked invalid in a database; none if it cannot be read.
 * @throws {Error} if blocks are pruned, the database is in use, or the disk is full
 */
async function marksIn(directory: string, log: Logger): Promise<readonly Hash256[]> {
  if (!existsSync(directory)) return [];
  try {
    const store = await openBlockIndex(directory, log);
    return await closingAfter(store, async () => {
      if (store.get(marks, 'pruned') !== undefined) throw new ConfigError(PRUNED_DATA);
      return [...invalidBlocks(store)];
    });
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StoreLocked || isDiskFull(error)) throw error;
    log.warn('blocks that were marked invalid are checked again, because the old database cannot be read', { error: errorText(error) });
    return [];
  }
}

/** Opens a database for its block index only. The rest is not migrated, because it is deleted next. */
function openBlockIndex(directory: string, log: Logger): Promise<RocksStore> {
  return RocksStore.open(directory, chainColumns, { migrations: [indexActiveChain(log)], oldestFormat: INDEX_FORMAT });
}

function fileOf({ networkDir }: Config['paths']): string {
  return join(networkDir, 'chainstate.invalid');
}

/**
 * Deletes a directory. An unclean shutdown leaves it complete or not at all, because it is renamed first; the next call deletes the rest.
 * @param whole false to delete only what is left of an interrupted call
 */
function dropDirectory(directory: string, whole: boolean): void {
  const dropped = `${directory}.dropped`;
  rmSync(dropped, { recursive: true, force: true });
  if (!whole || !existsSync(directory)) return;
  renameSync(directory, dropped);
  rmSync(dropped, { recursive: true, force: true });
}

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from '../util/disk.js';

/** Directories of a data directory that an import uses. */
export interface ImportPaths {
  readonly networkDir: string;
  readonly blocksDir: string;
}

const BLOCK_FILE = /^blk\d+\.dat$/;

/** Database of the chain. */
export function databaseOf({ networkDir }: Pick<ImportPaths, 'networkDir'>): string {
  return join(networkDir, 'chainstate');
}

/** Database that an import fills. */
export function unfinishedOf({ networkDir }: Pick<ImportPaths, 'networkDir'>): string {
  return join(networkDir, 'chainstate.importing');
}

function finishedOf({ networkDir }: Pick<ImportPaths, 'networkDir'>): string {
  return join(networkDir, 'chainstate.imported');
}

/** Database on which the blocks below a snapshot are connected. */
export function validatingOf({ networkDir }: Pick<ImportPaths, 'networkDir'>): string {
  return join(networkDir, 'chainstate.validating');
}

/** Removes what an interrupted import left. */
export function removeUnfinished(paths: ImportPaths): void {
  rmSync(unfinishedOf(paths), { recursive: true, force: true });
}

/** Puts the imported database in place of the chain and its blocks. From the first step on, the next start completes an interrupted call. */
export function installImported(paths: ImportPaths): void {
  renameSync(unfinishedOf(paths), finishedOf(paths));
  syncDirectory(paths.networkDir);
  completeImport(paths);
}

/** Completes an import whose database was filled and checked but not put in place. @returns false if there is none */
export function completeImport(paths: ImportPaths): boolean {
  const { networkDir, blocksDir } = paths;
  if (!existsSync(finishedOf(paths))) return false;
  for (const directory of [databaseOf(paths), validatingOf(paths)]) rmSync(directory, { recursive: true, force: true });
  if (existsSync(blocksDir)) {
    for (const name of readdirSync(blocksDir)) if (BLOCK_FILE.test(name)) rmSync(join(blocksDir, name), { force: true });
  }
  renameSync(finishedOf(paths), databaseOf(paths));
  syncDirectory(networkDir);
  return true;
}

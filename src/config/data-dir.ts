import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PathConfig } from './config.js';
import { ConfigError } from './errors.js';

type Paths = Pick<PathConfig, 'dataDir' | 'dataDirIsDefault' | 'networkDir' | 'blocksDir'>;

/**
 * Directories of databases that `defid` always has, relative to the network directory. This node has none of these databases; in
 * `enhancedcs` it keeps the lock on the data directory (storage/directory-lock.ts).
 */
export const DEFID_FOLDERS = ['anchors', 'burn', 'enhancedcs'];

/**
 * Creates the directories of the node. A new network directory gets a `wallets` directory, as in `defid`. Some directories are
 * created for tools that clear or copy data directories of `defid` and expect them.
 * @throws {ConfigError} if a directory cannot be created
 */
export function prepareDirectories({ dataDir, dataDirIsDefault, networkDir, blocksDir }: Paths): void {
  try {
    if (dataDirIsDefault) makeHome(dataDir);
    makeHome(networkDir);
    mkdirSync(blocksDir, { recursive: true });
    for (const name of DEFID_FOLDERS) mkdirSync(join(networkDir, name), { recursive: true });
  } catch (cause) {
    throw unwritable(networkDir, cause);
  }
}

/** Checks the directory of a node, as `prepareDirectories` finds nothing wrong with existing ones on a read-only file system. @throws {ConfigError} */
export function requireWritable({ networkDir }: Pick<PathConfig, 'networkDir'>): void {
  try {
    accessSync(networkDir, constants.W_OK);
  } catch (cause) {
    throw unwritable(networkDir, cause);
  }
}

function unwritable(networkDir: string, cause: unknown): ConfigError {
  return new ConfigError(`Cannot write to data directory '${networkDir}'; check permissions.`, { cause });
}

function makeHome(directory: string): void {
  if (existsSync(directory)) return;
  mkdirSync(join(directory, 'wallets'), { recursive: true });
}

/** Writes the id of this process to a file. @throws {ConfigError} if the file cannot be written, or its folder does not exist, as in `defid` */
export function writePidFile(path: string): void {
  try {
    writeFileSync(path, pidLine());
  } catch (cause) {
    throw new ConfigError(`Unable to create the PID file '${path}': ${(cause as Error).message}`, { cause });
  }
}

/** Deletes the file, unless another process has replaced it. */
export function removePidFile(path: string): void {
  removeOwnFile(path, pidLine());
}

function pidLine(): string {
  return `${process.pid}\n`;
}

/** Deletes a file of this process, unless its content has changed. */
export function removeOwnFile(path: string, content: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) rmSync(path, { force: true });
}

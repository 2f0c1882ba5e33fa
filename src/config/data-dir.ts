import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PathConfig } from './config.js';
import { ConfigError } from './errors.js';

type Paths = Pick<PathConfig, 'dataDir' | 'dataDirIsDefault' | 'networkDir' | 'blocksDir'>;

const EMPTY_FOLDERS = ['anchors', 'burn', 'enhancedcs'];

/**
 * Makes the directories that the node lives in. A network directory made here gets a `wallets` directory too, as the reference does it.
 * Tools that clear or copy its data directories count on some more of its folders, so they are here too, with nothing in them.
 * @throws {ConfigError} if they cannot be made
 */
export function prepareDirectories({ dataDir, dataDirIsDefault, networkDir, blocksDir }: Paths): void {
  try {
    if (dataDirIsDefault) makeHome(dataDir);
    makeHome(networkDir);
    mkdirSync(blocksDir, { recursive: true });
    for (const name of EMPTY_FOLDERS) mkdirSync(join(networkDir, name), { recursive: true });
  } catch (cause) {
    throw new ConfigError(`Cannot write to data directory '${networkDir}'; check permissions.`, { cause });
  }
}

function makeHome(directory: string): void {
  if (existsSync(directory)) return;
  mkdirSync(join(directory, 'wallets'), { recursive: true });
}

/** @throws {ConfigError} if the file cannot be written */
export function writePidFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, pidLine());
  } catch (cause) {
    throw new ConfigError(`Unable to create the PID file '${path}': ${(cause as Error).message}`, { cause });
  }
}

/** Deletes the file, unless another process has written its own in its place. */
export function removePidFile(path: string): void {
  removeOwnFile(path, pidLine());
}

function pidLine(): string {
  return `${process.pid}\n`;
}

/** Deletes a file of this process, unless it holds something else by now. */
export function removeOwnFile(path: string, content: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) rmSync(path, { force: true });
}

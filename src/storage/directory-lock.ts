import { join } from 'node:path';
import { StoreLocked } from './errors.js';
import { holdDatabase } from './rocks.js';

/** Another process, or another part of this one, holds the directory. */
export class DirectoryLocked extends Error {
  override name = 'DirectoryLocked';
  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(`Cannot obtain a lock on data directory ${directory}. DeFi Blockchain is probably already running.`, options);
  }
}

/**
 * In a folder that `defid` has too: tools that clear data directories, such as its functional tests, keep those and fail at folders
 * that they do not know.
 */
const FOLDER = join('enhancedcs', '.lock');

/**
 * A directory that one running process has for itself. The kernel keeps the lock and releases it when the process ends, however it
 * ends; so it also holds between processes that do not see each other, such as containers on one volume. Node has no call for such
 * locks, the database engine takes one for each database: an empty one is the lock.
 */
export class DirectoryLock {
  private constructor(readonly release: () => Promise<void>) {}

  /**
   * @throws {DirectoryLocked} if the directory is held
   * @throws {Error} of the file system if the directory cannot be written
   */
  static async acquire(directory: string): Promise<DirectoryLock> {
    try {
      return new DirectoryLock(await holdDatabase(join(directory, FOLDER)));
    } catch (error) {
      if (error instanceof StoreLocked) throw new DirectoryLocked(directory, { cause: error });
      throw error;
    }
  }
}

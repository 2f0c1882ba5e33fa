import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreDamaged, StoreLocked } from './errors.js';
import { WALLETS_FOLDER } from './lock-folder.js';
import { removeOldLocks } from './old-locks.js';
import { lockDatabase } from './rocks-open.js';

/** Another process, or another part of this one, holds the lock. */
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
 * Folder of the lock on a data directory, in a folder that `defid` has too: tools that clear data directories, such as its functional
 * tests, keep those and fail at folders that they do not know.
 */
const DATA_FOLDER = join('enhancedcs', '.lock');

/** Directories of a node. */
interface DataDirectories {
  readonly networkDir: string;
  readonly blocksDir: string;
}

/**
 * Exclusive lock of one running process on a directory. The kernel keeps the lock and releases it when the process ends, even by
 * SIGKILL; so it also works between processes that do not see each other, such as containers on one volume. Node has no call for such
 * locks, but the database engine locks each database it opens: an empty database serves as the lock.
 */
export class DirectoryLock {
  private constructor(readonly release: () => Promise<void>) {}

  /**
   * Locks a data directory.
   * @throws {DirectoryLocked} if the lock is held
   * @throws {Error} of the file system if the directory cannot be written
   */
  static async acquire(directory: string): Promise<DirectoryLock> {
    return new DirectoryLock(await lockFolder(directory, DATA_FOLDER));
  }

  /**
   * Locks the data directory of a node, and with `-blocksdir` also the one that contains the blocks, which may be that of another node. Two
   * nodes that append to the same block files overwrite each other's blocks. `defid` locks the data directory alone.
   * @throws as `acquire`
   */
  static async acquireData({ networkDir, blocksDir }: DataDirectories): Promise<DirectoryLock> {
    const data = await DirectoryLock.acquire(networkDir);
    const besideBlocks = dirname(blocksDir);
    if (realpathSync(besideBlocks) === realpathSync(networkDir)) return data;
    try {
      const blocks = await DirectoryLock.acquire(besideBlocks);
      return new DirectoryLock(() => blocks.release().finally(data.release));
    } catch (error) {
      await data.release();
      throw error;
    }
  }

  /** Locks a directory of wallets, which may be a data directory too: the two locks are independent. @throws as `acquire` */
  static async acquireWallets(directory: string): Promise<DirectoryLock> {
    const folder = join(directory, WALLETS_FOLDER);
    for (;;) {
      mkdirSync(folder, { recursive: true });
      const before = identityOf(folder);
      try {
        const unlock = await lockFolder(directory, WALLETS_FOLDER);
        if (identityOf(folder) === before) {
          removeLeftovers(directory);
          removeOldLocks(directory);
          return new DirectoryLock(() => removeAndUnlock(folder, unlock));
        }
        await unlock();
      } catch (error) {
        if (error instanceof DirectoryLocked || identityOf(folder) === before) throw error;
      }
      // The holder released the lock and removed the folder while this process was opening it: the lock that was acquired, if any, may
      // be on a file that is gone.
    }
  }
}

/**
 * Attempts to open the database of a lock. The engine reads its list of files before it locks them: a process that opens the same
 * database in between replaces them, which looks like damage.
 */
const ATTEMPTS = 10;

/** @returns a function that unlocks */
async function lockFolder(directory: string, folder: string): Promise<() => Promise<void>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lockDatabase(join(directory, folder));
    } catch (error) {
      if (error instanceof StoreLocked) throw new DirectoryLocked(directory, { cause: error });
      if (!(error instanceof StoreDamaged) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Identity of a folder, which differs between folders that were at the same path one after the other; undefined if there is none. */
function identityOf(folder: string): string | undefined {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}

/**
 * Removes the folder while it is locked, and in one step, so that no other process locks a part of it. The engine cannot write its last
 * records to a folder that moved and reports so, but closes all files and thereby unlocks them.
 */
async function removeAndUnlock(folder: string, unlock: () => Promise<void>): Promise<void> {
  const removed = `${folder}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(folder, removed);
  } catch {
    // The user moved or deleted the directory, or it cannot be written any more: the folder stays, which does no harm.
    return unlock();
  }
  await unlock().catch(() => {});
  rmSync(removed, { recursive: true, force: true });
}

/** Removes folders of released locks whose removal was interrupted. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(`${WALLETS_FOLDER}.`)) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

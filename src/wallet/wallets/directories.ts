import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NodeError } from '../../util/errors.js';
import { Exclusive } from '../../util/exclusive.js';
import { isTemporary } from '../store/file-names.js';
import { linkTarget } from '../store/link-target.js';
import type { WalletLocation } from '../store/location.js';

/** Excludes other processes from a directory until the returned function is called. @throws if another process has locked it */
export type LockDirectory = (directory: string) => Promise<() => Promise<void>>;

/** A locked directory and the number of its wallets that are loaded or being loaded. */
interface LockedDirectory {
  readonly unlock: () => Promise<void>;
  users: number;
}

/** Directories whose wallets are loaded or being loaded, locked against other processes. */
export class WalletDirectories {
  readonly #lockDirectory: LockDirectory;
  /** By path without symbolic links: a directory that is locked by two paths would lose its lock when one of them is unlocked. */
  readonly #locked = new Map<string, LockedDirectory>();
  /** Directories are locked and unlocked one at a time. */
  readonly #changes = new Exclusive();

  constructor(lockDirectory: LockDirectory) {
    this.#lockDirectory = lockDirectory;
  }

  /**
   * Locks the directory of a wallet, and that of its file if the file is a link: two processes that write to one file would damage it.
   * Removes the temporary files in both.
   * @returns a function that ends the use of both; a second call has no effect
   * @throws {NodeError} naming the directory that another process has locked, or that cannot be read or written
   */
  use(place: Pick<WalletLocation, 'directory' | 'file'>): Promise<() => Promise<void>> {
    return this.#changes.run(async () => {
      const used: string[] = [];
      try {
        for (const path of directoriesOf(place)) {
          const resolved = realpathSync(path);
          if (used.includes(resolved)) continue;
          await this.#enter(resolved, path);
          used.push(resolved);
        }
      } catch (error) {
        await this.#leave(used).catch(() => {});
        throw error;
      }
      return () => this.#changes.run(() => this.#leave(used.splice(0)));
    });
  }

  async #enter(directory: string, shown: string): Promise<void> {
    const locked = this.#locked.get(directory);
    if (locked) {
      locked.users += 1;
      return;
    }
    try {
      this.#locked.set(directory, { unlock: await this.#lockClean(directory), users: 1 });
    } catch (error) {
      throw new NodeError('wallet', `Error initializing wallet database environment "${shown}"!`, { cause: error });
    }
  }

  /** Locks a directory and removes its temporary files; if that fails, it is unlocked. */
  async #lockClean(directory: string): Promise<() => Promise<void>> {
    const unlock = await this.#lockDirectory(directory);
    try {
      removeTemporaryFiles(directory);
      return unlock;
    } catch (error) {
      await unlock().catch(() => {});
      throw error;
    }
  }

  /** Unlocks those of the directories that have no other user. @throws the first error, after all of them */
  async #leave(directories: readonly string[]): Promise<void> {
    const errors: unknown[] = [];
    for (const directory of directories) {
      const locked = this.#locked.get(directory);
      if (!locked) continue;
      locked.users -= 1;
      if (locked.users > 0) continue;
      this.#locked.delete(directory);
      await locked.unlock().catch((error) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** Directory of a wallet, and that of its file, which is another one if the file is a link; the latter only if it exists. */
function directoriesOf({ directory, file }: Pick<WalletLocation, 'directory' | 'file'>): string[] {
  const target = dirname(linkTarget(file));
  return existsSync(target) ? [directory, target] : [directory];
}

/**
 * Removes the temporary files in a directory where no other process works: they are left from an unclean shutdown, and may contain
 * plain keys. The directory of a wallet may have such a name, so directories stay.
 */
function removeTemporaryFiles(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile() && isTemporary(entry.name)) rmSync(join(directory, entry.name), { force: true });
  }
}

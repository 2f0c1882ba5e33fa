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
  readonly #locked = new Map<string, LockedDirectory>();
  /** Directories are locked and unlocked one at a time. */
  readonly #changes = new Exclusive();

  constructor(lockDirectory: LockDirectory) {
    this.#lockDirectory = lockDirectory;
  }

  /**
   * Locks the directory of a wallet, and that of its file if the file is a link: two processes that write to one file would damage it.
   * @returns a function that ends the use of both; a second call has no effect
   * @throws {NodeError} if another process has locked one of them
   */
  use({ directory, file }: Pick<WalletLocation, 'directory' | 'file'>): Promise<() => Promise<void>> {
    return this.#changes.run(async () => {
      const used: string[] = [];
      const release = () => this.#changes.run(() => this.#leave(used.splice(0)));
      try {
        for (const each of new Set([realpathSync(directory), dirname(linkTarget(file))])) {
          if (!existsSync(each)) continue;
          await this.#enter(each, directory);
          used.push(each);
        }
        return release;
      } catch (error) {
        await this.#leave(used);
        throw error;
      }
    });
  }

  async #enter(directory: string, shown: string): Promise<void> {
    const locked = this.#locked.get(directory);
    if (locked) {
      locked.users += 1;
      return;
    }
    let unlock: () => Promise<void>;
    try {
      unlock = await this.#lockDirectory(directory);
    } catch (error) {
      throw new NodeError('wallet', `Error initializing wallet database environment "${shown}"!`, { cause: error });
    }
    this.#locked.set(directory, { unlock, users: 1 });
    // No other process works in the directory now: temporary files are left from an unclean shutdown, and may contain plain keys.
    for (const name of readdirSync(directory)) if (isTemporary(name)) rmSync(join(directory, name), { force: true });
  }

  async #leave(directories: readonly string[]): Promise<void> {
    for (const directory of directories) {
      const locked = this.#locked.get(directory);
      if (!locked) continue;
      locked.users -= 1;
      if (locked.users > 0) continue;
      this.#locked.delete(directory);
      await locked.unlock();
    }
  }
}

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Names of lock files before the kernel's lock was used: `.lock`, and `.lock.` with 16 hex digits for a successor or a claim. */
const OLD_LOCK = /^\.lock(\.[0-9a-f]{16}(\.claim)?)?$/;

/**
 * Removes lock files that earlier versions left in a directory of wallets, unless a process with the id in one of them is running. A
 * `.lock` of `defid` is empty and stays.
 */
export function removeOldLocks(directory: string): void {
  const found = readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const holder = OLD_LOCK.test(name) ? holderOf(path) : undefined;
    return holder === undefined ? [] : [{ path, holder }];
  });
  if (found.some(({ holder }) => isRunning(holder))) return;
  for (const { path } of found) rmSync(path, { force: true });
}

/** Process id in a lock file; undefined for any other file. */
function holderOf(path: string): number | undefined {
  try {
    const { pid, nonce } = JSON.parse(readFileSync(path, 'utf8')) as { readonly pid?: unknown; readonly nonce?: unknown };
    return typeof pid === 'number' && typeof nonce === 'string' ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** False for the id of this process, which a container gives to each process in turn: this process makes no such files. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

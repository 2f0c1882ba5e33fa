import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { removeOwnFile } from './data-dir.js';

const SECRET_BYTES = 32;
const PRIVATE_MODE = 0o600;

/**
 * Makes credentials for clients on this machine that may read the data directory, new at each start.
 * @returns the file's content, `__cookie__:<64 hex>`
 * @see docs/protocol/rpc-chain.md 1.3
 */
export function writeCookie(path: string): string {
  const cookie = `__cookie__:${randomBytes(SECRET_BYTES).toString('hex')}`;
  // A file of a name that others can foresee may exist already, with their permissions or as a link to a file of theirs.
  const half = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  writeFileSync(half, cookie, { mode: PRIVATE_MODE, flag: 'wx' });
  try {
    renameSync(half, path);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
  return cookie;
}

/** Deletes the file, unless another process has written its own in its place. */
export function removeCookie(path: string, cookie: string): void {
  removeOwnFile(path, cookie);
}

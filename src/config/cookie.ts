import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorText } from '../util/errors.js';
import { removeOwnFile } from './data-dir.js';
import { ConfigError } from './errors.js';

const SECRET_BYTES = 32;
const PRIVATE_MODE = 0o600;

/**
 * Writes new credentials for local clients that may read the data directory.
 * @returns the content of the file, `__cookie__:<64 hex>`
 * @throws {ConfigError} if the file cannot be written
 * @see docs/protocol/rpc-chain.md 1.3
 */
export function writeCookie(path: string): string {
  const cookie = `__cookie__:${randomBytes(SECRET_BYTES).toString('hex')}`;
  // A file of a predictable name could have been created by another user before, with other permissions or as a link.
  const half = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    writeFileSync(half, cookie, { mode: PRIVATE_MODE, flag: 'wx' });
    renameSync(half, path);
  } catch (error) {
    rmSync(half, { force: true });
    throw new ConfigError(`Unable to write the cookie file '${path}' (-rpccookiefile): ${errorText(error)}`, { cause: error });
  }
  return cookie;
}

/** Deletes the file, unless another process has replaced it. */
export function removeCookie(path: string, cookie: string): void {
  removeOwnFile(path, cookie);
}

import { closeSync, fsyncSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes all bytes at a position of a file, repeating after partial writes. */
export function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

/**
 * Replaces the contents of a file, or creates it. An unclean shutdown leaves the old contents or the new ones, never a part.
 * @param mode permissions of a new file, less the umask
 * @throws {Error} of the system; the file is unchanged unless the last step, the sync of its directory, failed
 */
export function replaceFile(path: string, text: string, mode: number): void {
  const fd = openSync(`${path}.new`, 'w', mode);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
  syncDirectory(dirname(path));
}

/** Syncs a directory, so that new and renamed files survive a power failure. */
export function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** True if a write failed because the disk is full, for errors of the system, the database engine and this program. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && FULL_CODES.has(error.code)) return true;
  return /no space left on device|disk quota exceeded/i.test(error.message) || isDiskFull(error.cause);
}

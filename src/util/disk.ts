import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes all bytes at a position of a file, in as many calls as the system needs. */
export function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

/** Makes new names and renames in a directory survive a loss of power. */
export function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

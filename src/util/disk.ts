import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes all bytes at a position of a file, repeating after partial writes. */
export function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
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

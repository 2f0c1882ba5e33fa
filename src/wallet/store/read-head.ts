import { closeSync, openSync, readSync } from 'node:fs';
import { HEADER_SIZE } from './file-format.js';

/** The first bytes of a file, as many as a wallet's header has; fewer if it is shorter. */
export function readHead(path: string): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEADER_SIZE);
    return head.subarray(0, readSync(fd, head, 0, head.length, 0));
  } finally {
    closeSync(fd);
  }
}

import { statfsSync } from 'node:fs';
import { DiskFull } from './errors.js';

/** Free space that must remain: the database does not tolerate a full disk. */
const RESERVED_BYTES = 50 * 2 ** 20;

/** Checks that `bytes` more would fit into a directory besides the reserve. @throws {DiskFull} */
export function requireRoomIn(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize < RESERVED_BYTES + bytes) throw new DiskFull(directory);
}

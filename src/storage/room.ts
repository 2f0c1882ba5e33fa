import { statfsSync } from 'node:fs';
import { DiskFull } from './errors.js';

/** Free space that must remain: the database does not tolerate a full disk. */
const RESERVED_BYTES = 50 * 2 ** 20;
/** Free space above which a measurement is trusted for `TRUSTED_MS`: other processes do not fill so much in that time. */
const PLENTY_BYTES = 2 ** 31;
const TRUSTED_MS = 1000;

interface Measurement {
  /** Time of the measurement, by the monotonic clock. */
  readonly atMs: number;
  /** Free bytes when it was taken, less what was written since. */
  leftBytes: number;
}

/** Last measurement of each directory: asking the system costs as much as a tenth of an empty block. */
const measurements = new Map<string, Measurement>();

/** Checks that `bytes` more would fit into a directory besides the reserve. @throws {DiskFull} */
export function requireRoomIn(directory: string, bytes: number): void {
  const last = measurements.get(directory);
  if (last && last.leftBytes - bytes >= PLENTY_BYTES && performance.now() - last.atMs < TRUSTED_MS) {
    last.leftBytes -= bytes;
    return;
  }
  const { bavail, bsize } = statfsSync(directory);
  const leftBytes = bavail * bsize - bytes;
  if (leftBytes < RESERVED_BYTES) throw new DiskFull(directory);
  measurements.set(directory, { atMs: performance.now(), leftBytes });
}

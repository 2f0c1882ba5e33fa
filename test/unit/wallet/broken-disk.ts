import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Fault of a call to the disk: disk full, disk full after half of the bytes, or an I/O error. */
type Fault = 'full' | 'full after half' | 'broken';

type Call = 'writeSync' | 'fdatasyncSync' | 'fsyncSync' | 'ftruncateSync' | 'renameSync';

const CODES = { full: 'ENOSPC: no space left on device', 'full after half': 'ENOSPC: no space left on device', broken: 'EIO: i/o error' };

function fail(fault: Fault, call: Call): never {
  const message = `${CODES[fault]}, ${call.replace('Sync', '')}`;
  throw Object.assign(new Error(message), { code: message.split(':')[0] });
}

/** Runs work while the given calls to the disk fail. */
export async function withBrokenDisk<T>(faults: Readonly<Partial<Record<Call, Fault>>>, work: () => T | Promise<T>): Promise<T> {
  const { writeSync, fdatasyncSync, fsyncSync, ftruncateSync, renameSync } = fs;
  const whole = { writeSync, fdatasyncSync, fsyncSync, ftruncateSync, renameSync };
  for (const [call, fault] of Object.entries(faults) as [Call, Fault][]) {
    let wroteHalf = false;
    Object.assign(fs, {
      [call]: (fd: number, bytes: Uint8Array, offset: number, length: number, position: number) => {
        if (fault !== 'full after half' || wroteHalf) fail(fault, call);
        wroteHalf = true;
        return writeSync(fd, bytes, offset, length >> 1, position);
      },
    });
  }
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    Object.assign(fs, whole);
    syncBuiltinESMExports();
  }
}

import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RawChange } from '../../storage/view.js';
import { syncDirectory, writeFully } from '../../util/disk.js';
import { COPYING, type FileHeader, findFrame, readFrame, readHeader, WalletDamaged } from './file-format.js';
import { CUT } from './file-names.js';
import { RowTables } from './row-tables.js';

interface ReadWallet extends FileHeader {
  readonly tables: RowTables;
  /** Offset of the end of the last complete frame. */
  readonly end: number;
  /** Number of frames. */
  readonly frames: number;
  readonly holdsStale: boolean;
}

/** Reads a whole file; its last frame may be incomplete. @throws {WalletDamaged} or {@link WalletTooNew} */
export function readWallet(bytes: Uint8Array, path: string, isStale: (row: RawChange) => boolean = () => false): ReadWallet {
  const header = readHeader(bytes, path);
  const tables = new RowTables();
  let holdsStale = false;
  let frames = 0;
  let at = header.size;
  for (; at < bytes.length; frames++) {
    const frame = readFrame(bytes, at, header.version, frames);
    if (frame.kind === 'damaged') throw new WalletDamaged(frame.reason);
    if (frame.kind === 'torn') {
      if (findFrame(bytes, at + 1, header.version) === undefined) break;
      throw new WalletDamaged(`a frame at byte ${at} is cut off, and others follow it`);
    }
    tables.apply(frame.batch);
    holdsStale ||= frame.batch.some(isStale);
    at = frame.end;
  }
  // A file gets its name when its first frame is on disk.
  if (frames === 0) throw new WalletDamaged(`${path} has no complete record`);
  if (tables.has(COPYING)) throw new WalletDamaged(`${path} is an incomplete copy of a wallet`);
  return { ...header, tables, end: at, frames, holdsStale };
}

/** Writes an incomplete end of a wallet's file to a file of its own. @returns its path */
export function keepCut(path: string, bytes: Uint8Array): string {
  const time = new Date().toISOString().replaceAll(/[-:]/g, '');
  let target = `${path}${CUT}${time}`;
  while (existsSync(target)) target += '-';
  const fd = openSync(target, 'wx', 0o600);
  try {
    writeFully(fd, bytes, 0);
    fsyncSync(fd);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  syncDirectory(dirname(path));
  return target;
}

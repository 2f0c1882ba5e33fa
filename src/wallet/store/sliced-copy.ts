import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RawChange } from '../../storage/view.js';
import { syncDirectory } from '../../util/disk.js';
import { Exclusive } from '../../util/exclusive.js';
import { Slicer } from '../../util/slicer.js';
import { FileReplaced, WalletNotWritten } from './file-errors.js';
import { asCopy } from './file-format.js';
import { copyOf } from './file-names.js';
import { FrameLog } from './frame-log.js';
import { linkTarget } from './link-target.js';

/** Options of a copy in slices. */
export interface CopyOptions {
  /** Aborts the copy. */
  readonly signal: AbortSignal;
  /** Called when the copy is complete, before it gets its name. @throws to drop it */
  readonly beforeRename: () => void;
}

/** One copy at a time: two with one destination would have one temporary file. */
const copies = new Exclusive();

/**
 * Writes a wallet's file in slices, synced; it gets its name when it is complete.
 * @param batches snapshot of all rows, requested when the copy begins
 * @throws {WalletNotWritten}, the error of `batches`, or the reason of the signal
 */
export function writeCopyInSlices(
  path: string,
  id: Uint8Array,
  batches: () => Iterable<readonly RawChange[]>,
  { signal, beforeRename }: CopyOptions,
): Promise<void> {
  return copies.run(async () => {
    const rows = batches();
    const target = linkTarget(path);
    const temporary = copyOf(target);
    try {
      await write(temporary, id, rows, signal);
      beforeRename();
      renameSync(temporary, target);
      syncDirectory(dirname(target));
    } catch (error) {
      rmSync(temporary, { force: true });
      if (signal.aborted) throw error;
      throw new WalletNotWritten(path, error);
    }
  });
}

async function write(path: string, id: Uint8Array, rows: Iterable<readonly RawChange[]>, signal: AbortSignal): Promise<void> {
  const log = FrameLog.create(path, id);
  try {
    const slicer = new Slicer(signal);
    for (const batch of asCopy(rows)) {
      log.append(batch);
      const paused = slicer.pause();
      if (paused) await paused;
    }
    await log.syncLater();
    // A wallet that is loaded from the same directory in the meantime removes temporary files.
    if (log.placeAt(path, id) !== 'own') throw new FileReplaced();
  } finally {
    log.close();
  }
}

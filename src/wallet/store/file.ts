import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RawChange } from '../../storage/view.js';
import { syncDirectory } from '../../util/disk.js';
import { Slicer } from '../../util/slicer.js';
import { FileReplaced, isOfDisk, WalletNotWritten, WalletUnloaded } from './file-errors.js';
import { asCopy, COPY_BEGINS, COPY_ENDS, FORMAT_VERSION, isWalletHeader } from './file-format.js';
import { compactedFileOf, newFileOf, replacementOf, temporaryFilesOf } from './file-names.js';
import { FrameLog, type FramePosition } from './frame-log.js';
import { linkTarget } from './link-target.js';
import { keepCut, readWallet } from './read-file.js';
import { readHead } from './read-head.js';
import { mapped, type Replacement, UNCHANGED } from './replacement.js';
import { inBatches, RowTables } from './row-tables.js';
import { type CopyOptions, writeCopyInSlices } from './sliced-copy.js';

/** A file larger than its live rows by this factor is compacted, but none below `WASTE_FREE_BYTES`. */
const WASTE_RATIO = 2;
const WASTE_FREE_BYTES = 1 << 20;

/**
 * File of one wallet, which can be copied and opened elsewhere; `file-format.ts` has its layout. Batches are only appended, so an
 * unclean shutdown loses at most the last one, as a whole.
 *
 * A failed write leaves the file unchanged. If that is not certain, because a sync failed and the system may have dropped pages that
 * were not written, the file is rewritten before the next write.
 */
export class WalletFile {
  #tables = new RowTables();
  #log: FrameLog;
  /** Batches written since a replacement was begun; undefined if there is none. */
  #written: (readonly RawChange[])[] | undefined;
  /** The content on disk may differ from what was written. */
  #isInDoubt = false;
  /** The file still has its temporary name. */
  #isUnnamed = false;
  #cutTo: string | undefined;
  #holdsStale = false;
  #isUpgraded = false;
  #isClosed = false;

  /** @param target path without symbolic links, so that a replaced file stays the target of its link */
  private constructor(
    readonly path: string,
    private readonly target: string,
    /** 16 bytes, the same in copies of the file. */
    readonly id: Uint8Array,
    log: FrameLog,
  ) {
    this.#log = log;
  }

  /**
   * Creates a file. It gets its name with the first synced write, so that no wallet without keys is ever found.
   * @throws if the file exists
   */
  static create(path: string, id: Uint8Array): WalletFile {
    if (existsSync(path)) throw new Error(`${path} exists`);
    try {
      const target = linkTarget(path);
      const file = new WalletFile(path, target, id, FrameLog.create(newFileOf(target), id));
      file.#isUnnamed = true;
      return file;
    } catch (error) {
      throw new WalletNotWritten(path, error);
    }
  }

  /**
   * Opens a file, and removes temporary files left by an unclean shutdown. An incomplete last frame is moved to a file of its own. A
   * file of an earlier format is rewritten.
   * @param isStale true for rows that must not remain in the file, not even in its history: see `holdsStale`
   * @throws {WalletDamaged} or {@link WalletTooNew}, with the file unchanged; {@link WalletNotWritten} if the end cannot be kept
   */
  static open(path: string, isStale: (row: RawChange) => boolean = () => false): WalletFile {
    const bytes = readFileSync(path);
    const { id, version, tables, end, frames, holdsStale } = readWallet(bytes, path, isStale);
    const target = linkTarget(path);
    for (const temporary of temporaryFilesOf(target)) rmSync(temporary, { force: true });
    const file = new WalletFile(path, target, id, FrameLog.open(target, end, frames));
    try {
      file.#tables = tables;
      file.#holdsStale = holdsStale;
      if (end < bytes.length) file.#cut(bytes.subarray(end));
      if (version !== FORMAT_VERSION) file.#upgrade();
      else if (file.isWasteful) file.#shrink();
    } catch (error) {
      file.#log.close();
      throw error;
    }
    return file;
  }

  /** File with the incomplete last frame; undefined if the wallet's file was complete. */
  get cutTo(): string | undefined {
    return this.#cutTo;
  }

  /** True if the file was opened in an earlier format. */
  get isUpgraded(): boolean {
    return this.#isUpgraded;
  }

  /** True if the file contains a stale row, possibly in its history. */
  get holdsStale(): boolean {
    return this.#holdsStale;
  }

  #cut(bytes: Uint8Array): void {
    try {
      this.#cutTo = keepCut(this.path, bytes);
      this.#log.truncate();
      this.#log.sync();
    } catch (error) {
      throw new WalletNotWritten(this.path, error);
    }
  }

  /** If the disk is full, the file keeps its format, and the next write tries again before it appends. */
  #upgrade(): void {
    this.#isUpgraded = true;
    try {
      this.#replace();
    } catch {
      this.#isInDoubt = true;
    }
  }

  /** True for a file that begins with the magic bytes of a wallet. */
  static isWallet(path: string): boolean {
    return isWalletHeader(readHead(path));
  }

  /** Rows of a column, in no particular order. */
  rows(column: string): Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }> {
    return this.#tables.rows(column);
  }

  /**
   * Appends all changes or none. They survive the end of the process, and with `sync` a loss of power.
   * @throws {WalletNotWritten} or {@link WalletUnloaded}
   */
  write(batch: readonly RawChange[], { sync }: { readonly sync: boolean }): void {
    this.#requireOpen();
    try {
      this.#checkPlace();
      if (this.#isInDoubt) this.#replace();
      if (batch.length > 0) this.#append(batch);
      if (sync) this.#sync();
    } catch (error) {
      throw new WalletNotWritten(this.path, error);
    }
  }

  /**
   * Refuses changes of a closed file. Its rows are no longer in memory, so a file that replaces it would have none; and the number of its
   * descriptor may be that of another wallet's file.
   */
  #requireOpen(): void {
    if (this.#isClosed) throw new WalletUnloaded();
  }

  /**
   * Notices a file that the user deleted, moved or overwrote while the wallet is loaded: what is appended would be lost at the next start,
   * or damage a backup that was copied there. A missing file is written again from memory.
   * @throws {FileReplaced}
   */
  #checkPlace(): void {
    if (this.#isUnnamed || this.#isInDoubt) return;
    switch (this.#log.placeAt(this.target, this.id)) {
      case 'missing':
        this.#isInDoubt = true;
        return;
      case 'other':
        throw new FileReplaced();
    }
  }

  #append(batch: readonly RawChange[]): void {
    try {
      this.#log.append(batch);
    } catch (error) {
      this.#truncate();
      throw error;
    }
    this.#written?.push(batch);
    this.#tables.apply(batch);
  }

  #truncate(): void {
    try {
      this.#log.truncate();
    } catch {
      this.#isInDoubt = true;
    }
  }

  #sync(): void {
    try {
      this.#log.syncData();
      if (!this.#isUnnamed) return;
      renameSync(newFileOf(this.target), this.target);
      this.#isUnnamed = false;
      syncDirectory(dirname(this.target));
    } catch (error) {
      this.#isInDoubt = true;
      throw error;
    }
  }

  /** True if most of the file is history. */
  get isWasteful(): boolean {
    return this.#log.size > WASTE_FREE_BYTES && this.#log.size > this.#tables.liveBytes * WASTE_RATIO;
  }

  /** If the disk is full, the file keeps its size. */
  #shrink(): void {
    try {
      this.#replace();
    } catch {
      // The rows are the same either way.
    }
  }

  /**
   * Replaces the file by one without history: no deleted or replaced row stays on disk.
   * @throws {WalletNotWritten} or {@link WalletUnloaded}
   */
  rewrite(): void {
    this.#requireOpen();
    try {
      this.#checkPlace();
      this.#replace();
    } catch (error) {
      // The history is still on disk. A file of others is not written at all.
      if (!(error instanceof FileReplaced)) this.#isInDoubt = true;
      throw new WalletNotWritten(this.path, error);
    }
  }

  #replace(): void {
    this.#written = undefined;
    const temporary = newFileOf(this.target);
    this.#install(temporary, this.#writeCopy(temporary), this.#tables, () => {});
  }

  /**
   * As {@link rewrite}, in slices. Rows that are written in the meantime are in the new file too. An unclean shutdown before the rename
   * leaves the old file.
   * @returns false if it was aborted because the file was rewritten or closed, or not begun because a replacement runs, which leaves no
   * history either
   */
  async compact(): Promise<boolean> {
    if (this.#written) return false;
    return this.#replaceInSlices(UNCHANGED, compactedFileOf(this.target));
  }

  /**
   * Replaces the file by one with other rows, in slices but atomically: the new file is written, synced, read back, checked and then
   * renamed. A failure before the rename leaves file and rows unchanged. A failure after it is thrown as well, but the new file is in
   * place.
   * @throws {WalletNotWritten}, {@link WalletUnloaded}, or the error of a check
   */
  async replaceWith(replacement: Replacement): Promise<void> {
    let isReplaced: boolean;
    try {
      isReplaced = await this.#replaceInSlices(replacement, replacementOf(this.target));
    } catch (error) {
      throw isOfDisk(error) ? new WalletNotWritten(this.path, error) : error;
    }
    if (!isReplaced) throw new WalletNotWritten(this.path, new Error('a disk fault interrupted the replacement of its keys'));
  }

  async #replaceInSlices(replacement: Replacement, temporary: string): Promise<boolean> {
    this.#requireOpen();
    const written: (readonly RawChange[])[] = [];
    this.#written = written;
    const isAborted = () => this.#written !== written;
    const log = FrameLog.create(temporary, this.id);
    const tables = new RowTables();
    const unread: FramePosition[] = [];
    const put = (batch: readonly RawChange[]): void => {
      if (batch.length === 0) return;
      unread.push(log.append(batch));
      tables.apply(batch);
    };
    try {
      const slicer = new Slicer();
      log.append(COPY_BEGINS);
      for (const batch of this.#tables.batches()) {
        put(mapped(batch, replacement));
        const paused = slicer.pause();
        if (paused) await paused;
        if (isAborted()) return false;
      }
      for (const batch of inBatches(replacement.added)) {
        put(batch);
        const paused = slicer.pause();
        if (paused) await paused;
      }
      log.append(COPY_ENDS);
      await log.syncLater();
      for (const place of unread.splice(0)) {
        replacement.check(log.read(place));
        const paused = slicer.pause();
        if (paused) await paused;
      }
      await replacement.checked();
      if (isAborted()) return false;
      replacement.flush();
      if (isAborted()) return false;
      for (const batch of written) put(mapped(batch, replacement));
      if (written.length > 0) log.sync();
      for (const place of unread) replacement.check(log.read(place));
      replacement.complete();
      this.#checkPlace();
      this.#install(temporary, log, tables, () => replacement.swapped());
      return true;
    } finally {
      if (!isAborted()) this.#written = undefined;
      if (this.#log !== log) log.discard(temporary);
    }
  }

  #install(temporary: string, log: FrameLog, tables: RowTables, swapped: () => void): void {
    // Opened before the rename, as running out of descriptors between rename and sync would leave it unsynced.
    const directory = openSync(dirname(this.target), 'r');
    try {
      renameSync(temporary, this.target);
      // From here on the new file is the wallet, even if a later step fails.
      this.#log.close();
      this.#log = log;
      this.#tables = tables;
      this.#isUnnamed = false;
      this.#holdsStale = false;
      // Until the directory is synced a loss of power may restore the old file.
      this.#isInDoubt = true;
      swapped();
      fsyncSync(directory);
      this.#isInDoubt = false;
    } finally {
      closeSync(directory);
      if (this.#log !== log) log.discard(temporary);
    }
  }

  /** Writes a copy that can be opened elsewhere; it gets its name when it is complete. @throws {WalletNotWritten} or {@link WalletUnloaded} */
  copyTo(path: string): void {
    this.#requireOpen();
    const target = linkTarget(path);
    const temporary = newFileOf(target);
    try {
      this.#writeCopy(temporary).close();
      renameSync(temporary, target);
      syncDirectory(dirname(target));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new WalletNotWritten(path, error);
    }
  }

  /**
   * As {@link copyTo}, in slices: the copy has the rows at the time when it begins. No key may be wiped in the meantime, as in an encryption.
   * @throws {WalletNotWritten}, {@link WalletUnloaded}, or the reason of the signal
   */
  copyInSlices(path: string, options: CopyOptions): Promise<void> {
    return writeCopyInSlices(path, this.id, () => this.#batchesNow(), options);
  }

  #batchesNow(): Iterable<readonly RawChange[]> {
    this.#requireOpen();
    return this.#tables.batches();
  }

  /** Syncs and closes the file. @throws {WalletNotWritten} if the sync fails; the file is closed anyway */
  close(): void {
    this.#written = undefined;
    try {
      this.write([], { sync: true });
    } finally {
      this.discard();
    }
  }

  /** Closes the file without a sync, and removes it if it still has its temporary name. */
  discard(): void {
    this.#isClosed = true;
    this.#written = undefined;
    this.#log.close();
    if (this.#isUnnamed) rmSync(newFileOf(this.target), { force: true });
    this.#tables.clear();
  }

  /** Closes and removes the file of a wallet whose creation failed, so that none of its addresses was returned to a client. */
  destroy(): void {
    this.discard();
    rmSync(this.target, { force: true });
  }

  #writeCopy(path: string): FrameLog {
    const log = FrameLog.create(path, this.id);
    try {
      for (const batch of asCopy(this.#tables.batches())) log.append(batch);
      log.sync();
      return log;
    } catch (error) {
      log.discard(path);
      throw error;
    }
  }
}

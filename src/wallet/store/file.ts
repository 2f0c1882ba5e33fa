import { closeSync, existsSync, fsyncSync, openSync, readFileSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RawChange } from '../../storage/view.js';
import { syncDirectory, writeFully } from '../../util/disk.js';
import { NodeError } from '../../util/errors.js';
import { Slicer } from '../../util/slicer.js';
import { type FileHeader, FORMAT_VERSION, findFrame, MAGIC, readFrame, readHeader, WalletDamaged } from './file-format.js';
import { FrameLog, type FramePlace } from './frame-log.js';
import { inBatches, RowTables } from './row-tables.js';

/** The disk took no more of a wallet, or would not say that it has it. What was to be written can be tried again. */
export class WalletNotWritten extends NodeError {
  constructor(path: string, cause: unknown) {
    super('wallet', `Error: ${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Endings of files in the making: a new or copied wallet, a compacted one, one whose keys change. No user's file ends like this. */
const MAKING = '.being-made';
const COMPACTING = '.being-compacted';
const REPLACING = '.being-replaced';
/** What follows the name of a wallet's file, before a time, in the name of a file with the end that was cut off it. */
export const CUT = '.cut-';
const TEMPORARY = [MAKING, COMPACTING, REPLACING];
/** A file is written anew once it is so many times as large as what it holds. */
const WASTE_RATIO = 2;
const WASTE_FREE_BYTES = 1 << 20;

/** The content of a file that is to take the place of a wallet's file, and its checks. */
export interface Replacement {
  /** The row as the new file has it; undefined leaves it out. Rows that are written while the new file is made are mapped as well. */
  map(row: RawChange): RawChange | undefined;
  /** Rows that only the new file has. */
  readonly added: readonly RawChange[];
  /** Receives all rows as they are read back from the new file. @throws if one of them is wrong */
  check(rows: readonly RawChange[]): void;
  /** All rows were read back. @throws or rejects if they are not what they should be */
  checked(): Promise<void>;
  /** Writes what is still to be written to the old file; nothing else runs between this and `swapped`. */
  flush(): void;
  /** Last look, all rows were checked. @throws if one is missing */
  complete(): void;
  /** The new file has the wallet's name: memory follows. */
  swapped(): void;
}

/** The same rows in a file without history. */
const UNCHANGED: Replacement = {
  map: (row) => row,
  added: [],
  check: () => {},
  checked: () => Promise.resolve(),
  flush: () => {},
  complete: () => {},
  swapped: () => {},
};

/**
 * One wallet on disk, in one file that can be copied to another place and opened there; `file-format.ts` has its layout. Batches are
 * only ever appended, so a kill can cost no more than the last one, which then never happened.
 *
 * A write that fails leaves the file as it was. Where that is not certain, because a sync failed and the system may have forgotten
 * what it had not written yet, the file is written anew before it takes anything else.
 */
export class WalletFile {
  #tables = new RowTables();
  #log: FrameLog;
  /** Batches that were written since a new file is being made; undefined while none is. */
  #written: (readonly RawChange[])[] | undefined;
  /** What is on disk may not be what was written. */
  #isInDoubt = false;
  /** The file does not have its name yet. */
  #isUnnamed = false;
  #cutTo: string | undefined;
  #holdsStale = false;
  #isUpgraded = false;

  private constructor(
    readonly path: string,
    /** 16 bytes that a copy of the file shares. */
    readonly id: Uint8Array,
    log: FrameLog,
  ) {
    this.#log = log;
  }

  /**
   * Begins a wallet. The file gets its name with the first write that is synced: a wallet without its keys is never found.
   * @throws if the file exists
   */
  static create(path: string, id: Uint8Array): WalletFile {
    if (existsSync(path)) throw new Error(`${path} exists`);
    try {
      const file = new WalletFile(path, id, FrameLog.create(temporaryOf(path), id));
      file.#isUnnamed = true;
      return file;
    } catch (error) {
      throw new WalletNotWritten(path, error);
    }
  }

  /**
   * Opens a file and removes what a kill left of others in the making. A frame at the end that was not written whole is moved to a
   * file of its own. A file of an earlier format is written anew.
   * @param isStale a row that must not stay anywhere in the file, replaced or not: `holdsStale` tells of it
   * @throws {WalletDamaged} or {@link WalletTooNew}, the file is as it was then; {@link WalletNotWritten} if the end cannot be kept
   */
  static open(path: string, isStale: (row: RawChange) => boolean = () => false): WalletFile {
    const bytes = readFileSync(path);
    const { id, version, tables, end, frames, holdsStale } = readWallet(bytes, path, isStale);
    for (const ending of TEMPORARY) rmSync(`${path}${ending}`, { force: true });
    const file = new WalletFile(path, id, FrameLog.open(path, end, frames));
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

  /** Where the end of the file was put that was not whole; undefined if it was. */
  get cutTo(): string | undefined {
    return this.#cutTo;
  }

  /** An earlier version of the program wrote the file that was opened. */
  get isUpgraded(): boolean {
    return this.#isUpgraded;
  }

  /** The file had, at some time, a row that must not stay in it. */
  get holdsStale(): boolean {
    return this.#holdsStale;
  }

  #cut(bytes: Uint8Array): void {
    try {
      this.#cutTo = keepCut(this.path, bytes);
      this.#log.takeBack();
      this.#log.sync();
    } catch (error) {
      throw new WalletNotWritten(this.path, error);
    }
  }

  /** Where the disk has no room for it, the file stays in its format until there is: nothing is appended to it before. */
  #upgrade(): void {
    this.#isUpgraded = true;
    try {
      this.#replace();
    } catch {
      this.#isInDoubt = true;
    }
  }

  /** True for a file that begins as a wallet does. */
  static isWallet(path: string): boolean {
    const head = Buffer.alloc(MAGIC.length);
    const fd = openSync(path, 'r');
    try {
      return readFully(fd, head) && head.equals(MAGIC);
    } finally {
      closeSync(fd);
    }
  }

  /** Rows of a column, in no particular order. */
  rows(column: string): Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }> {
    return this.#tables.rows(column);
  }

  /**
   * Appends all changes or none. With `sync` they survive a loss of power, else a kill of the process.
   * @throws {WalletNotWritten}
   */
  write(batch: readonly RawChange[], { sync }: { readonly sync: boolean }): void {
    try {
      if (this.#isInDoubt) this.#replace();
      if (batch.length > 0) this.#append(batch);
      if (sync) this.#sync();
    } catch (error) {
      throw new WalletNotWritten(this.path, error);
    }
  }

  #append(batch: readonly RawChange[]): void {
    try {
      this.#log.append(batch);
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    this.#written?.push(batch);
    this.#tables.apply(batch);
  }

  #takeBack(): void {
    try {
      this.#log.takeBack();
    } catch {
      this.#isInDoubt = true;
    }
  }

  #sync(): void {
    try {
      this.#log.syncData();
      if (!this.#isUnnamed) return;
      renameSync(temporaryOf(this.path), this.path);
      this.#isUnnamed = false;
      syncDirectory(dirname(this.path));
    } catch (error) {
      this.#isInDoubt = true;
      throw error;
    }
  }

  /** Most of the file is history. */
  get isWasteful(): boolean {
    return this.#log.size > WASTE_FREE_BYTES && this.#log.size > this.#tables.liveBytes * WASTE_RATIO;
  }

  /** Where the disk has no room for a copy, the file stays as large as it is. */
  #shrink(): void {
    try {
      this.#replace();
    } catch {
      // What it holds is the same either way.
    }
  }

  /**
   * Writes what is there now to a new file in place of this one: nothing that was deleted or replaced stays on disk.
   * @throws {WalletNotWritten}
   */
  rewrite(): void {
    try {
      this.#replace();
    } catch (error) {
      // What was to go is still there.
      this.#isInDoubt = true;
      throw new WalletNotWritten(this.path, error);
    }
  }

  #replace(): void {
    this.#written = undefined;
    const temporary = temporaryOf(this.path);
    this.#install(temporary, this.#writeCopy(temporary), this.#tables, () => {});
  }

  /**
   * Does the same in slices, while others go on writing: what they write in the meantime is in the new file too. Until that has the
   * old one's name, a kill leaves the old one.
   * @returns false if it was given up because the file was written anew or closed
   */
  compact(): Promise<boolean> {
    return this.#succeed(UNCHANGED, `${this.path}${COMPACTING}`);
  }

  /**
   * Replaces the file by one with other rows, in slices and all at once: it is written beside this one, synced, read back, checked and
   * only then renamed. Whatever fails before the rename leaves file and rows as they were. A failure after it is thrown as well, but
   * the new file is the wallet then.
   * @throws {WalletNotWritten}, or the error of a check
   */
  async replaceWith(replacement: Replacement): Promise<void> {
    let isReplaced: boolean;
    try {
      isReplaced = await this.#succeed(replacement, `${this.path}${REPLACING}`);
    } catch (error) {
      throw isOfDisk(error) ? new WalletNotWritten(this.path, error) : error;
    }
    if (!isReplaced) throw new WalletNotWritten(this.path, new Error('its disk failed while its keys changed'));
  }

  async #succeed(replacement: Replacement, temporary: string): Promise<boolean> {
    const written: (readonly RawChange[])[] = [];
    this.#written = written;
    const isGivenUp = () => this.#written !== written;
    const log = FrameLog.create(temporary, this.id);
    const tables = new RowTables();
    const unread: FramePlace[] = [];
    const put = (batch: readonly RawChange[]): void => {
      if (batch.length === 0) return;
      unread.push(log.append(batch));
      tables.apply(batch);
    };
    try {
      const slicer = new Slicer();
      for (const batch of this.#tables.batches()) {
        put(mapped(batch, replacement));
        const paused = slicer.pause();
        if (paused) await paused;
        if (isGivenUp()) return false;
      }
      for (const batch of inBatches(replacement.added)) {
        put(batch);
        const paused = slicer.pause();
        if (paused) await paused;
      }
      await log.syncLater();
      for (const place of unread.splice(0)) {
        replacement.check(log.read(place));
        const paused = slicer.pause();
        if (paused) await paused;
      }
      await replacement.checked();
      if (isGivenUp()) return false;
      replacement.flush();
      if (isGivenUp()) return false;
      for (const batch of written) put(mapped(batch, replacement));
      if (written.length > 0) log.sync();
      for (const place of unread) replacement.check(log.read(place));
      replacement.complete();
      this.#install(temporary, log, tables, () => replacement.swapped());
      return true;
    } finally {
      if (!isGivenUp()) this.#written = undefined;
      if (this.#log !== log) log.discard(temporary);
    }
  }

  #install(temporary: string, log: FrameLog, tables: RowTables, swapped: () => void): void {
    // Opened first: a lack of descriptors must not come between the rename and its sync.
    const directory = openSync(dirname(this.path), 'r');
    try {
      renameSync(temporary, this.path);
      // From here on the new file is the wallet, whatever else fails.
      this.#log.close();
      this.#log = log;
      this.#tables = tables;
      this.#isUnnamed = false;
      this.#holdsStale = false;
      // Until the directory is on disk a loss of power may bring the old file back.
      this.#isInDoubt = true;
      swapped();
      fsyncSync(directory);
      this.#isInDoubt = false;
    } finally {
      closeSync(directory);
      if (this.#log !== log) log.discard(temporary);
    }
  }

  /** Writes a copy that opens elsewhere; it appears under its name only when it is whole. @throws {WalletNotWritten} */
  copyTo(path: string): void {
    const temporary = temporaryOf(path);
    try {
      this.#writeCopy(temporary).close();
      renameSync(temporary, path);
      syncDirectory(dirname(path));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new WalletNotWritten(path, error);
    }
  }

  /** @throws {WalletNotWritten} if what was written may not be on disk; it is closed all the same */
  close(): void {
    this.#written = undefined;
    try {
      this.write([], { sync: true });
    } finally {
      this.discard();
    }
  }

  /** Closes it as it is. One that never got its name is gone. */
  discard(): void {
    this.#written = undefined;
    this.#log.close();
    if (this.#isUnnamed) rmSync(temporaryOf(this.path), { force: true });
    this.#tables.clear();
  }

  /** Closes and removes a file whose keys were given to no one. */
  destroy(): void {
    this.discard();
    rmSync(this.path, { force: true });
  }

  #writeCopy(path: string): FrameLog {
    const log = FrameLog.create(path, this.id);
    try {
      for (const batch of this.#tables.batches()) log.append(batch);
      log.sync();
      return log;
    } catch (error) {
      log.discard(path);
      throw error;
    }
  }
}

interface ReadWallet extends FileHeader {
  readonly tables: RowTables;
  /** Where the last whole frame ends. */
  readonly end: number;
  readonly frames: number;
  readonly holdsStale: boolean;
}

/** Reads a whole file. @throws {WalletDamaged} unless all of it but an unfinished last frame is right; or {@link WalletTooNew} */
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
  return { ...header, tables, end: at, frames, holdsStale };
}

/** Keeps the end of a file that is to be cut off. @returns its path */
function keepCut(path: string, bytes: Uint8Array): string {
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

function isOfDisk(error: unknown): boolean {
  return error instanceof WalletDamaged || (error instanceof Error && 'code' in error);
}

/** Where a file is made before it gets its name. */
function temporaryOf(path: string): string {
  return `${path}${MAKING}`;
}

/** A name that files only have while they are made, or where a kill left them so. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.some((ending) => name.endsWith(ending));
}

function mapped(batch: readonly RawChange[], replacement: Pick<Replacement, 'map'>): readonly RawChange[] {
  return batch.flatMap((row) => replacement.map(row) ?? []);
}

function readFully(fd: number, into: Uint8Array): boolean {
  return readSync(fd, into, 0, into.length, 0) === into.length;
}

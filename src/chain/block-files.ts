import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { StoreDamaged } from '../storage/errors.js';
import { requireRoomIn } from '../storage/room.js';
import { equalBytes } from '../util/bytes.js';
import { syncDirectory, writeFully } from '../util/disk.js';
import type { BlockFile, BlockPosition, BlockStore } from './block-store.js';
import { HEADER_BYTES, MAX_RECORD_BYTES, MIN_RECORD_BYTES, recordsIn } from './record-scan.js';

export interface BlockFilesOptions {
  /** First 4 bytes of each record. They differ by network, so that files of two networks are not mixed up. */
  readonly magic: Uint8Array;
  /** Magic of records that earlier versions wrote; it is read, but not written. */
  readonly formerMagic?: Uint8Array;
  /** Maximum size of a file, bytes; a larger record has a file of its own. */
  readonly fileBytes?: number;
  /** Size of the smallest block, bytes. */
  readonly minRecordBytes?: number;
  /** True if old files may have been pruned, so that gaps in the sequence are no damage. */
  readonly pruned?: boolean;
}

const FILE_BYTES = 128 * 2 ** 20;
const MAX_OPEN_FILES = 32;
/** Zeros written ahead of small blocks: a sync within a file is several times faster than one of a grown file. */
const ZEROS = Buffer.alloc(256 * 2 ** 10);
const EMPTY = Buffer.alloc(0);

/**
 * Blocks in flat files `blk00000.dat`, `blk00001.dat`, ..., each block once, in the order of arrival. A record is the network's magic
 * (4 bytes), the length (u32), and the block's bytes; a position refers to the first byte of the block. Files only grow, so an unclean
 * shutdown leaves at most torn records and zeros at the end. These are cut off at the next start; if that is not possible, because the
 * end looks like damage, a new file is begun. Pruning deletes whole files.
 */
export class BlockFiles implements BlockStore {
  readonly #directory: string;
  readonly #magic: Uint8Array;
  readonly #formerMagic: Uint8Array;
  readonly #fileBytes: number;
  readonly #minRecordBytes: number;
  /** Size of each file in bytes, by number; undefined for a deleted one. */
  readonly #sizes: (number | undefined)[] = [];
  /** File descriptors by file number, least recently used first. */
  readonly #open = new Map<number, number>();
  /** Files that were appended to since their last sync, with the offset of the first byte since. */
  readonly #unsynced = new Map<number, number>();
  /**
   * Those whose last sync failed, with bytes since the one before that must be written again. The system may have dropped them, and takes
   * them for written from then on.
   */
  readonly #failed = new Map<number, Buffer>();
  #newFiles = false;
  /** Bytes appended since the last sync. */
  #sinceSync = 0;
  /** Size of the last file with the zeros at its end, bytes; 0 if there are none. */
  #extended = 0;
  /** True if the last file ends in bytes that are no record: the next one begins a new file. */
  #isEndDamaged = false;

  /** @throws {StoreDamaged} if a file in the middle of the sequence is missing although nothing was pruned */
  constructor(
    directory: string,
    { magic, formerMagic = magic, fileBytes = FILE_BYTES, minRecordBytes = MIN_RECORD_BYTES, pruned = false }: BlockFilesOptions,
  ) {
    this.#directory = directory;
    this.#magic = magic;
    this.#formerMagic = formerMagic;
    this.#fileBytes = fileBytes;
    this.#minRecordBytes = minRecordBytes;
    mkdirSync(directory, { recursive: true });
    for (const file of numbersIn(directory)) this.#sizes[file] = statSync(this.#pathOf(file)).size;
    for (let file = 0; file < this.#sizes.length; file++) {
      if (this.#sizes[file] === undefined && !pruned) throw damaged(`${nameOf(file)} is missing in ${directory}`);
    }
    this.#cutTornTail();
  }

  get sizeOnDisk(): number {
    return this.files().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  files(): readonly BlockFile[] {
    return Array.from(this.#sizes, (bytes, file) => ({ file, bytes })).filter((each): each is BlockFile => each.bytes !== undefined);
  }

  remove(file: number): void {
    if (file >= this.#sizes.length - 1) throw new RangeError(`${nameOf(file)} is still being filled`);
    this.#delete(file);
    this.#sizes[file] = undefined;
  }

  /**
   * Deletes the files after the first gap: the later blocks cannot be connected from genesis without those in the gap.
   * @returns number of deleted files
   */
  removeBehindGap(): number {
    const gap = Array.from(this.#sizes).indexOf(undefined);
    if (gap < 0) return 0;
    const behind = this.files().filter(({ file }) => file > gap);
    for (const { file } of behind) this.#delete(file);
    this.#sizes.length = gap;
    // The file before the gap is filled now, so it is opened again.
    this.#close(gap - 1);
    return behind.length;
  }

  /**
   * Appends a block, which survives a power failure only after `sync`.
   * @throws {DiskFull} or the system's error; nothing is appended in that case
   */
  append(bytes: Uint8Array): BlockPosition {
    this.requireRoom(bytes.length);
    const record = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
    record.set(this.#magic, 0);
    record.writeUInt32LE(bytes.length, 4);
    record.set(bytes, HEADER_BYTES);
    const file = this.#fileFor(record.length);
    const at = this.#sizes[file] ?? 0;
    const descriptor = this.#descriptor(file);
    try {
      for (let done = 0; done < record.length; ) done += writeSync(descriptor, record, done, record.length - done, at + done);
    } catch (error) {
      ftruncateSync(descriptor, at);
      this.#extended = 0;
      throw error;
    }
    this.#sizes[file] = at + record.length;
    this.#sinceSync += record.length;
    this.#noteUnsynced(file, at);
    return { file, offset: at + HEADER_BYTES, size: bytes.length };
  }

  requireRoom(bytes: number): void {
    requireRoomIn(this.#directory, bytes);
  }

  /** @throws {StoreDamaged} if there is no such record at the position */
  read(at: BlockPosition): Uint8Array {
    const record = this.#read(at.file, at.offset - HEADER_BYTES, HEADER_BYTES + at.size);
    if (record === undefined || this.#lengthIn(record) !== at.size) {
      throw damaged(`no block of ${at.size} bytes at ${at.offset} of ${nameOf(at.file)}`);
    }
    return record.subarray(HEADER_BYTES);
  }

  readPart(at: BlockPosition, offset: number, size: number): Uint8Array | undefined {
    return this.#read(at.file, at.offset + offset, size);
  }

  /**
   * Positions of complete records in the order of arrival: all, or those after `last`. A rebuild of the block index starts from them, as
   * does the import of blocks whose index entries were lost in an unclean shutdown, which may have come before their sync: the next `sync`
   * does that. Damaged records are skipped.
   */
  *records(last?: BlockPosition): Generator<BlockPosition> {
    for (let file = last?.file ?? 0; file < this.#sizes.length; file++) {
      const from = last && last.file === file ? last.offset + last.size : 0;
      for (const record of this.#recordsOf(file, from)) {
        this.#noteUnsynced(file, from);
        this.#newFiles = true;
        yield record;
      }
    }
  }

  /** Makes appended blocks survive a power failure. */
  sync(): void {
    this.#extend();
    this.#syncFiles();
  }

  /** Syncs the last file only, unless it is new. */
  async syncAhead(): Promise<void> {
    const file = this.#sizes.length - 1;
    const descriptor = this.#open.get(file);
    const from = this.#unsynced.get(file);
    if (this.#newFiles || this.#failed.size > 0 || descriptor === undefined || from === undefined) return;
    this.#extend();
    const synced = this.#sizes[file] ?? 0;
    const error = await new Promise<Error | null>((resolve) => fdatasync(descriptor, resolve));
    const since = this.#unsynced.get(file);
    if (error) {
      // Another sync may have taken the bytes for written meanwhile.
      this.#noteFailed(file);
      this.#unsynced.set(file, Math.min(from, since ?? from));
    } else if (this.#failed.has(file)) return;
    else if (this.#sizes[file] === synced) {
      this.#unsynced.delete(file);
      this.#sinceSync = 0;
    } else if (since !== undefined) this.#unsynced.set(file, Math.max(since, synced));
  }

  close(): void {
    this.#cutZeros();
    this.#syncFiles();
    for (const file of [...this.#open.keys()]) this.#close(file);
  }

  #noteUnsynced(file: number, from: number): void {
    if (!this.#unsynced.has(file)) this.#unsynced.set(file, from);
  }

  #syncFiles(): void {
    for (const [file, from] of this.#unsynced) this.#syncFile(file, from);
    this.#sinceSync = 0;
    if (!this.#newFiles) return;
    syncDirectory(this.#directory);
    this.#newFiles = false;
  }

  #syncFile(file: number, from: number): void {
    const descriptor = this.#descriptor(file);
    try {
      if (this.#failed.has(file)) this.#writeAgain(file, from);
      fdatasyncSync(descriptor);
    } catch (error) {
      this.#noteFailed(file);
      throw error;
    }
    this.#failed.delete(file);
    this.#unsynced.delete(file);
  }

  #noteFailed(file: number): void {
    if (!this.#failed.has(file)) this.#failed.set(file, EMPTY);
  }

  /**
   * Writes the bytes since the last sync once more; another sync alone would not store them. They are cut off before, because ext4 does
   * not store what is written over a part of a file whose first write failed.
   */
  #writeAgain(file: number, from: number): void {
    const kept = this.#failed.get(file) ?? EMPTY;
    const end = this.#sizes[file] ?? 0;
    // Still in memory of the system.
    const later = this.#read(file, from + kept.length, end - from - kept.length);
    if (later === undefined) throw damaged(`${nameOf(file)} is too short`);
    const bytes = Buffer.concat([kept, later]);
    this.#failed.set(file, bytes);
    // The descriptor of a full file is for reading only.
    const descriptor = openSync(this.#pathOf(file), 'r+');
    try {
      ftruncateSync(descriptor, from);
      this.#extended = 0;
      writeFully(descriptor, bytes, from);
    } finally {
      closeSync(descriptor);
    }
  }

  *#recordsOf(file: number, from = 0): Generator<BlockPosition> {
    const records = {
      bytes: this.#sizes[file] ?? 0,
      magics: [this.#magic, this.#formerMagic],
      minRecordBytes: this.#minRecordBytes,
      read: (at: number, size: number) => this.#read(file, at, size) ?? Buffer.alloc(0),
    };
    for (const record of recordsIn(records, from)) yield { file, ...record };
  }

  /** Writes zeros after small blocks that have reached the end of the last file, so that the sync of the next ones is fast. */
  #extend(): void {
    const file = this.#sizes.length - 1;
    const size = this.#sizes[file] ?? 0;
    if (!this.#unsynced.has(file) || size <= this.#extended || this.#sinceSync > ZEROS.length / 2) return;
    const zeros = Math.min(ZEROS.length, this.#fileBytes - size);
    if (zeros <= 0) return;
    try {
      this.#extended = size + writeSync(this.#descriptor(file), ZEROS, 0, zeros, size);
    } catch {
      // No room: the files are synced as they are.
    }
  }

  #cutZeros(): void {
    const file = this.#sizes.length - 1;
    const size = this.#sizes[file] ?? 0;
    if (this.#extended > size) ftruncateSync(this.#descriptor(file), size);
    this.#extended = 0;
  }

  /** Cuts off a record that an unclean shutdown left incomplete: its beginning, or zeros. Other bytes are kept. */
  #cutTornTail(): void {
    const file = this.#sizes.length - 1;
    const size = this.#sizes[file];
    if (size === undefined) return;
    // The last record may contain bytes that look like another one, which must not be its end.
    let end = 0;
    for (const { offset, size: length } of this.#recordsOf(file)) end = Math.max(end, offset + length);
    const rest = this.#read(file, end, Math.min(size - end, MAX_RECORD_BYTES));
    if (rest === undefined || rest.length === 0) return;
    const isBeginning = rest.length < HEADER_BYTES || this.#lengthIn(rest) !== undefined;
    this.#isEndDamaged = !isBeginning && rest.some((byte) => byte !== 0);
    if (this.#isEndDamaged) return;
    ftruncateSync(this.#descriptor(file), end);
    this.#sizes[file] = end;
    this.#noteUnsynced(file, end);
  }

  #fileFor(recordBytes: number): number {
    const last = this.#sizes.length - 1;
    const used = this.#sizes[last];
    if (used !== undefined && !this.#isEndDamaged && (used === 0 || used + recordBytes <= this.#fileBytes)) return last;
    this.#cutZeros();
    this.#isEndDamaged = false;
    this.#sizes.push(0);
    this.#newFiles = true;
    return last + 1;
  }

  #pathOf(file: number): string {
    return join(this.#directory, nameOf(file));
  }

  /** Undefined if the file ends earlier or is missing. */
  #read(file: number, at: number, size: number): Buffer | undefined {
    if (at < 0 || at + size > (this.#sizes[file] ?? 0)) return undefined;
    const bytes = Buffer.allocUnsafeSlow(size);
    try {
      return readSync(this.#descriptor(file), bytes, 0, size, at) === size ? bytes : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return undefined;
    }
  }

  /** Length in the header of a record, bytes; undefined if these bytes do not begin a record. */
  #lengthIn(record: Buffer): number | undefined {
    const size = record.readUInt32LE(4);
    const start = record.subarray(0, 4);
    const isRecord = equalBytes(start, this.#magic) || equalBytes(start, this.#formerMagic);
    return isRecord && size <= MAX_RECORD_BYTES ? size : undefined;
  }

  #descriptor(file: number): number {
    let descriptor = this.#open.get(file);
    if (descriptor === undefined) {
      if (this.#open.size >= MAX_OPEN_FILES) this.#closeOldest();
      // Full files may be read-only, as for `defid`. One that is missing must not be created, because the next start reports it.
      const isFilled = file >= this.#sizes.length - 1;
      descriptor = openSync(this.#pathOf(file), isFilled ? constants.O_RDWR | constants.O_CREAT : constants.O_RDONLY);
    } else this.#open.delete(file);
    this.#open.set(file, descriptor);
    return descriptor;
  }

  /** Closes the file that was not used for the longest time, if possible one that need not be synced before. */
  #closeOldest(): void {
    const [oldest = -1] = this.#open.keys();
    const file = [...this.#open.keys()].find((each) => !this.#unsynced.has(each)) ?? oldest;
    const from = this.#unsynced.get(file);
    if (from !== undefined) this.#syncFile(file, from);
    this.#close(file);
  }

  #close(file: number): void {
    const descriptor = this.#open.get(file);
    if (descriptor === undefined) return;
    closeSync(descriptor);
    this.#open.delete(file);
  }

  #delete(file: number): void {
    this.#unsynced.delete(file);
    this.#failed.delete(file);
    this.#close(file);
    rmSync(this.#pathOf(file), { force: true });
  }
}

/** Numbers of the block files in a directory, in any order. */
function numbersIn(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const number = /^blk(\d{5,})\.dat$/.exec(name)?.[1];
    return number !== undefined && nameOf(Number(number)) === name ? Number(number) : [];
  });
}

/** Name of the file of that number. */
export function nameOf(file: number): string {
  return `blk${String(file).padStart(5, '0')}.dat`;
}

function damaged(what: string): StoreDamaged {
  return new StoreDamaged(`the block files are damaged: ${what}; start with -reindex to build the database again`);
}

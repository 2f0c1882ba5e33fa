import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { sha256 } from '../crypto/hash.js';
import { ByteReader, ByteWriter, type Codec, DecodeError, list, optional, struct, u32, varBytes, varString } from '../primitives/codec.js';
import type { RawChange } from '../storage/view.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { NodeError } from '../util/errors.js';
import { Slicer } from '../util/slicer.js';

/** A wallet's file cannot be read as one. */
export class WalletDamaged extends Error {
  override name = 'WalletDamaged';
}

/** The disk took no more of a wallet, or would not say that it has it. What was to be written can be tried again. */
export class WalletNotWritten extends NodeError {
  constructor(path: string, cause: unknown) {
    super('wallet', `Error: ${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** A later version of the program wrote the file. */
export class WalletTooNew extends Error {
  override name = 'WalletTooNew';
}

/** What follows the name of a file that is made, and of one that is compacted; no one's own file ends like this. */
const MAKING = '.being-made';
const COMPACTING = '.being-compacted';
const MAGIC = Buffer.from('DFIWALT\n');
const FORMAT_VERSION = 1;
const ID_SIZE = 16;
const HEADER_SIZE = MAGIC.length + 4 + ID_SIZE;
const CHECKSUM_SIZE = 8;
const FRAME_SIZE = 4 + CHECKSUM_SIZE;
/** Rows of one batch when the file is written anew. */
const REWRITE_BATCH = 1_000;
/** A file is written anew once it is so many times as large as what it holds. */
const WASTE_RATIO = 2;
const WASTE_FREE_BYTES = 1 << 20;

const changes: Codec<readonly RawChange[]> = list(struct<RawChange>({ column: varString, key: varBytes, value: optional(varBytes) }));

interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
type Rows = Map<string, Row>;

/**
 * One wallet on disk, in one file that can be copied to another place and opened there. Layout: magic, format version (u32), wallet
 * id (16 bytes), then batches: length (u32), first 8 bytes of the SHA-256 of the batch, the batch (a list of column, key, and value
 * or nothing). Batches are only ever appended, so a kill can cost no more than the last one, which then never happened.
 *
 * A write that fails leaves the file as it was. Where that is not certain, because a sync failed and the system may have forgotten
 * what it had not written yet, the file is written anew before it takes anything else.
 */
export class WalletFile {
  readonly #tables = new Map<string, Rows>();
  #fd: number;
  #size: number;
  /** Bytes of the rows that are there. */
  #liveBytes = 0;
  /** What was appended since a compaction began; undefined while none is under way. */
  #appended: Uint8Array[] | undefined;
  /** What is on disk may not be what was written. */
  #isInDoubt = false;
  /** The file does not have its name yet. */
  #isUnnamed = false;

  private constructor(
    readonly path: string,
    /** 16 bytes that a copy of the file shares. */
    readonly id: Uint8Array,
    fd: number,
    size: number,
  ) {
    this.#fd = fd;
    this.#size = size;
  }

  /**
   * Begins a wallet. The file gets its name with the first write that is synced: a wallet without its keys is never found.
   * @throws if the file exists
   */
  static create(path: string, id: Uint8Array): WalletFile {
    if (existsSync(path)) throw new Error(`${path} exists`);
    const fd = openSync(temporaryOf(path), 'w+', 0o600);
    const file = new WalletFile(path, id, fd, HEADER_SIZE);
    file.#isUnnamed = true;
    try {
      writeFully(fd, headerOf(id), 0);
    } catch (error) {
      file.discard();
      throw new WalletNotWritten(path, error);
    }
    return file;
  }

  /** @throws {WalletDamaged} or {@link WalletTooNew}; a batch that was cut off at the end is dropped */
  static open(path: string): WalletFile {
    const bytes = readFileSync(path);
    const id = readHeader(bytes, path);
    // What a kill left of copies in the making.
    for (const ending of [MAKING, COMPACTING]) rmSync(`${path}${ending}`, { force: true });
    const fd = openSync(path, 'r+');
    const file = new WalletFile(path, id, fd, bytes.length);
    try {
      const end = file.#load(bytes);
      if (end < bytes.length) file.#cut(end);
      if (file.isWasteful) file.#shrink();
    } catch (error) {
      closeSync(file.#fd);
      throw error;
    }
    return file;
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
    return this.#tables.get(column)?.values() ?? [];
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
    const bytes = frameOf(batch);
    try {
      writeFully(this.#fd, bytes, this.#size);
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    this.#size += bytes.length;
    this.#appended?.push(bytes);
    this.#apply(batch);
  }

  /** Takes away what there is of a batch that found no room: a shorter one in its place would have its rest behind it. */
  #takeBack(): void {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      this.#isInDoubt = true;
    }
  }

  #sync(): void {
    try {
      fdatasyncSync(this.#fd);
      if (!this.#isUnnamed) return;
      renameSync(temporaryOf(this.path), this.path);
      this.#isUnnamed = false;
      syncDirectory(this.path);
    } catch (error) {
      this.#isInDoubt = true;
      throw error;
    }
  }

  /** Most of the file is history. */
  get isWasteful(): boolean {
    return this.#size > WASTE_FREE_BYTES && this.#size > this.#liveBytes * WASTE_RATIO;
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
    this.#appended = undefined;
    const temporary = temporaryOf(this.path);
    this.#replaceBy(temporary, this.#writeCopy(temporary));
  }

  /**
   * Does the same in slices, while others go on writing: what they append in the meantime is appended to the new file too. Until
   * that has the old one's name, a kill leaves the old one.
   * @returns false if it was given up because the file was written anew or closed
   */
  async compact(): Promise<boolean> {
    const appended: Uint8Array[] = [];
    this.#appended = appended;
    const isGivenUp = () => this.#appended !== appended;
    const temporary = `${this.path}${COMPACTING}`;
    rmSync(temporary, { force: true });
    const fd = openSync(temporary, 'wx+', 0o600);
    let isHandedOver = false;
    try {
      const slicer = new Slicer();
      let size = 0;
      for (const bytes of this.#image(this.#snapshot())) {
        writeFully(fd, bytes, size);
        size += bytes.length;
        const paused = slicer.pause();
        if (paused) await paused;
        if (isGivenUp()) return false;
      }
      await promisify(fsync)(fd);
      if (isGivenUp()) return false;
      for (const bytes of appended) {
        writeFully(fd, bytes, size);
        size += bytes.length;
      }
      if (appended.length > 0) fsyncSync(fd);
      isHandedOver = true;
      this.#replaceBy(temporary, { fd, size });
      return true;
    } finally {
      if (!isGivenUp()) this.#appended = undefined;
      if (!isHandedOver) {
        closeSync(fd);
        rmSync(temporary, { force: true });
      }
    }
  }

  #replaceBy(temporary: string, { fd, size }: { readonly fd: number; readonly size: number }): void {
    try {
      renameSync(temporary, this.path);
    } catch (error) {
      closeSync(fd);
      rmSync(temporary, { force: true });
      throw error;
    }
    // From here on the new file is the wallet, whatever else fails.
    closeSync(this.#fd);
    this.#fd = fd;
    this.#size = size;
    this.#isUnnamed = false;
    // Until the directory is on disk a loss of power may bring the old file back.
    this.#isInDoubt = true;
    syncDirectory(this.path);
    this.#isInDoubt = false;
  }

  /** Writes a copy that opens elsewhere; it appears under its name only when it is whole. @throws {WalletNotWritten} */
  copyTo(path: string): void {
    const temporary = temporaryOf(path);
    try {
      const { fd } = this.#writeCopy(temporary);
      closeSync(fd);
      renameSync(temporary, path);
      syncDirectory(path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new WalletNotWritten(path, error);
    }
  }

  /** @throws {WalletNotWritten} if what was written may not be on disk; it is closed all the same */
  close(): void {
    this.#appended = undefined;
    try {
      this.write([], { sync: true });
    } finally {
      this.discard();
    }
  }

  /** Closes it as it is. One that never got its name is gone. */
  discard(): void {
    closeSync(this.#fd);
    if (this.#isUnnamed) rmSync(temporaryOf(this.path), { force: true });
    this.#tables.clear();
  }

  #writeCopy(path: string): { readonly fd: number; readonly size: number } {
    if (existsSync(path)) rmSync(path);
    const fd = openSync(path, 'wx+', 0o600);
    try {
      let size = 0;
      for (const bytes of this.#image(this.#snapshot())) {
        writeFully(fd, bytes, size);
        size += bytes.length;
      }
      fsyncSync(fd);
      return { fd, size };
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
  }

  #snapshot(): (readonly [string, readonly Row[]])[] {
    return [...this.#tables].map(([column, rows]) => [column, [...rows.values()]]);
  }

  *#image(tables: Iterable<readonly [string, readonly Row[]]>): Generator<Uint8Array> {
    yield headerOf(this.id);
    for (const [column, all] of tables) {
      for (let at = 0; at < all.length; at += REWRITE_BATCH) {
        yield frameOf(all.slice(at, at + REWRITE_BATCH).map(({ key, value }) => ({ column, key, value })));
      }
    }
  }

  /** @returns where the last whole batch ends */
  #load(bytes: Uint8Array): number {
    let at = HEADER_SIZE;
    while (at < bytes.length) {
      const batch = readBatch(bytes, at);
      if (!batch) return at;
      this.#apply(batch.changes);
      at = batch.end;
    }
    return at;
  }

  #cut(end: number): void {
    ftruncateSync(this.#fd, end);
    fsyncSync(this.#fd);
    this.#size = end;
  }

  #apply(batch: readonly RawChange[]): void {
    for (const { column, key, value } of batch) {
      const rows: Rows = this.#tables.get(column) ?? new Map();
      this.#tables.set(column, rows);
      const id = toHex(key);
      const before = rows.get(id);
      if (before) this.#liveBytes -= before.key.length + before.value.length;
      if (!value) {
        rows.delete(id);
        continue;
      }
      rows.set(id, { key, value });
      this.#liveBytes += key.length + value.length;
    }
  }
}

/** Where a file is made before it gets its name. */
function temporaryOf(path: string): string {
  return `${path}${MAKING}`;
}

/** A name that files only have while they are made, or where a kill left them so. */
export function isTemporary(name: string): boolean {
  return name.endsWith(MAKING) || name.endsWith(COMPACTING);
}

function headerOf(id: Uint8Array): Uint8Array {
  const w = new ByteWriter(HEADER_SIZE);
  w.bytes(MAGIC);
  w.u32(FORMAT_VERSION);
  w.bytes(id);
  return w.finish();
}

function readHeader(bytes: Uint8Array, path: string): Uint8Array {
  if (bytes.length < HEADER_SIZE || !equalBytes(bytes.subarray(0, MAGIC.length), MAGIC)) {
    throw new WalletDamaged(`${path} is no wallet of this program`);
  }
  const r = new ByteReader(bytes.subarray(MAGIC.length, HEADER_SIZE));
  const version = r.u32();
  if (version > FORMAT_VERSION) throw new WalletTooNew(`${path} has format ${version}, this program knows ${FORMAT_VERSION}`);
  return Uint8Array.from(r.bytes(ID_SIZE));
}

function frameOf(batch: readonly RawChange[]): Uint8Array {
  const body = new ByteWriter(1024);
  changes.write(body, batch);
  const bytes = body.finish();
  const w = new ByteWriter(FRAME_SIZE + bytes.length);
  u32.write(w, bytes.length);
  w.bytes(sha256(bytes).subarray(0, CHECKSUM_SIZE));
  w.bytes(bytes);
  return w.finish();
}

/** @returns undefined for a batch that a kill or a loss of power cut off: it is broken, and nothing follows it */
function readBatch(bytes: Uint8Array, at: number): { readonly changes: readonly RawChange[]; readonly end: number } | undefined {
  if (bytes.length - at < FRAME_SIZE) return undefined;
  const r = new ByteReader(bytes.subarray(at, at + FRAME_SIZE));
  const end = at + FRAME_SIZE + r.u32();
  if (end > bytes.length) return undefined;
  const body = bytes.subarray(at + FRAME_SIZE, end);
  const whole = equalBytes(sha256(body).subarray(0, CHECKSUM_SIZE), r.bytes(CHECKSUM_SIZE));
  if (!whole && end === bytes.length) return undefined;
  try {
    if (whole) return { changes: changes.read(new ByteReader(body)), end };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
  throw new WalletDamaged(`a batch of the wallet is damaged at byte ${at}`);
}

function readFully(fd: number, into: Uint8Array): boolean {
  return readSync(fd, into, 0, into.length, 0) === into.length;
}

function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

/** Makes a new name in a directory last. */
function syncDirectory(path: string): void {
  const fd = openSync(dirname(path), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

import { closeSync, fdatasyncSync, fstatSync, fsync, fsyncSync, ftruncateSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import type { RawChange } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { writeFully } from '../../util/disk.js';
import { FORMAT_VERSION, frameOf, HEADER_SIZE, headerOf, readFrame, WalletDamaged } from './file-format.js';
import { readHead } from './read-head.js';

/** Position of an appended batch in a file. */
export interface FramePosition {
  /** Offset and size, bytes. */
  readonly at: number;
  readonly size: number;
  /** Number of the frame, from 0. */
  readonly number: number;
}

/** An open wallet file to which batches are appended. The content of rows is opaque to it. */
export class FrameLog {
  #isClosed = false;

  private constructor(
    readonly fd: number,
    private bytes: number,
    /** Number of the next frame. */
    private frames: number,
  ) {}

  /** Creates a file with a header only. Replaces a file of that name, which an unclean shutdown left. */
  static create(path: string, id: Uint8Array): FrameLog {
    rmSync(path, { force: true });
    const log = new FrameLog(openSync(path, 'wx+', 0o600), HEADER_SIZE, 0);
    try {
      writeFully(log.fd, headerOf(id), 0);
      return log;
    } catch (error) {
      log.discard(path);
      throw error;
    }
  }

  /** Opens a file with that many frames, the last of which ends at `size`, for appending. */
  static open(path: string, size: number, frames: number): FrameLog {
    return new FrameLog(openSync(path, 'r+'), size, frames);
  }

  get size(): number {
    return this.bytes;
  }

  /**
   * Compares the file with the one that has a path now: `other` if that is another one, even an equal copy, or another program changed the
   * size of this one.
   * @param id wallet id
   */
  placeAt(path: string, id: Uint8Array): 'own' | 'missing' | 'other' {
    const own = fstatSync(this.fd);
    const there = statSync(path, { throwIfNoEntry: false });
    if (!there) return 'missing';
    if (own.size !== this.bytes || there.size !== this.bytes) return 'other';
    if (there.ino === own.ino && there.dev === own.dev) return 'own';
    // Some network file systems number the same file differently each time; but a file without a name is none that has the path.
    return own.nlink > 0 && equalBytes(readHead(path), headerOf(id)) ? 'own' : 'other';
  }

  /** Appends a batch. If it throws, `size` is unchanged, and the caller calls `truncate` to remove a part that was written. */
  append(batch: readonly RawChange[]): FramePosition {
    const frame = frameOf(this.frames, batch);
    writeFully(this.fd, frame, this.bytes);
    const place = { at: this.bytes, size: frame.length, number: this.frames };
    this.bytes += frame.length;
    this.frames += 1;
    return place;
  }

  /** Reads a batch back from the file. @throws {WalletDamaged} */
  read({ at, size, number }: FramePosition): readonly RawChange[] {
    const bytes = Buffer.alloc(size);
    const frame = readSync(this.fd, bytes, 0, size, at) === size ? readFrame(bytes, 0, FORMAT_VERSION, number) : undefined;
    if (frame?.kind !== 'whole') throw new WalletDamaged(`the bytes read back differ from those written at byte ${at}`);
    return frame.batch;
  }

  /** Truncates the file to `size`: a partly written batch would otherwise follow a shorter one written in its place. */
  truncate(): void {
    ftruncateSync(this.fd, this.bytes);
  }

  /** The content is on disk when it returns. */
  syncData(): void {
    fdatasyncSync(this.fd);
  }

  /** Content and size are on disk when it returns. */
  sync(): void {
    fsyncSync(this.fd);
  }

  /** As `sync`, without blocking. */
  syncLater(): Promise<void> {
    return promisify(fsync)(this.fd);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.fd);
  }

  /** Closes the file and removes it. */
  discard(path: string): void {
    this.close();
    rmSync(path, { force: true });
  }
}

import { closeSync, fdatasyncSync, fsync, fsyncSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import type { RawChange } from '../../storage/view.js';
import { writeFully } from '../../util/disk.js';
import { FORMAT_VERSION, frameOf, HEADER_SIZE, headerOf, readFrame, WalletDamaged } from './file-format.js';

/** Where in a file an appended batch lies. */
export interface FramePlace {
  readonly at: number;
  readonly size: number;
  readonly number: number;
}

/** An open wallet file that batches are appended to. It knows nothing of what they say. */
export class FrameLog {
  #isClosed = false;

  private constructor(
    readonly fd: number,
    private bytes: number,
    /** Number of the next frame. */
    private frames: number,
  ) {}

  /** Begins a file with nothing in it but its header. A file of that name is left from a kill: it is removed. */
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

  /** Goes on with a file of so many frames, whose last one ends at `size`. */
  static open(path: string, size: number, frames: number): FrameLog {
    return new FrameLog(openSync(path, 'r+'), size, frames);
  }

  get size(): number {
    return this.bytes;
  }

  /** Appends a batch, or throws with the size as it was; `takeBack` then removes what there may be of it. */
  append(batch: readonly RawChange[]): FramePlace {
    const frame = frameOf(this.frames, batch);
    writeFully(this.fd, frame, this.bytes);
    const place = { at: this.bytes, size: frame.length, number: this.frames };
    this.bytes += frame.length;
    this.frames += 1;
    return place;
  }

  /** A batch as the file has it. @throws {WalletDamaged} */
  read({ at, size, number }: FramePlace): readonly RawChange[] {
    const bytes = Buffer.alloc(size);
    const frame = readSync(this.fd, bytes, 0, size, at) === size ? readFrame(bytes, 0, FORMAT_VERSION, number) : undefined;
    if (frame?.kind !== 'whole') throw new WalletDamaged(`the disk returns other bytes than were written at byte ${at}`);
    return frame.batch;
  }

  /** Removes the beginning of a batch that found no room: a shorter one in its place would have its rest behind it. */
  takeBack(): void {
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

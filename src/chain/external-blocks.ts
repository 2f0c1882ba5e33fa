import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { BlockFile, BlockPosition } from './block-store.js';
import { MIN_RECORD_BYTES, recordsIn } from './record-scan.js';

/**
 * Files with blocks of another node, such as its `blk00000.dat` or a bootstrap file: records of magic, length and block, in any order. Bytes
 * between records are skipped, as are damaged ones.
 */
export class ExternalBlocks {
  readonly #descriptors: readonly number[];
  readonly #magics: readonly Uint8Array[];

  /**
   * @param magics first 4 bytes of a record, in each of the forms that occur
   * @throws {Error} of the system if a file cannot be opened
   */
  constructor(paths: readonly string[], magics: readonly Uint8Array[]) {
    const opened: number[] = [];
    try {
      for (const path of paths) opened.push(openSync(path, 'r'));
    } catch (error) {
      for (const descriptor of opened) closeSync(descriptor);
      throw error;
    }
    this.#descriptors = opened;
    this.#magics = magics;
  }

  files(): readonly BlockFile[] {
    return this.#descriptors.map((descriptor, file) => ({ file, bytes: bytesIn(descriptor) }));
  }

  *records(): Generator<BlockPosition> {
    for (const { file, bytes } of this.files()) {
      const read = (at: number, size: number) => this.#read(file, at, size);
      const records = { bytes, magics: this.#magics, minRecordBytes: MIN_RECORD_BYTES, read };
      for (const record of recordsIn(records)) yield { file, ...record };
    }
  }

  /** Bytes of a record that `records` found. @throws {Error} if the file was cut meanwhile */
  read({ file, offset, size }: BlockPosition): Uint8Array {
    const bytes = this.#read(file, offset, size);
    if (bytes.length < size) throw new Error('the file of blocks was cut off while it was read');
    return bytes;
  }

  close(): void {
    for (const descriptor of this.#descriptors) closeSync(descriptor);
  }

  #read(file: number, at: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(size);
    return bytes.subarray(0, readSync(this.#descriptors[file] as number, bytes, 0, size, at));
  }
}

/** A directory can be opened like a file, but has no bytes to be read. */
function bytesIn(descriptor: number): number {
  const stats = fstatSync(descriptor);
  return stats.isDirectory() ? 0 : stats.size;
}

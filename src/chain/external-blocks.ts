import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { HEADER_BYTES, MAX_RECORD_BYTES } from './block-files.js';
import type { BlockFile, BlockPosition } from './block-store.js';

const CHUNK_BYTES = 2 ** 20;
const MAGIC_BYTES = 4;
/** Size of a block with a header alone; shorter records are none. */
const MIN_RECORD_BYTES = 80;

/**
 * Files with blocks of another node, such as its `blk00000.dat` or a bootstrap file: records of magic, length and block, in any order. Bytes
 * between records are skipped, as are damaged ones.
 */
export class ExternalBlocks {
  readonly #descriptors: readonly number[];
  readonly #magics: readonly Buffer[];

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
    this.#magics = magics.map((magic) => Buffer.from(magic));
  }

  files(): readonly BlockFile[] {
    return this.#descriptors.map((descriptor, file) => ({ file, bytes: bytesIn(descriptor) }));
  }

  *records(): Generator<BlockPosition> {
    for (const { file, bytes } of this.files()) yield* this.#recordsOf(file, bytes);
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

  *#recordsOf(file: number, bytes: number): Generator<BlockPosition> {
    for (let at = 0; at + HEADER_BYTES <= bytes; ) {
      const size = this.#sizeAt(file, at);
      const end = at + HEADER_BYTES + (size ?? 0);
      const isRecord = size !== undefined && end <= bytes;
      if (isRecord) yield { file, offset: at + HEADER_BYTES, size };
      // Before the end of a record that was cut off, the next one begins.
      at = isRecord && this.#isMagic(file, end) ? end : this.#nextMagic(file, at + 1, bytes);
    }
  }

  #isMagic(file: number, at: number): boolean {
    const bytes = this.#read(file, at, MAGIC_BYTES);
    return this.#magics.some((magic) => magic.equals(bytes));
  }

  /** Size of the block of a record that begins there; undefined if none does. */
  #sizeAt(file: number, at: number): number | undefined {
    if (!this.#isMagic(file, at)) return undefined;
    const size = this.#read(file, at, HEADER_BYTES).readUInt32LE(MAGIC_BYTES);
    return size >= MIN_RECORD_BYTES && size <= MAX_RECORD_BYTES ? size : undefined;
  }

  /** Position of the next magic, or the end of the file. */
  #nextMagic(file: number, from: number, bytes: number): number {
    // The chunks overlap, because a magic may be on their edge.
    for (let at = from; at < bytes; at += CHUNK_BYTES - MAGIC_BYTES) {
      const chunk = this.#read(file, at, Math.min(CHUNK_BYTES, bytes - at));
      const found = this.#magics.map((magic) => chunk.indexOf(magic)).filter((offset) => offset >= 0);
      if (found.length > 0) return at + Math.min(...found);
    }
    return bytes;
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

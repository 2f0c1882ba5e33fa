import { type Codec, struct, u32 } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';

/** Position of a block's bytes in the block files. */
export interface BlockPosition {
  readonly file: number;
  /** Offset of the block's first byte in the file. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

/** Bytes of a transaction within its serialised block. */
export interface TransactionSpan {
  /** Offset of the first byte in the block. */
  readonly offset: number;
  /** Bytes, with witness data. */
  readonly size: number;
}

/** Place of a transaction in its block. */
export interface TransactionPlace {
  readonly txid: Hash256;
  /** Index in the block. */
  readonly position: number;
  /** Undefined if it is not known. */
  readonly span?: TransactionSpan | undefined;
}

export const blockPosition: Codec<BlockPosition> = struct<BlockPosition>({ file: u32, offset: u32, size: u32 });

/** Stored blocks as they were received, in the order of arrival. */
export interface BlockStore {
  /** Appends a block, which survives a power failure only after `sync`. */
  append(bytes: Uint8Array): BlockPosition;
  /** @throws {DiskFull} if there is no room for a block of that size */
  requireRoom(bytes: number): void;
  /** @throws {StoreDamaged} if the record is damaged */
  read(at: BlockPosition): Uint8Array;
  /** Bytes of a block, which are not compared with anything; undefined if they are not there. */
  readPart(at: BlockPosition, offset: number, size: number): Uint8Array | undefined;
  /** Positions in the order of arrival: all, or those after `last`. */
  records(last?: BlockPosition): Iterable<BlockPosition>;
  /** Makes appended blocks survive a power failure. */
  sync(): void;
  /** Syncs the appended blocks on another thread, so that the next `sync` need not. That one reports a failure. */
  syncAhead(): Promise<void>;
  /** Bytes. */
  readonly sizeOnDisk: number;
  /** Existing files, oldest first. Only the last one still grows. */
  files(): readonly BlockFile[];
  /** Deletes a file, which must not be the last one. No effect if the file does not exist. */
  remove(file: number): void;
  close(): void;
}

/** File of stored blocks. */
export interface BlockFile {
  /** Number of the file. */
  readonly file: number;
  readonly bytes: number;
}

/** Block store in memory, for tests: each block is a file of its own. */
export class MemoryBlocks implements BlockStore {
  readonly #blocks: (Uint8Array | undefined)[] = [];
  sizeOnDisk = 0;

  /** Appends a block, which survives a power failure only after `sync`. */
  append(bytes: Uint8Array): BlockPosition {
    this.sizeOnDisk += bytes.length;
    return { file: this.#blocks.push(bytes) - 1, offset: 0, size: bytes.length };
  }

  read({ file }: BlockPosition): Uint8Array {
    const bytes = this.#blocks[file];
    if (!bytes) throw new Error(`no block ${file}`);
    return bytes;
  }

  readPart({ file }: BlockPosition, offset: number, size: number): Uint8Array | undefined {
    return this.#blocks[file]?.subarray(offset, offset + size);
  }

  *records(last?: BlockPosition): Iterable<BlockPosition> {
    for (let file = last ? last.file + 1 : 0; file < this.#blocks.length; file++) {
      const block = this.#blocks[file];
      if (block) yield { file, offset: 0, size: block.length };
    }
  }

  files(): readonly BlockFile[] {
    return this.#blocks.flatMap((block, file) => (block ? { file, bytes: block.length } : []));
  }

  remove(file: number): void {
    this.sizeOnDisk -= this.#blocks[file]?.length ?? 0;
    this.#blocks[file] = undefined;
  }

  requireRoom(): void {}
  sync(): void {}
  async syncAhead(): Promise<void> {}
  close(): void {}
}

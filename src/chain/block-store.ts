import { type Codec, struct, u32 } from '../primitives/codec.js';

/** Where a block's bytes stand. */
export interface BlockPosition {
  readonly file: number;
  /** Of the first byte of the block itself. */
  readonly offset: number;
  readonly size: number;
}

export const blockPosition: Codec<BlockPosition> = struct<BlockPosition>({ file: u32, offset: u32, size: u32 });

/** Blocks as they were received, in the order of arrival. */
export interface BlockStore {
  append(bytes: Uint8Array): BlockPosition;
  /** @throws {DiskFull} if a block of so many bytes would not be taken */
  requireRoom(bytes: number): void;
  /** @throws if the record is damaged */
  read(at: BlockPosition): Uint8Array;
  /** Positions in the order of arrival, all or those behind `last`. */
  records(last?: BlockPosition): Iterable<BlockPosition>;
  /** What was appended survives a loss of power from here on. */
  sync(): void;
  readonly sizeOnDisk: number;
  /** What there is, in the order in which it was begun. Only the last file still grows. */
  files(): readonly BlockFile[];
  /** Deletes a file whole; not the last one. Files that are gone already do not matter. */
  remove(file: number): void;
  close(): void;
}

export interface BlockFile {
  readonly file: number;
  readonly bytes: number;
}

/** Blocks in memory, for tests: each is a file of its own. */
export class MemoryBlocks implements BlockStore {
  readonly #blocks: (Uint8Array | undefined)[] = [];
  sizeOnDisk = 0;

  append(bytes: Uint8Array): BlockPosition {
    this.sizeOnDisk += bytes.length;
    return { file: this.#blocks.push(bytes) - 1, offset: 0, size: bytes.length };
  }

  read({ file }: BlockPosition): Uint8Array {
    const bytes = this.#blocks[file];
    if (!bytes) throw new Error(`no block ${file}`);
    return bytes;
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
  close(): void {}
}

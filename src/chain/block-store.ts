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
  /** @throws if the record is damaged */
  read(at: BlockPosition): Uint8Array;
  /** Positions in the order of arrival, all or those behind `last`. */
  records(last?: BlockPosition): Iterable<BlockPosition>;
  /** What was appended survives a loss of power from here on. */
  sync(): void;
  readonly sizeOnDisk: number;
  close(): void;
}

/** Blocks in memory, for tests. */
export class MemoryBlocks implements BlockStore {
  readonly #blocks: Uint8Array[] = [];
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
      yield { file, offset: 0, size: this.#blocks[file]?.length ?? 0 };
    }
  }

  sync(): void {}
  close(): void {}
}

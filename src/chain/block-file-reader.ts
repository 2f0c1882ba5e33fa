import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamaged } from '../storage/errors.js';
import { equalBytes } from '../util/bytes.js';
import { nameOf } from './block-files.js';
import type { BlockFile, BlockPosition, BlockStore } from './block-store.js';
import { HEADER_BYTES } from './record-scan.js';

/**
 * Blocks in the files of another process, which appends to them meanwhile. The first record is the genesis block, wherever it is stored;
 * others are read by their positions only.
 */
export class BlockFileReader implements BlockStore {
  readonly #directory: string;
  readonly #magics: readonly Uint8Array[];
  readonly #genesis: BlockPosition;
  /** The file that was read last, because blocks are read in the order of arrival. */
  #open: { readonly file: number; readonly descriptor: number } | undefined;

  /** @param magics first 4 bytes of a record, in each of the forms that occur */
  constructor(directory: string, { magics, genesis }: { readonly magics: readonly Uint8Array[]; readonly genesis: BlockPosition }) {
    this.#directory = directory;
    this.#magics = magics;
    this.#genesis = genesis;
  }

  /** @throws {StoreDamaged} if there is no such record at the position */
  read({ file, offset, size }: BlockPosition): Uint8Array {
    const record = Buffer.allocUnsafeSlow(HEADER_BYTES + size);
    const length = readSync(this.#descriptor(file), record, 0, record.length, offset - HEADER_BYTES);
    const isMagic = this.#magics.some((magic) => equalBytes(record.subarray(0, 4), magic));
    const isRecord = length === record.length && isMagic && record.readUInt32LE(4) === size;
    if (!isRecord) throw new StoreDamaged(`the block files are damaged: no block of ${size} bytes at ${offset} of ${nameOf(file)}`);
    return record.subarray(HEADER_BYTES);
  }

  readPart({ file, offset: start }: BlockPosition, offset: number, size: number): Uint8Array | undefined {
    const bytes = Buffer.allocUnsafeSlow(size);
    return readSync(this.#descriptor(file), bytes, 0, size, start + offset) === size ? bytes : undefined;
  }

  *records(): Iterable<BlockPosition> {
    yield this.#genesis;
  }

  files(): readonly BlockFile[] {
    return readdirSync(this.#directory).flatMap((name) => {
      const file = Number(/^blk(\d+)\.dat$/.exec(name)?.[1]);
      return Number.isNaN(file) ? [] : [{ file, bytes: 0 }];
    });
  }

  close(): void {
    if (this.#open) closeSync(this.#open.descriptor);
    this.#open = undefined;
  }

  readonly sizeOnDisk = 0;
  /** The process that appends syncs the files. */
  sync(): void {}
  async syncAhead(): Promise<void> {}
  requireRoom(): void {}

  append(): BlockPosition {
    throw new Error('the block files belong to another process');
  }

  remove(): void {
    this.append();
  }

  #descriptor(file: number): number {
    if (this.#open?.file === file) return this.#open.descriptor;
    this.close();
    const descriptor = openSync(join(this.#directory, nameOf(file)), 'r');
    this.#open = { file, descriptor };
    return descriptor;
  }
}

/** Bytes before a block: magic and length. */
export const HEADER_BYTES = 8;
/** Maximum size of a block on the network, bytes; a longer record is damaged. */
export const MAX_RECORD_BYTES = 64_000_000;
/** Size of a block with a header alone, bytes; a shorter record is none. */
export const MIN_RECORD_BYTES = 80;
const MAGIC_BYTES = 4;
/** Small blocks are read many at once. */
const CHUNK_BYTES = 2 ** 16;
/** Files are searched for a magic in larger chunks. */
const SEARCH_BYTES = 2 ** 20;

/** A file with records of magic, length and block. */
export interface RecordFile {
  readonly bytes: number;
  /** Magics with which records begin, 4 bytes each. */
  readonly magics: readonly Uint8Array[];
  /** Size of the smallest block, bytes. */
  readonly minRecordBytes: number;
  /** Reads a part of the file, which may be shorter at its end. */
  read(at: number, size: number): Buffer;
}

/** Position of a block in its file. */
export interface RecordPosition {
  /** Offset of the block's first byte. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

/**
 * Complete records of a file in their order. Other bytes are skipped up to the next magic, so that damage hides no record behind it, as in
 * `defid`. Where no record follows at the end of one, its length may be wrong, so the search begins in it.
 */
export function* recordsIn(file: RecordFile, from = 0): Generator<RecordPosition> {
  const scan = new RecordScan(file);
  for (let at = from; at + HEADER_BYTES <= file.bytes; ) {
    const size = scan.sizeAt(at);
    const end = at + HEADER_BYTES + (size ?? 0);
    const isRecord = size !== undefined && end <= file.bytes;
    if (isRecord) yield { offset: at + HEADER_BYTES, size };
    at = isRecord && scan.isEnd(end) ? end : scan.nextMagic(at + 1);
  }
}

class RecordScan {
  readonly #file: RecordFile;
  readonly #magics: readonly Buffer[];
  #chunk: Buffer = Buffer.alloc(0);
  #chunkAt = 0;
  /** Next position of each magic in the chunk, as far as it was searched; infinite if there is none. */
  #next: number[] = [];

  constructor(file: RecordFile) {
    this.#file = file;
    this.#magics = file.magics.map((magic) => Buffer.from(magic));
  }

  /** Size of the block of a record that begins there; undefined if none does. */
  sizeAt(at: number): number | undefined {
    const header = this.#at(at, HEADER_BYTES);
    if (!this.#isMagic(header)) return undefined;
    const size = header.readUInt32LE(MAGIC_BYTES);
    return size >= this.#file.minRecordBytes && size <= MAX_RECORD_BYTES ? size : undefined;
  }

  /** True if another record or the end of the file follows there. */
  isEnd(at: number): boolean {
    if (at === this.#file.bytes) return true;
    // The chunk is kept, because the search may continue in it.
    return this.#isMagic(this.#has(at, MAGIC_BYTES) ? this.#at(at, MAGIC_BYTES) : this.#read(at, MAGIC_BYTES));
  }

  /** Position of the next magic, or the end of the file. */
  nextMagic(from: number): number {
    for (let at = from; ; ) {
      this.#load(at, MAGIC_BYTES, SEARCH_BYTES);
      if (!this.#has(at, MAGIC_BYTES)) return this.#file.bytes;
      const found = this.#nextInChunk(at);
      if (found < Number.POSITIVE_INFINITY) return found;
      // The chunks overlap, because a magic may be on their edge.
      at = this.#chunkAt + this.#chunk.length - MAGIC_BYTES + 1;
    }
  }

  /** A magic that was found is not searched for again before its position, or those of the other would cost a search each. */
  #nextInChunk(from: number): number {
    for (const [i, magic] of this.#magics.entries()) {
      if ((this.#next[i] ?? -1) >= from) continue;
      const offset = this.#chunk.indexOf(magic, from - this.#chunkAt);
      this.#next[i] = offset < 0 ? Number.POSITIVE_INFINITY : this.#chunkAt + offset;
    }
    return Math.min(...this.#next);
  }

  #isMagic(bytes: Buffer): boolean {
    return this.#magics.some((magic) => magic.equals(bytes.subarray(0, MAGIC_BYTES)));
  }

  #at(at: number, size: number): Buffer {
    this.#load(at, size, CHUNK_BYTES);
    return this.#chunk.subarray(at - this.#chunkAt, at - this.#chunkAt + size);
  }
  #has(at: number, size: number): boolean {
    return at >= this.#chunkAt && at + size <= this.#chunkAt + this.#chunk.length;
  }

  /** Reads another chunk unless the present one has these bytes. */
  #load(at: number, size: number, chunkBytes: number): void {
    if (this.#has(at, size)) return;
    this.#chunk = this.#read(at, chunkBytes);
    this.#chunkAt = at;
    this.#next = [];
  }

  /** Fewer bytes at the end of the file. */
  #read(at: number, size: number): Buffer {
    return this.#file.read(at, Math.max(0, Math.min(size, this.#file.bytes - at)));
  }
}

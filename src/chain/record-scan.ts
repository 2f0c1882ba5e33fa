/** Bytes before a block: magic and length. */
export const HEADER_BYTES = 8;
/** Maximum size of a block on the network, bytes; a longer record is damaged. */
export const MAX_RECORD_BYTES = 64_000_000;
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
    return at === this.#file.bytes || this.#isMagic(this.#at(at, MAGIC_BYTES));
  }

  /** Position of the next magic, or the end of the file. */
  nextMagic(from: number): number {
    const { bytes } = this.#file;
    // The chunks overlap, because a magic may be on their edge.
    for (let at = from; at < bytes; at += SEARCH_BYTES - MAGIC_BYTES) {
      const chunk = this.#file.read(at, Math.min(SEARCH_BYTES, bytes - at));
      const found = this.#magics.map((magic) => chunk.indexOf(magic)).filter((offset) => offset >= 0);
      if (found.length > 0) return at + Math.min(...found);
    }
    return bytes;
  }

  #isMagic(bytes: Buffer): boolean {
    return this.#magics.some((magic) => magic.equals(bytes.subarray(0, MAGIC_BYTES)));
  }

  #at(at: number, size: number): Buffer {
    if (at < this.#chunkAt || at + size > this.#chunkAt + this.#chunk.length) {
      this.#chunk = this.#file.read(at, Math.max(0, Math.min(CHUNK_BYTES, this.#file.bytes - at)));
      this.#chunkAt = at;
    }
    return this.#chunk.subarray(at - this.#chunkAt, at - this.#chunkAt + size);
  }
}

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { ByteReader, DecodeError, decode, encode, u8, u32 } from '../primitives/codec.js';
import { equalBytes } from '../util/bytes.js';
import { SnapshotError } from './errors.js';
import {
  type Chunk,
  type ColumnDigest,
  chunkHead,
  columnDigests,
  FRAME,
  FRAME_PREFIX_BYTES,
  type FramePrefix,
  framePrefix,
  MAGIC,
  MAX_CHUNK_BYTES,
  MAX_FRAME_BYTES,
  MAX_HEADER_BYTES,
  type Row,
  row,
  SNAPSHOT_VERSION,
  type SnapshotHeader,
  snapshotHeader,
} from './format.js';

const inflated = promisify(inflate);
const HASH_BYTES = 32;

/** Part of a file that was read and found undamaged. */
export type Frame = { readonly end: number } & ({ readonly chunk: Chunk } | { readonly columns: readonly ColumnDigest[] });

/** Bytes before the header: magic, version, length of the header. */
const PREAMBLE_BYTES = MAGIC.length + 8;

/** The preamble and header of a file, with its hash. */
export function encodeHeader(header: SnapshotHeader): Uint8Array {
  const body = encode(snapshotHeader, header);
  const head = Buffer.concat([MAGIC, encode(u32, SNAPSHOT_VERSION), encode(u32, body.length), body]);
  return Buffer.concat([head, sha256(head)]);
}

/** Hash in the prefix of a frame. It covers the index, so that no frame can be missing, doubled or moved. */
export function frameHash(kind: number, index: number, body: Uint8Array): Uint8Array {
  return sha256(encode(u8, kind), encode(u32, index), body);
}

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** Reads a snapshot file from its start, checking each part before its contents are used. */
export class SnapshotReader {
  readonly #file: FileHandle;
  readonly header: SnapshotHeader;
  #offset: number;
  #index = 0;

  private constructor(file: FileHandle, header: SnapshotHeader, offset: number) {
    this.#file = file;
    this.header = header;
    this.#offset = offset;
  }

  /** @throws {SnapshotError} if the file is no snapshot, of another format, or damaged */
  static async open(file: FileHandle): Promise<SnapshotReader> {
    const preamble = await bytesAt(file, 0, PREAMBLE_BYTES, 'the header');
    if (!equalBytes(preamble.subarray(0, MAGIC.length), MAGIC)) throw new SnapshotError('the file is not a snapshot');
    const version = preamble.readUInt32LE(MAGIC.length);
    if (version !== SNAPSHOT_VERSION) {
      throw new SnapshotError(`the snapshot has format ${version}, but this version reads format ${SNAPSHOT_VERSION}`);
    }
    const length = preamble.readUInt32LE(MAGIC.length + 4);
    if (length > MAX_HEADER_BYTES) throw new SnapshotError('the header of the snapshot is damaged');
    const end = PREAMBLE_BYTES + length + HASH_BYTES;
    const all = await bytesAt(file, 0, end, 'the header');
    const head = all.subarray(0, -HASH_BYTES);
    if (!equalBytes(sha256(head), all.subarray(-HASH_BYTES))) throw new SnapshotError('the header of the snapshot is damaged');
    const header = decoded('the header', () => decode(snapshotHeader, head.subarray(PREAMBLE_BYTES)));
    return new SnapshotReader(file, header, end);
  }

  /** Bytes that were read and found undamaged. */
  get offset(): number {
    return this.#offset;
  }

  /** Number of frames that were read. */
  get index(): number {
    return this.#index;
  }

  /** The next frame; the last one has the digests of all columns. @throws {SnapshotError} if it is damaged or missing */
  async next(): Promise<Frame> {
    const name = `chunk ${this.#index} at byte ${this.#offset}`;
    const prefix = decode(framePrefix, await bytesAt(this.#file, this.#offset, FRAME_PREFIX_BYTES, name));
    const isKnown = prefix.kind === FRAME.chunk || prefix.kind === FRAME.end;
    if (!isKnown || prefix.length > MAX_FRAME_BYTES) throw damaged(name);
    const body = await bytesAt(this.#file, this.#offset + FRAME_PREFIX_BYTES, prefix.length, name);
    if (!equalBytes(frameHash(prefix.kind, this.#index, body), prefix.hash)) throw damaged(name);
    const content = await contentOf(prefix, body, name);
    this.#offset += FRAME_PREFIX_BYTES + prefix.length;
    this.#index += 1;
    return { ...content, end: this.#offset };
  }
}

async function contentOf(
  { kind }: FramePrefix,
  body: Uint8Array,
  name: string,
): Promise<{ readonly chunk: Chunk } | { readonly columns: readonly ColumnDigest[] }> {
  if (kind === FRAME.end) return { columns: decoded(name, () => decode(columnDigests, body)) };
  let bytes: Uint8Array;
  try {
    bytes = await inflated(body, { maxOutputLength: MAX_CHUNK_BYTES });
  } catch (cause) {
    throw damaged(name, cause);
  }
  const r = new ByteReader(bytes);
  const head = decoded(name, () => chunkHead.read(r));
  return { chunk: { ...head, bytes: bytes.subarray(bytes.length - r.remaining) } };
}

/** Rows of a chunk. @throws {SnapshotError} if there are more or fewer than it says */
export function* rowsOf({ column, rows, bytes }: Chunk): Generator<Row> {
  const r = new ByteReader(bytes);
  for (let i = 0; i < rows; i++) yield decoded(`a chunk of ${column}`, () => row.read(r));
  if (r.remaining > 0) throw damaged(`a chunk of ${column}`);
}

async function bytesAt(file: FileHandle, position: number, length: number, name: string): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new SnapshotError(`the snapshot is truncated in ${name}`);
    filled += bytesRead;
  }
  return bytes;
}

/** @param name part of the file @throws {SnapshotError} that names the part, if it cannot be decoded */
export function decoded<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw damaged(name, error);
    throw error;
  }
}

function damaged(name: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${name} of the snapshot is damaged`, { cause });
}

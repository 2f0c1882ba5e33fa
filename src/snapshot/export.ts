import { existsSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { encode } from '../primitives/codec.js';
import type { AnyColumn, StateView } from '../storage/view.js';
import { syncDirectory } from '../util/disk.js';
import { Digester, type SnapshotDigest } from './digest.js';
import { SnapshotError } from './errors.js';
import { type Chunk, chunkHead, columnDigests, FRAME, framePrefix, type SnapshotHeader } from './format.js';
import { encodeHeader, frameHash, rowsOf, SnapshotReader } from './reader.js';
import { keptOptions, type RowPosition, SnapshotSource } from './source.js';

const deflated = promisify(deflate);

/** Progress of an export or import. */
export interface SnapshotProgress {
  /** Column of the last rows. */
  readonly column: string;
  /** Bytes of the file so far. */
  readonly bytes: number;
  readonly rows: number;
}

/** Options of an export. */
export interface ExportRequest {
  /** Undefined for the tip, or the height of an interrupted export. */
  readonly height?: number | undefined;
  /** Options of the node, of `STATE_OPTIONS`. */
  readonly options: readonly string[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SnapshotProgress) => void;
}

/** Written snapshot. */
export interface Exported {
  readonly header: SnapshotHeader;
  readonly digest: SnapshotDigest;
  readonly rows: number;
  /** Size of the file. */
  readonly bytes: number;
}

/** Rows that were written by an earlier, interrupted export. */
interface Written {
  readonly after: RowPosition | undefined;
  /** Number of frames, and bytes of the file with them. */
  readonly frames: number;
  readonly bytes: number;
  readonly rows: number;
}

/**
 * Writes the state of a chain to a file, in slices. The file has its name once it is complete; until then it is `FILE.part`, and the same call
 * continues it after an interruption, at its height.
 * @param view state at the tip, which must not change meanwhile
 * @throws {SnapshotError} if the file exists, or the state of that height cannot be reached
 */
export async function exportSnapshot(
  path: string,
  view: StateView,
  columns: readonly AnyColumn[],
  request: ExportRequest,
): Promise<Exported> {
  if (existsSync(path)) throw new SnapshotError(`${path} exists`);
  const part = `${path}.part`;
  const file = await open(part, existsSync(part) ? 'r+' : 'w+');
  try {
    const begun = await headerOf(file);
    const continues = begun !== undefined && isContinued(begun, view, request);
    const source = await SnapshotSource.at(view, columns, { ...request, height: continues ? begun.height : request.height });
    const writer = new SnapshotWriter(file, source, request);
    await writer.begin(continues);
    const result = await writer.run();
    await file.sync();
    await rename(part, path);
    syncDirectory(dirname(path));
    return result;
  } finally {
    await file.close();
  }
}

/** Header of an interrupted export; undefined if there is none that is readable. */
async function headerOf(file: FileHandle): Promise<SnapshotHeader | undefined> {
  try {
    return (await SnapshotReader.open(file)).header;
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

function isContinued(begun: SnapshotHeader, view: StateView, { height, options }: ExportRequest): boolean {
  const isOfOptions = begun.options.join() === keptOptions(view, options).join();
  return (height === undefined || height === begun.height) && isOfOptions && SnapshotSource.isReachable(view, begun);
}

class SnapshotWriter {
  readonly #file: FileHandle;
  readonly #source: SnapshotSource;
  readonly #request: ExportRequest;
  readonly #digester: Digester;
  #written: Written = { after: undefined, frames: 0, bytes: 0, rows: 0 };

  constructor(file: FileHandle, source: SnapshotSource, request: ExportRequest) {
    this.#file = file;
    this.#source = source;
    this.#request = request;
    this.#digester = new Digester(source.header);
  }

  /** Writes the header, or checks what an interrupted export has written. Chunks after the first damaged one are dropped. */
  async begin(continues: boolean): Promise<void> {
    if (continues) return this.#readWritten();
    const header = encodeHeader(this.#source.header);
    await this.#file.truncate(0);
    await this.#append(header);
  }

  async #readWritten(): Promise<void> {
    const reader = await SnapshotReader.open(this.#file);
    let after: RowPosition | undefined;
    let rows = 0;
    for (;;) {
      this.#request.signal?.throwIfAborted();
      const { offset: bytes, index: frames } = reader;
      this.#written = { after, frames, bytes, rows };
      const chunk = await nextChunk(reader);
      if (!chunk) break;
      this.#digester.add(chunk.column, chunk.rows, chunk.bytes);
      for (const { key } of rowsOf(chunk)) after = { column: chunk.column, key: Buffer.from(key).toString('latin1') };
      rows += chunk.rows;
    }
    await this.#file.truncate(this.#written.bytes);
  }

  /** Writes the remaining chunks and the end. A chunk is compressed and written while the rows of the next one are read. */
  async run(): Promise<Exported> {
    let writing: Promise<void> | undefined;
    for await (const chunk of this.#source.chunks(this.#written.after, this.#request.signal)) {
      await writing;
      this.#digester.add(chunk.column, chunk.rows, chunk.bytes);
      writing = this.#writeChunk(chunk);
      // An error is thrown by the next await of the promise.
      writing.catch(() => {});
    }
    await writing;
    await this.#frame(FRAME.end, encode(columnDigests, this.#digester.columns()));
    const { bytes, rows } = this.#written;
    return { header: this.#source.header, digest: this.#digester.digest(), bytes, rows };
  }

  async #writeChunk(chunk: Chunk): Promise<void> {
    const body = await deflated(Buffer.concat([encode(chunkHead, chunk), chunk.bytes]));
    await this.#frame(FRAME.chunk, body);
    this.#written = { ...this.#written, rows: this.#written.rows + chunk.rows };
    const { bytes, rows } = this.#written;
    this.#request.onProgress?.({ column: chunk.column, bytes, rows });
  }

  async #frame(kind: number, body: Uint8Array): Promise<void> {
    const hash = frameHash(kind, this.#written.frames, body);
    await this.#append(Buffer.concat([encode(framePrefix, { kind, length: body.length, hash }), body]));
    this.#written = { ...this.#written, frames: this.#written.frames + 1 };
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      done += (await this.#file.write(bytes, done, bytes.length - done, this.#written.bytes + done)).bytesWritten;
    }
    this.#written = { ...this.#written, bytes: this.#written.bytes + bytes.length };
  }
}

/** The next chunk; undefined at the end, and if it is damaged or incomplete. */
async function nextChunk(reader: SnapshotReader): Promise<Chunk | undefined> {
  try {
    const frame = await reader.next();
    return 'chunk' in frame ? frame.chunk : undefined;
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

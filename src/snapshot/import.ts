import type { FileHandle } from 'node:fs/promises';
import {
  activeBlocks,
  BASE_KEY,
  CONNECTED_FLAGS,
  HISTORY_BASE_KEY,
  headers,
  marks,
  snapshotBases,
  TIP_KEY,
  tips,
} from '../chain/records.js';
import { workOf } from '../consensus/pos/target.js';
import { decode, encode } from '../primitives/codec.js';
import type { Hash256 } from '../primitives/hash.js';
import { blockHash } from '../primitives/header.js';
import type { AnyColumn, Column, RawChange, Store } from '../storage/view.js';
import { equalBytes } from '../util/bytes.js';
import { roleOf } from './column-roles.js';
import { Digester, type SnapshotDigest } from './digest.js';
import { SnapshotError } from './errors.js';
import type { SnapshotProgress } from './export.js';
import { BLOCKS, type Chunk, HISTORY_OPTIONS, type Row, type SnapshotHeader, snapshotBlock } from './format.js';
import { decoded, rowsOf, SnapshotReader } from './reader.js';

/** Expectations on a snapshot. */
export interface ImportRequest {
  /** Hash of the genesis block of the network. */
  readonly genesis: Hash256;
  /** Columns of the chain and its state. */
  readonly columns: readonly AnyColumn[];
  /**
   * Digest that the operator trusts; undefined if there is none for the snapshot. Without a digest of the histories, those in the file
   * are skipped.
   */
  readonly expected: (header: SnapshotHeader) => SnapshotDigest | undefined;
  /** Options of this node that must be as in the snapshot, because they decide which rows its state has. */
  readonly options: readonly string[];
  readonly onProgress?: (progress: SnapshotProgress) => void;
}

/**
 * Fills an empty store from a snapshot. The rows count only once this returns: the digest is known at the end of the file.
 * @throws {SnapshotError} if the snapshot is damaged, of another network, or has another digest
 */
export async function importSnapshot(file: FileHandle, store: Store, request: ImportRequest): Promise<SnapshotHeader> {
  const reader = await SnapshotReader.open(file);
  const { header } = reader;
  if (!equalBytes(header.genesis, request.genesis)) throw new SnapshotError('the snapshot is of another network');
  const expected = request.expected(header);
  if (!expected) throw new SnapshotError(`no digest is known for height ${header.height}: give it with -digest=<digest>`);
  requireSameOptions(header, request.options);
  const target = new ImportTarget(store, header, request.columns, expected.history !== undefined);
  const digester = new Digester(header);
  let rows = 0;
  for (;;) {
    const frame = await reader.next();
    if (!('chunk' in frame)) break;
    digester.add(frame.chunk.column, frame.chunk.rows, frame.chunk.bytes);
    target.write(frame.chunk);
    rows += frame.chunk.rows;
    request.onProgress?.({ column: frame.chunk.column, bytes: frame.end, rows });
  }
  requireDigest(digester.digest(), expected);
  target.finish(expected);
  return header;
}

/** Swap totals and the like are part of the state, and an upgrade to them in the middle of the chain would be wrong. */
function requireSameOptions({ options }: SnapshotHeader, own: readonly string[]): void {
  for (const name of ['dexstats', 'negativeinterest']) {
    const inSnapshot = options.includes(name);
    if (inSnapshot !== own.includes(name)) throw new SnapshotError(`the snapshot was made ${inSnapshot ? 'with' : 'without'} -${name}`);
  }
}

function requireDigest(found: SnapshotDigest, expected: SnapshotDigest): void {
  if (found.state !== expected.state) throw new SnapshotError(`the snapshot has the digest ${found.state}, not ${expected.state}`);
  if (expected.history === undefined || found.history === expected.history) return;
  throw new SnapshotError(`the histories of the snapshot have the digest ${found.history ?? 'of no rows'}, not ${expected.history}`);
}

/** Writes rows of a snapshot to a store, and the block index that they lead to. */
class ImportTarget {
  readonly #columns: ReadonlySet<string>;
  /** Height of the next block, and sums up to the one before. */
  #next = 0;
  #hash: Hash256 | undefined;
  #chainWork = 0n;
  #maxTime = 0;
  #chainTx = 0;

  constructor(
    private readonly store: Store,
    private readonly header: SnapshotHeader,
    columns: readonly AnyColumn[],
    private readonly takesHistory: boolean,
  ) {
    this.#columns = new Set(columns.map(({ name }) => name));
  }

  write(chunk: Chunk): void {
    if (chunk.column === BLOCKS) {
      this.store.write(this.#blocks(chunk));
      return;
    }
    const { column } = chunk;
    if (!this.#columns.has(column)) throw new SnapshotError(`the snapshot has the unknown column ${column}`);
    const role = roleOf(column);
    if (role === 'local') throw new SnapshotError(`the snapshot has rows of the column ${column}`);
    if (role === 'state' || this.takesHistory) this.store.write(rowsAs(column, rowsOf(chunk)));
  }

  *#blocks(chunk: Chunk): Generator<RawChange> {
    for (const row of rowsOf(chunk)) yield* this.#block(row);
  }

  #block({ value }: Row): RawChange[] {
    const height = this.#next;
    const { header, nTx } = decoded(`block ${height}`, () => decode(snapshotBlock, value));
    if (this.#hash && !equalBytes(header.prevHash, this.#hash))
      throw new SnapshotError(`block ${height} of the snapshot has another parent`);
    const hash = blockHash(header);
    this.#next += 1;
    this.#hash = hash;
    this.#chainWork += workOf(header.bits);
    this.#maxTime = Math.max(this.#maxTime, header.time);
    this.#chainTx += nTx;
    const { version, time, bits } = header;
    const common = { nTx, flags: CONNECTED_FLAGS, position: undefined };
    const sums = { chainWork: this.#chainWork, maxTime: this.#maxTime, chainTx: this.#chainTx };
    return [
      put(headers, hash, { header, height, ...common }),
      put(activeBlocks, height, { hash, version, time, bits, ...sums, ...common }),
    ];
  }

  /** Makes the base the tip. Blocks up to it count as pruned. */
  finish({ state, history }: SnapshotDigest): void {
    const { height, hash, options } = this.header;
    if (this.#next !== height + 1 || !this.#hash || !equalBytes(this.#hash, hash)) {
      throw new SnapshotError(`the blocks of the snapshot end at height ${this.#next - 1}, not with its base at ${height}`);
    }
    const imported = options.filter((option) => this.takesHistory || !HISTORY_OPTIONS.includes(option));
    const base = { height, hash, options: imported };
    const rows = [
      put(tips, TIP_KEY, hash),
      put(marks, 'pruned', height + 1),
      put(snapshotBases, BASE_KEY, { ...base, digest: state }),
      ...(history === undefined ? [] : [put(snapshotBases, HISTORY_BASE_KEY, { ...base, digest: history })]),
    ];
    this.store.write(rows, { sync: true });
  }
}

function* rowsAs(column: string, rows: Iterable<Row>): Generator<RawChange> {
  for (const { key, value } of rows) yield { column, key, value };
}

function put<K, V>(column: Column<K, V>, key: K, value: V): RawChange {
  return { column: column.name, key: encode(column.key, key), value: encode(column.value, value) };
}

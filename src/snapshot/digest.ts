import { createHash, type Hash } from 'node:crypto';
import { encode, list, struct, u32, varBytes, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { toHex } from '../util/bytes.js';
import { roleOf } from './column-roles.js';
import {
  BLOCKS,
  type ColumnDigest,
  columnDigests,
  HISTORY_COLUMNS,
  HISTORY_OPTIONS,
  MAGIC,
  SNAPSHOT_VERSION,
  type SnapshotHeader,
  STATE_OPTIONS,
} from './format.js';

/** Digests of a state, each 64 hexadecimal digits. */
export interface SnapshotDigest {
  /** Digest of the headers and of all columns that are equal on every node. */
  readonly state: string;
  /** Digest of the histories that -acindex and -vaultindex keep; undefined if the state has none. */
  readonly history: string | undefined;
}

/** Facts that a digest covers besides the rows. */
const covered = struct<{
  readonly magic: Uint8Array;
  readonly version: number;
  readonly genesis: Hash256;
  readonly height: number;
  readonly hash: Hash256;
}>({
  magic: varBytes,
  version: u32,
  genesis: hash256,
  height: u32,
  hash: hash256,
});

const optionList = list(varString);

/**
 * Digest of a state. It depends only on the rows of the columns in key order, not on the order of writes or the division into chunks.
 * Columns without rows are left out, so that a new column of the program does not change the digests of older heights.
 */
export class Digester {
  readonly #header: SnapshotHeader;
  readonly #columns: ColumnDigest[] = [];
  #open: { readonly column: string; readonly hash: Hash; rows: bigint } | undefined;

  constructor(header: SnapshotHeader) {
    this.#header = header;
  }

  /** Adds rows of a column, encoded. Columns come one after the other, in any order. */
  add(column: string, rows: number, bytes: Uint8Array): void {
    if (this.#open?.column !== column) {
      this.#close();
      this.#open = { column, hash: createHash('sha256'), rows: 0n };
    }
    this.#open.hash.update(bytes);
    this.#open.rows += BigInt(rows);
  }

  #close(): void {
    if (!this.#open) return;
    const { column, hash, rows } = this.#open;
    this.#columns.push({ column, rows, hash: new Uint8Array(hash.digest()) });
    this.#open = undefined;
  }

  /** Digests of all columns with rows, ascending by name. */
  columns(): readonly ColumnDigest[] {
    this.#close();
    return this.#columns.sort((a, b) => (a.column < b.column ? -1 : 1));
  }

  digest(): SnapshotDigest {
    const columns = this.columns();
    const isHistory = ({ column }: ColumnDigest) => column !== BLOCKS && roleOf(column) === 'history';
    const history = columns.filter(isHistory);
    return {
      state: this.#hash(
        columns.filter((each) => !isHistory(each)),
        this.#stateOptions(),
      ),
      history: history.length > 0 ? this.#hash(history, this.#historyOptions(history)) : undefined,
    };
  }

  /** Options of the state, if there are any: without one, the state lacks rows that no other row gives away. */
  #stateOptions(): readonly string[] | undefined {
    const options = STATE_OPTIONS.filter((each) => !HISTORY_OPTIONS.includes(each) && this.#header.options.includes(each));
    return options.length > 0 ? options : undefined;
  }

  /** Options of the histories, unless they follow from the rows: a file must not claim a history that it lacks, nor deny one. */
  #historyOptions(columns: readonly ColumnDigest[]): readonly string[] | undefined {
    const options = HISTORY_OPTIONS.filter((each) => this.#header.options.includes(each));
    const shown = HISTORY_OPTIONS.filter((each) => columns.some(({ column }) => column === HISTORY_COLUMNS.get(each)));
    return options.join() === shown.join() ? undefined : options;
  }

  #hash(columns: readonly ColumnDigest[], options: readonly string[] | undefined): string {
    const { genesis, height, hash } = this.#header;
    return toHex(
      createHash('sha256')
        .update(encode(covered, { magic: MAGIC, version: SNAPSHOT_VERSION, genesis, height, hash }))
        .update(encode(columnDigests, columns))
        .update(options ? encode(optionList, options) : '')
        .digest(),
    );
  }
}

/** Text form: the digest of the state, and that of the histories after a plus sign if there are any. */
export function formatDigest({ state, history }: SnapshotDigest): string {
  return history ? `${state}+${history}` : state;
}

/** @returns undefined for a text that is no digest */
export function parseDigest(text: string): SnapshotDigest | undefined {
  const found = /^([0-9a-f]{64})(?:\+([0-9a-f]{64}))?$/.exec(text.toLowerCase());
  return found?.[1] === undefined ? undefined : { state: found[1], history: found[2] };
}

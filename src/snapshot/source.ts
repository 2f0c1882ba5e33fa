import { activeBlocks, headers, marks, TIP_KEY, tips, undoLogs } from '../chain/records.js';
import { restoreUndo } from '../dfi/evm/format-upgrade.js';
import { ByteWriter, compactSize, encode, encodeText, u32be } from '../primitives/codec.js';
import { Overlay } from '../storage/overlay.js';
import type { AnyColumn, StateView } from '../storage/view.js';
import { equalBytes } from '../util/bytes.js';
import { Slicer } from '../util/slicer.js';
import { roleOf } from './column-roles.js';
import { Digester, type SnapshotDigest } from './digest.js';
import { SnapshotError } from './errors.js';
import { BLOCKS, CHUNK_BYTES, type Chunk, type SnapshotHeader, snapshotBlock } from './format.js';

/** Blocks that are disconnected in memory at most to get the state of an earlier height. */
const MAX_DISCONNECTED = 2_000;

/** Position of the last row that is written. */
export interface RowPosition {
  readonly column: string;
  /** Text of one char per byte. */
  readonly key: string;
}

/** Row to write: column, key as a text of one char per byte, value. */
export type SourceRow = readonly [column: string, key: string, value: Uint8Array];

/** The state of a chain after one of its last blocks, as rows in the order of a snapshot. */
export class SnapshotSource {
  private constructor(
    private readonly tipView: StateView,
    private readonly state: StateView,
    private readonly columns: readonly AnyColumn[],
    readonly header: SnapshotHeader,
  ) {}

  /**
   * Disconnects the blocks above `height` in memory, in slices.
   * @param view state at the tip, which must not change while the source is used
   * @param height undefined for the tip
   * @throws {SnapshotError} if the height is above the tip, too far below it, its undo records were pruned, or rewards were consolidated
   */
  static async at(
    view: StateView,
    columns: readonly AnyColumn[],
    {
      height,
      options,
      signal,
    }: { readonly height?: number | undefined; readonly options: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<SnapshotSource> {
    const tip = tipOf(view);
    const base = height ?? tip;
    if (base > tip) throw new SnapshotError(`the chain ends at height ${tip}`);
    if (tip - base > MAX_DISCONNECTED) throw new SnapshotError(`height ${base} is more than ${MAX_DISCONNECTED} blocks below the tip`);
    const state = new Overlay(view);
    const slicer = new Slicer(signal);
    for (let at = tip; at > base; at--) {
      await slicer.pause();
      const undo = view.get(undoLogs, hashAt(view, at));
      if (!undo) throw new SnapshotError(`block ${at} cannot be disconnected, because its undo record was pruned`);
      restoreUndo(state, undo);
    }
    const consolidated = state.get(marks, 'consolidated');
    if (consolidated !== undefined) {
      const reason = `rewards were materialised by -consolidaterewards at height ${consolidated}`;
      throw new SnapshotError(`the state of height ${base} is not that of other nodes, because ${reason}`);
    }
    const kept = keptOptions(view, options);
    const exported = columns.filter(({ name }) => roleOf(name) !== 'local').sort((a, b) => (a.name < b.name ? -1 : 1));
    return new SnapshotSource(view, state, exported, { genesis: hashAt(view, 0), height: base, hash: hashAt(view, base), options: kept });
  }

  /** True if a block of that height and hash is on the chain, and its state can be reached from the tip. */
  static isReachable(view: StateView, { height, hash, genesis }: SnapshotHeader): boolean {
    const tip = tipOf(view);
    if (height > tip || tip - height > MAX_DISCONNECTED) return false;
    return equalBytes(hashAt(view, height), hash) && equalBytes(hashAt(view, 0), genesis);
  }

  /** All rows: blocks first, then the columns by name, each in key order. @param after position of the last row that is not wanted */
  *rows(after?: RowPosition): Generator<SourceRow> {
    if (!after || after.column === BLOCKS) yield* this.#blocks(after ? Buffer.from(after.key, 'latin1').readUInt32BE() + 1 : 0);
    for (const column of this.columns) {
      if (after && after.column !== BLOCKS && column.name < after.column) continue;
      const from = after?.column === column.name ? after.key : undefined;
      for (const [key, value] of this.state.rows(column, from)) yield [column.name, key, value];
    }
  }

  /** All rows in chunks of the file; reads them in slices. */
  async *chunks(after?: RowPosition, signal?: AbortSignal): AsyncGenerator<Chunk> {
    const slicer = new Slicer(signal);
    const w = new ByteWriter(CHUNK_BYTES);
    let column = '';
    let rows = 0;
    const finish = (): Chunk => {
      const chunk = { column, rows, bytes: w.finish() };
      w.reset();
      rows = 0;
      return chunk;
    };
    for (const [name, key, value] of this.rows(after)) {
      const pause = slicer.pause();
      if (pause) await pause;
      if (rows > 0 && (name !== column || w.view().length >= CHUNK_BYTES)) yield finish();
      column = name;
      rows += 1;
      compactSize.write(w, key.length);
      w.latin1(key);
      compactSize.write(w, value.length);
      w.bytes(value);
    }
    if (rows > 0) yield finish();
  }

  /** Digest of all rows. */
  async digest(signal?: AbortSignal): Promise<SnapshotDigest> {
    const digester = new Digester(this.header);
    for await (const { column, rows, bytes } of this.chunks(undefined, signal)) digester.add(column, rows, bytes);
    return digester.digest();
  }

  *#blocks(from: number): Generator<SourceRow> {
    for (const [height, { hash, nTx }] of this.tipView.entries(activeBlocks, { from })) {
      if (height > this.header.height) return;
      const record = this.tipView.get(headers, hash);
      if (!record) throw new SnapshotError(`the header of block ${height} is missing`);
      yield [BLOCKS, encodeText(u32be, height), encode(snapshotBlock, { header: record.header, nTx })];
    }
  }
}

/** Options of a node without those whose histories lack blocks. */
export function keptOptions(view: StateView, options: readonly string[]): readonly string[] {
  return options.filter((option) => view.get(marks, `${option}Gap`) === undefined);
}

function tipOf(view: StateView): number {
  const hash = view.get(tips, TIP_KEY);
  const height = hash && view.get(headers, hash)?.height;
  if (height === undefined) throw new SnapshotError('there is no chain yet');
  return height;
}

function hashAt(view: StateView, height: number): Uint8Array {
  const block = view.get(activeBlocks, height);
  if (!block) throw new SnapshotError(`block ${height} is missing in the block index`);
  return block.hash;
}

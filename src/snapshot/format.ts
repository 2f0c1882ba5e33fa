import { historyByOwner } from '../dfi/accounts/history-columns.js';
import { vaultHistory } from '../dfi/vaults/history-columns.js';
import { type Codec, compactSize, list, struct, u8, u32, u64, varBytes, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { type BlockHeader, blockHeader } from '../primitives/header.js';

/** First bytes of a snapshot file. */
export const MAGIC = Buffer.from('DFISNAP\n', 'latin1');

/** Format of snapshot files and of what their digests cover. */
export const SNAPSHOT_VERSION = 1;

/** Decoded bytes after which a chunk ends. A row larger than that has a chunk of its own. */
export const CHUNK_BYTES = 2 ** 20;
/** Limits on what a reader allocates: header, body of a frame as stored, and as decoded. */
export const MAX_HEADER_BYTES = 2 ** 16;
export const MAX_FRAME_BYTES = 2 ** 27;
export const MAX_CHUNK_BYTES = 2 ** 28;

/** Name under which blocks are written in place of a column: headers and numbers of transactions by height, from genesis to the base. */
export const BLOCKS = 'blocks';

/** Options of the node that decide which rows a state has. */
export const STATE_OPTIONS = ['acindex', 'vaultindex', 'dexstats', 'negativeinterest'] as const;
/** Those of {@link STATE_OPTIONS} whose rows have a digest of their own, with a column that has rows unless the history is empty. */
export const HISTORY_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['acindex', historyByOwner.name],
  ['vaultindex', vaultHistory.name],
]);
/** The options of {@link HISTORY_COLUMNS}. */
export const HISTORY_OPTIONS: readonly string[] = [...HISTORY_COLUMNS.keys()];
/** One of {@link STATE_OPTIONS}. */
export type StateOption = (typeof STATE_OPTIONS)[number];

/** The state that a snapshot is of. */
export interface SnapshotHeader {
  /** Hash of the genesis block, which identifies the network. */
  readonly genesis: Hash256;
  /** Base: the block after which the state is. */
  readonly height: number;
  readonly hash: Hash256;
  /** Options of the exporting node that were set, in the order of {@link STATE_OPTIONS}. */
  readonly options: readonly string[];
}

export const snapshotHeader: Codec<SnapshotHeader> = struct<SnapshotHeader>({
  genesis: hash256,
  height: u32,
  hash: hash256,
  options: list(varString),
});

/** A block of the chain up to the base. */
export interface SnapshotBlock {
  readonly header: BlockHeader;
  /** Number of transactions. */
  readonly nTx: number;
}

export const snapshotBlock: Codec<SnapshotBlock> = struct<SnapshotBlock>({ header: blockHeader, nTx: u32 });

/** Kinds of frames. A file is the magic, the version, the header with its SHA-256, chunks, and the end. */
export const FRAME = { chunk: 1, end: 2 } as const;

/** Prefix of a frame: kind, length of the body, SHA-256 of kind, index of the frame and body. */
export interface FramePrefix {
  readonly kind: number;
  readonly length: number;
  readonly hash: Hash256;
}

export const framePrefix: Codec<FramePrefix> = struct<FramePrefix>({ kind: u8, length: u32, hash: hash256 });
export const FRAME_PREFIX_BYTES = 37;

/** Rows of one column, in key order. The body of its frame is this, compressed by deflate. */
export interface Chunk {
  readonly column: string;
  readonly rows: number;
  /** Rows in the form of {@link row}, one after the other. */
  readonly bytes: Uint8Array;
}

export const chunkHead: Codec<Omit<Chunk, 'bytes'>> = struct<Omit<Chunk, 'bytes'>>({ column: varString, rows: compactSize });

/** Row of a column, encoded. */
export interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export const row: Codec<Row> = struct<Row>({ key: varBytes, value: varBytes });

/** Everything that is written of a column. */
export interface ColumnDigest {
  readonly column: string;
  readonly rows: bigint;
  /** SHA-256 of all rows in the form of {@link row}. */
  readonly hash: Hash256;
}

/** Body of the end frame: all columns with rows, ascending by name. */
export const columnDigests: Codec<readonly ColumnDigest[]> = list(struct<ColumnDigest>({ column: varString, rows: u64, hash: hash256 }));

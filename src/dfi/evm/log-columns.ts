import { fixedBytes, struct, u8, u32be } from '../../primitives/codec.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { word } from './state-columns.js';

/** Blocks of a row of the log index, one bit each. */
export const BUCKET_BLOCKS = 256;
const BUCKET_BYTES = BUCKET_BLOCKS / 8;

/** Property of logs, and a range of blocks. */
export interface LogKey {
  /** See `LogKind`. */
  readonly kind: number;
  /** Address or topic; 0 for kinds without one. */
  readonly item: bigint;
  /** Number of its first block, divided by {@link BUCKET_BLOCKS}. */
  readonly bucket: number;
}

/** Blocks that contain a log with a property, as bits; the lowest bit of the first byte is the first block. */
export const evmLogBlocks: Column<LogKey, Uint8Array> = {
  name: 'evm/log-blocks',
  key: struct<LogKey>({ kind: u8, item: word, bucket: u32be }),
  value: fixedBytes(BUCKET_BYTES),
};

/** Columns of the index of logs. */
export const evmLogColumns: readonly AnyColumn[] = [evmLogBlocks];

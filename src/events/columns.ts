import { type Codec, fixedBytes, list, optional, struct, u8, u32, u32be, varBytes, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import type { AnyColumn, Column, RowDifference } from '../storage/view.js';

/** Length of the id of a log. */
export const LOG_ID_SIZE = 8;

/** A block that was connected or disconnected, with what it changed. */
export interface BlockRow {
  /** True for a disconnected block. */
  readonly isUndone: boolean;
  readonly height: number;
  readonly hash: Hash256;
  readonly prevHash: Hash256;
  /** Time of the header, in seconds since 1970. */
  readonly time: number;
  readonly transactions: number;
  readonly differences: readonly RowDifference[];
}

const differences: Codec<readonly RowDifference[]> = list(
  struct<RowDifference>({ column: varString, key: varBytes, before: optional(varBytes), after: optional(varBytes) }),
);

const isUndone: Codec<boolean> = { write: (w, value) => u8.write(w, value ? 1 : 0), read: (r) => u8.read(r) === 1 };

/** Blocks by their number in the log. */
export const blockRows: Column<number, BlockRow> = {
  name: 'events/block',
  key: u32be,
  value: struct<BlockRow>({ isUndone, height: u32, hash: hash256, prevHash: hash256, time: u32, transactions: u32, differences }),
};

/** State of the log. */
export interface LogState {
  /** Random number that distinguishes this log from those of other nodes. */
  readonly id: Uint8Array;
  /** Number of the oldest block that is kept. */
  readonly first: number;
  /** Number of the next block. */
  readonly next: number;
  /** Tip after the last block. */
  readonly tip: Hash256;
}

/** Key of the one entry of {@link logStates}. */
export const LOG_KEY = 0;
/** State of the log, under {@link LOG_KEY}. */
export const logStates: Column<number, LogState> = {
  name: 'events/state',
  key: u8,
  value: struct<LogState>({ id: fixedBytes(LOG_ID_SIZE), first: u32, next: u32, tip: hash256 }),
};

/** Cursors of receivers that the node sends events to, by the keys of the receivers. */
export const targetCursors: Column<string, string> = { name: 'events/target', key: varString, value: varString };

/** Columns of the log of events, and of what follows it. */
export const eventColumns: readonly AnyColumn[] = [blockRows, logStates, targetCursors];

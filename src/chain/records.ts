import { bool, type Codec, optional, struct, u8, u32, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { type BlockHeader, blockHeader } from '../primitives/header.js';
import { undoLog } from '../storage/undo.js';
import type { Column, UndoLog } from '../storage/view.js';
import type { BlockIndexEntry } from './block-index.js';
import { type BlockPosition, blockPosition } from './block-store.js';

/** Stored form of a block index entry. */
export interface HeaderRecord {
  readonly header: BlockHeader;
  readonly height: number;
  /** Number of transactions in the block; 0 if it was never stored. */
  readonly nTx: number;
  /** Sum of `VALID`, `INVALID`, `INVALID_ANCESTOR` and `LACKS_WITNESS`. */
  readonly flags: number;
  readonly position: BlockPosition | undefined;
}

const headerRecord: Codec<HeaderRecord> = struct<HeaderRecord>({
  header: blockHeader,
  height: u32,
  nTx: u32,
  flags: u8,
  position: optional(blockPosition),
});

/** Every known header by its hash. */
export const headers: Column<Hash256, HeaderRecord> = { name: 'chain/header', key: hash256, value: headerRecord };

/** Undo record of each connected block by its hash: the old values of all keys that it changed. */
export const undoLogs: Column<Hash256, UndoLog> = { name: 'chain/undo', key: hash256, value: undoLog };

/** The tip, under the one key 0. */
export const tips: Column<number, Hash256> = { name: 'chain/tip', key: u8, value: hash256 };

/** Task that survives a restart. `rebuild`: all stored blocks are imported. */
export type Task = 'rebuild';

/** Unfinished tasks; the next start continues them. */
export const tasks: Column<string, boolean> = { name: 'chain/task', key: varString, value: bool };

const VALID = 1;
const INVALID = 2;
const INVALID_ANCESTOR = 4;
const LACKS_WITNESS = 8;

export function recordOf(entry: BlockIndexEntry, header: BlockHeader): HeaderRecord {
  const verdict = (entry.valid ? VALID : 0) | (entry.invalid ? INVALID : 0) | (entry.invalidAncestor ? INVALID_ANCESTOR : 0);
  const flags = verdict | (entry.lacksWitness ? LACKS_WITNESS : 0);
  return { header, height: entry.height, nTx: entry.nTx, flags, position: entry.position };
}

/** True if the block or an ancestor is invalid, by a rule or by the operator. */
export function isFailedRecord({ flags }: HeaderRecord): boolean {
  return (flags & (INVALID | INVALID_ANCESTOR)) !== 0;
}

/** Sets the fields of an entry that its header does not determine. */
export function restoreEntry(entry: BlockIndexEntry, record: HeaderRecord): void {
  entry.nTx = record.nTx;
  entry.position = record.position;
  entry.valid = (record.flags & VALID) !== 0;
  entry.invalid = (record.flags & INVALID) !== 0;
  entry.invalidAncestor = (record.flags & INVALID_ANCESTOR) !== 0;
  entry.lacksWitness = (record.flags & LACKS_WITNESS) !== 0;
}

import { bool, type Codec, optional, struct, u8, u32, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { type BlockHeader, blockHeader } from '../primitives/header.js';
import { undoLog } from '../storage/undo.js';
import type { Column, UndoLog } from '../storage/view.js';
import type { BlockIndexEntry } from './block-index.js';
import { type BlockPosition, blockPosition } from './block-store.js';

/** A header of the tree as it is stored. */
export interface HeaderRecord {
  readonly header: BlockHeader;
  readonly height: number;
  readonly nTx: number;
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

/** What each connected block changed, by its hash: the old values of all keys. */
export const undoLogs: Column<Hash256, UndoLog> = { name: 'chain/undo', key: hash256, value: undoLog };

/** The tip, under the one key 0. */
export const tips: Column<number, Hash256> = { name: 'chain/tip', key: u8, value: hash256 };

/** `rebuild`: the stored blocks are being taken in from the first on. */
export type Task = 'rebuild';

/** Work that has begun and not ended: a start that finds it goes on with it. */
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

/** The block breaks a rule or stands on one that does, or the operator said so. */
export function isFailedRecord({ flags }: HeaderRecord): boolean {
  return (flags & (INVALID | INVALID_ANCESTOR)) !== 0;
}

/** Gives an entry what its record says beyond the header. */
export function restoreEntry(entry: BlockIndexEntry, record: HeaderRecord): void {
  entry.nTx = record.nTx;
  entry.position = record.position;
  entry.valid = (record.flags & VALID) !== 0;
  entry.invalid = (record.flags & INVALID) !== 0;
  entry.invalidAncestor = (record.flags & INVALID_ANCESTOR) !== 0;
  entry.lacksWitness = (record.flags & LACKS_WITNESS) !== 0;
}

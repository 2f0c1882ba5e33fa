import { bool, type Codec, i32, list, mapped, optional, struct, u8, u32, u32be, u64, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import { type BlockHeader, blockHeader } from '../primitives/header.js';
import { undoLog } from '../storage/undo.js';
import type { Column, StateView, UndoLog } from '../storage/view.js';
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

/** Key of the one row of {@link tips}. */
export const TIP_KEY = 0;
/** The tip, under one key. */
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
  return { header, height: entry.height, nTx: entry.nTx, flags: flagsOf(entry), position: entry.position };
}

/** Entry of the active chain, with the sums over its ancestors, so that they need not be read. */
export interface ActiveBlock {
  readonly hash: Hash256;
  readonly version: number;
  readonly time: number;
  readonly bits: number;
  readonly chainWork: bigint;
  readonly maxTime: number;
  readonly nTx: number;
  readonly chainTx: number;
  /** Flags as in {@link HeaderRecord}. */
  readonly flags: number;
  readonly position: BlockPosition | undefined;
}

const LIMB_BITS = 64n;

/** Unsigned integer of any size, as a list of its 64-bit digits, the lowest first. */
const digits: Codec<bigint> = mapped(
  list(u64),
  (limbs) => limbs.reduceRight((sum, limb) => (sum << LIMB_BITS) | limb, 0n),
  (value) => {
    const limbs: bigint[] = [];
    for (let rest = value; rest > 0n; rest >>= LIMB_BITS) limbs.push(BigInt.asUintN(64, rest));
    return limbs;
  },
);

const count: Codec<number> = mapped(u64, Number, BigInt);

/** Blocks of the active chain by height. Those far below the tip are read from here when they are needed. */
export const activeBlocks: Column<number, ActiveBlock> = {
  name: 'chain/active',
  key: u32be,
  value: struct<ActiveBlock>({
    hash: hash256,
    version: i32,
    time: u32,
    bits: u32,
    chainWork: digits,
    maxTime: u32,
    nTx: u32,
    chainTx: count,
    flags: u8,
    position: optional(blockPosition),
  }),
};

export function activeBlockOf(entry: BlockIndexEntry): ActiveBlock {
  const { hash, version, time, bits, chainWork, maxTime, nTx, chainTx, position } = entry;
  return { hash, version, time, bits, chainWork, maxTime, nTx, chainTx, flags: flagsOf(entry), position };
}

/** Hashes of the headers that are stored but not part of the active chain. They are all in memory. */
export const branches: Column<Hash256, boolean> = { name: 'chain/branch', key: hash256, value: bool };

/** Blocks in a block file. */
export interface FileSummary {
  /** Lowest and highest height. */
  readonly lowest: number;
  readonly highest: number;
  readonly last: BlockPosition;
}

/** Summaries of the files with known blocks, by number. */
export const fileSummaries: Column<number, FileSummary> = {
  name: 'chain/file',
  key: u32be,
  value: struct<FileSummary>({ lowest: u32, highest: u32, last: blockPosition }),
};

/**
 * Height that holds for the whole chain. `pruned`: lowest height from which all blocks are stored, present once blocks were pruned.
 * `segwit`: activation height of segwit below which blocks may have been stored without witnesses. `refuted`: height at which the blocks
 * were found not to lead to the state of the snapshot that the database began with. `replaced`: height at which the state of the EVM was
 * replaced; the blocks up to it cannot be disconnected. `consolidated`: height at which rewards were materialised outside of a block, so that
 * the digest of the state from there on is not that of other nodes; part of the state, so it is reverted with the rewards. `swapTotals`: height
 * up to which the totals of swaps contain all blocks (`-dexstats`). `acindexGap`, `vaultindexGap`: height up to which blocks were connected
 * without that history; above all heights while it is not kept.
 */
export type Mark = 'pruned' | 'segwit' | 'refuted' | 'replaced' | 'consolidated' | 'swapTotals' | 'acindexGap' | 'vaultindexGap';

/** Marks by name. */
export const marks: Column<string, number> = { name: 'chain/mark', key: varString, value: u32 };

/** The snapshot that a database began with. Blocks up to its base are not stored. */
export interface SnapshotBase {
  readonly height: number;
  readonly hash: Hash256;
  /** Digest of its state or of its histories, in hex. */
  readonly digest: string;
  /** Options that decide which rows it contained; of those for histories the ones whose histories were imported. */
  readonly options: readonly string[];
}

/** Keys of {@link snapshotBases}: the snapshot with the digest of its state, and the same with that of its histories, if it had some. */
export const BASE_KEY = 0;
/** See {@link BASE_KEY}. */
export const HISTORY_BASE_KEY = 1;
/** The snapshot that the database began with; none if it began with the genesis block. */
export const snapshotBases: Column<number, SnapshotBase> = {
  name: 'chain/snapshot',
  key: u8,
  value: struct<SnapshotBase>({ height: u32, hash: hash256, digest: varString, options: list(varString) }),
};

/** Flags of a block that was connected. */
export const CONNECTED_FLAGS = VALID;

/** True if the block or an ancestor is invalid, by a rule or by the operator. */
export function isFailedRecord({ flags }: HeaderRecord): boolean {
  return (flags & (INVALID | INVALID_ANCESTOR)) !== 0;
}

/** Hashes of the blocks in a database that are marked invalid themselves, by a rule or by the operator. */
export function* invalidBlocks(view: StateView): Generator<Hash256> {
  for (const [hash] of view.entries(branches)) if (((view.get(headers, hash)?.flags ?? 0) & INVALID) !== 0) yield hash;
}

/** Sets the fields of an entry that its header does not determine. */
export function restoreEntry(entry: BlockIndexEntry, { nTx, position, flags }: Pick<HeaderRecord, 'nTx' | 'position' | 'flags'>): void {
  entry.nTx = nTx;
  entry.position = position;
  entry.valid = (flags & VALID) !== 0;
  entry.invalid = (flags & INVALID) !== 0;
  entry.invalidAncestor = (flags & INVALID_ANCESTOR) !== 0;
  entry.lacksWitness = (flags & LACKS_WITNESS) !== 0;
}

function flagsOf(entry: BlockIndexEntry): number {
  const verdict = (entry.valid ? VALID : 0) | (entry.invalid ? INVALID : 0) | (entry.invalidAncestor ? INVALID_ANCESTOR : 0);
  return verdict | (entry.lacksWitness ? LACKS_WITNESS : 0);
}

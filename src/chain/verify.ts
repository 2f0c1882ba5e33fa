import { checkBlock } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import { restoreUndo } from '../dfi/evm/format-upgrade.js';
import type { NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import { DecodeError } from '../primitives/codec.js';
import { StoreDamaged } from '../storage/errors.js';
import { Overlay } from '../storage/overlay.js';
import type { Snapshot } from '../storage/view.js';
import type { Logger } from '../util/logger.js';
import { Slicer } from '../util/slicer.js';
import type { BlockIndexEntry } from './block-index.js';
import { type ConnectContext, connectBlock } from './connect.js';
import { undoLogs } from './records.js';

/** Blocks to verify. */
interface Blocks {
  readonly params: NetworkParams;
  block(entry: BlockIndexEntry): Block | undefined;
}

export interface Verification {
  /** 0: read blocks; 1: check them by themselves; 2: read undo records; 3: disconnect blocks in memory; 4: connect them again. */
  readonly level: number;
  /** Number of blocks to verify, from the tip down; 0 or less: all. */
  readonly count: number;
  readonly tip: BlockIndexEntry;
  /** State at the tip. */
  readonly snapshot: Snapshot;
  readonly log: Pick<Logger, 'info'>;
  /** Height below which blocks may have no undo record, because the database began with a snapshot; 0 by default. */
  readonly undoFrom?: number | undefined;
  /** Rows that disconnected blocks may change in memory; blocks below are read and checked, but not disconnected. */
  readonly maxRows?: number | undefined;
  contextOf(parent: BlockIndexEntry): ConnectContext;
}

const MAX_LEVEL = 4;
/** Some hundred MB. `defid` stops at the size of its cache of coins. */
const MAX_ROWS = 1_000_000;

/** Verifies the last blocks, in slices. @returns false at the first block that fails, without a log line */
export async function verifyChain(
  blocks: Blocks,
  { tip, snapshot, log, contextOf, undoFrom = 0, maxRows = MAX_ROWS, ...request }: Verification,
  signal?: AbortSignal,
): Promise<boolean> {
  const level = Math.min(Math.max(request.level, 0), MAX_LEVEL);
  const depth = request.count <= 0 || request.count > tip.height ? tip.height : request.count;
  const slicer = new Slicer(signal);
  const state = new Overlay(snapshot);
  let isFull = level < 3;
  const disconnected: BlockIndexEntry[] = [];
  for (let entry = tip; entry.height > tip.height - depth && entry.parent; entry = entry.parent) {
    await slicer.pause();
    if (isPruned(entry, log)) break;
    // These blocks are stored, but not validated yet.
    if (level >= 2 && entry.height < undoFrom && !snapshot.has(undoLogs, entry.hash)) {
      log.info(`block verification stopping at height ${entry.height} (snapshot, no undo data)`);
      break;
    }
    isFull ||= state.size >= maxRows;
    if (!isValid(() => checkDown(blocks, entry, level, isFull ? undefined : state, snapshot))) return false;
    if (!isFull && level === MAX_LEVEL) disconnected.push(entry);
  }
  for (const entry of disconnected.reverse()) {
    await slicer.pause();
    // Pruned since it was disconnected.
    if (isPruned(entry, log)) break;
    const parent = entry.parent as BlockIndexEntry;
    const connect = () => {
      const changes = new Overlay(state);
      connectBlock(checkBlock(requireBlock(blocks, entry), entry.height, blocks.params), contextOf(parent), changes);
      changes.commit();
    };
    if (!isValid(connect)) return false;
  }
  return true;
}

/** Pruned blocks are no fault. The text is that of Bitcoin Core. */
function isPruned({ isPruned, height }: BlockIndexEntry, log: Verification['log']): boolean {
  if (isPruned) log.info(`block verification stopping at height ${height} (pruning, no data)`);
  return isPruned;
}

/** @param state state from which to disconnect the block; undefined to leave it connected */
function checkDown(blocks: Blocks, entry: BlockIndexEntry, level: number, state: Overlay | undefined, snapshot: Snapshot): void {
  const block = requireBlock(blocks, entry);
  if (level >= 1) checkBlock(block, entry.height, blocks.params);
  if (level < 2) return;
  const undo = snapshot.get(undoLogs, entry.hash);
  if (!undo) throw new DecodeError('undo data is missing');
  if (state) restoreUndo(state, undo);
}

function requireBlock(blocks: Blocks, entry: BlockIndexEntry): Block {
  const block = blocks.block(entry);
  if (!block) throw new DecodeError('block is missing');
  return block;
}

function isValid(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof BlockInvalid || error instanceof DecodeError || error instanceof StoreDamaged) return false;
    throw error;
  }
}

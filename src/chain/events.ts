import type { BlockInvalid } from '../consensus/errors.js';
import type { ScriptHelpers } from '../consensus/scripts.js';
import type { NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import type { Hash256 } from '../primitives/hash.js';
import type { RowDifference, Store, WritableView } from '../storage/view.js';
import type { Clock } from '../util/clock.js';
import type { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import type { Terminal } from '../util/progress.js';
import type { ReportWork } from '../util/work-report.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockStore } from './block-store.js';
import type { Coin } from './coins.js';
import type { ChainFault } from './faults.js';
import type { InterruptionPoint } from './interruption.js';
import type { PruneOptions } from './pruning.js';

export interface ChainOptions {
  readonly params: NetworkParams;
  /** Maximum time between two flushes during initial download. */
  readonly flushIntervalSec?: number;
  /** True to keep the history of accounts, the default. */
  readonly accountHistory?: boolean;
  /** True to keep the history of vaults; the default is false. */
  readonly vaultHistory?: boolean;
  /** Pruning of old blocks; undefined: all blocks are kept. */
  readonly prune?: PruneOptions | undefined;
  /** True if the blocks up to the base of a snapshot may be missing, although nothing is pruned. */
  readonly mayLackHistory?: boolean;
  /** Height of the tip above which no block is connected; 0 or absent: no limit. */
  readonly stopAtHeight?: number;
  /** Block at which block processing is interrupted. */
  readonly interruptAt?: InterruptionPoint | undefined;
  /** Number of headers above the tip at which no more are requested. */
  readonly headersAhead?: number;
  /** Number of blocks of the active chain whose index entries stay in memory. */
  readonly recentBlocks?: number;
}

/** Block that is connected or disconnected now, for a journal. */
export interface JournalBlock {
  readonly entry: BlockIndexEntry;
  readonly block: Block;
  /** Height of the best known header. */
  readonly bestHeight: number;
  /** Changes of the state in some columns: of a disconnected block those that take it back. */
  differences(columns: Iterable<string>): readonly RowDifference[];
}

/** Record of connected and disconnected blocks. Its rows are written in the same batch as the tip, and no undo takes them back. */
export interface BlockJournal {
  connected(block: JournalBlock, view: WritableView): void;
  disconnected(block: JournalBlock, view: WritableView): void;
  /** The state was changed without a block. */
  amended(view: WritableView): void;
}

export interface ChainDeps {
  readonly store: Store;
  readonly blocks: BlockStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Terminal for the progress of imports. */
  readonly terminal?: Terminal | undefined;
  /** Receiver of that progress. */
  readonly report?: ReportWork | undefined;
  /** Caches and threads that speed up script checks. */
  readonly scripts?: ScriptHelpers;
  /** Undefined if no journal is kept. */
  readonly journal?: BlockJournal | undefined;
}

/** Block that was connected or disconnected. */
export interface ChainEvent {
  readonly block: Block;
  readonly entry: BlockIndexEntry;
  /** Coins that each transaction spent, in the order of its inputs. */
  readonly spent: readonly (readonly Coin[])[];
}

export interface ChainEvents {
  /** A child of the tip was stored. It passed all checks that do not need the state, and is connected next. */
  arrived: BlockIndexEntry;
  /** The bytes of a block of the active chain were missing, and are stored now. */
  filled: BlockIndexEntry;
  connected: ChainEvent;
  disconnected: ChainEvent;
  /** The tip was disconnected because the operator invalidated it or a block below. Its transactions may return before the next is. */
  invalidated: {
    /** Number of blocks disconnected so far by the same call, from 1. */
    readonly depth: number;
  };
  /** New tip, after all blocks of one step of the activation are connected. */
  tip: BlockIndexEntry;
  /** Verdict on a block; without error it was connected, and may already be disconnected again. */
  checked: { readonly hash: Hash256; readonly error: BlockInvalid | undefined };
  /** Block processing is halted, or resumed. */
  fault: ChainFault | undefined;
  /** A stored block was found damaged for the first time since the start. Text for the operator: the block, and advice. */
  damaged: string;
  /** Duration of a step: `check` a block by itself, `connect` it, `write` pending changes. */
  timed: { readonly stage: 'check' | 'connect' | 'write'; readonly seconds: number };
}

/** Result of `submitBlock`. */
export type SubmitResult =
  | { readonly status: 'accepted' | 'duplicate' | 'duplicate-invalid' | 'inconclusive' }
  | { readonly status: 'rejected'; readonly reason: string };

/**
 * First result for a block of a peer; the `checked` event carries the verdict.
 * - `stored`: new, and connected if it could be; `pending` if time was up before all stored blocks were connected
 * - `filled`: a block of the active chain whose bytes were missing
 * - `known`: stored before
 * - `ignored`: not requested and not worth storing; its header is accepted
 * - `invalid`: breaks a rule that is checked before the block is connected
 */
export type BlockReceipt =
  | { readonly status: 'stored'; readonly entry: BlockIndexEntry; readonly pending: boolean }
  | { readonly status: 'filled' | 'known' | 'ignored'; readonly entry: BlockIndexEntry }
  | { readonly status: 'invalid'; readonly error: BlockInvalid };

/** Does a step of the work on a block, and emits its duration. */
export function timed<T>(events: Pick<Emitter<ChainEvents>, 'emit'>, stage: ChainEvents['timed']['stage'], work: () => T): T {
  const start = performance.now();
  const result = work();
  events.emit('timed', { stage, seconds: (performance.now() - start) / 1000 });
  return result;
}

import type { BlockInvalid } from '../consensus/errors.js';
import type { ScriptHelpers } from '../consensus/scripts.js';
import type { NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import type { Hash256 } from '../primitives/hash.js';
import type { Store } from '../storage/view.js';
import type { Clock } from '../util/clock.js';
import type { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockStore } from './block-store.js';
import type { Coin } from './coins.js';
import type { ChainFault } from './faults.js';
import type { PruneOptions } from './pruning.js';

export interface ChainOptions {
  readonly params: NetworkParams;
  /** Seconds that changes may wait for the disk while the chain is being caught up with. */
  readonly flushIntervalSec?: number;
  /** Keeps the history of accounts; by default it does. */
  readonly accountHistory?: boolean;
  /** Keeps the history of vaults; by default it does not. */
  readonly vaultHistory?: boolean;
  /** Old blocks are deleted; absent: all stay. */
  readonly prune?: PruneOptions | undefined;
  /** No block is connected above a tip at this height; 0 or absent: none is too high. */
  readonly stopAtHeight?: number;
}

export interface ChainDeps {
  readonly store: Store;
  readonly blocks: BlockStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** What makes running scripts faster. */
  readonly scripts?: ScriptHelpers;
}

/** A block joined or left the active chain. */
export interface ChainEvent {
  readonly block: Block;
  readonly entry: BlockIndexEntry;
  /** Coins that each transaction spent, in the order of its inputs. */
  readonly spent: readonly (readonly Coin[])[];
}

export interface ChainEvents {
  /** A block that stands on the tip is stored and right as far as can be told without the state; it is connected next. */
  arrived: BlockIndexEntry;
  connected: ChainEvent;
  disconnected: ChainEvent;
  /** The new tip, once all blocks of one step are connected. */
  tip: BlockIndexEntry;
  /** The verdict on a block that was handed in: without error it is connected, though perhaps not for long. */
  checked: { readonly hash: Hash256; readonly error: BlockInvalid | undefined };
  /** Block processing is halted, or resumed. */
  fault: ChainFault | undefined;
  /** A stored block was found damaged, for the first time since the start: which one, and what to do about it. */
  damaged: string;
  /** How long a step took: `check` a block alone, `connect` it, `write` what is pending. */
  timed: { readonly stage: 'check' | 'connect' | 'write'; readonly seconds: number };
}

/** What became of a block that was handed in. */
export type SubmitResult =
  | { readonly status: 'accepted' | 'duplicate' | 'duplicate-invalid' | 'inconclusive' }
  | { readonly status: 'rejected'; readonly reason: string };

/**
 * What became of a block of a peer so far; the `checked` event tells how it ends.
 * - `stored`: new, and connected if its turn has come; `pending` if there was no time to connect all that can be
 * - `known`: it was stored before
 * - `ignored`: nobody asked for it, and it is not worth keeping; its header is known now
 */
export type BlockReceipt =
  | { readonly status: 'stored'; readonly entry: BlockIndexEntry; readonly pending: boolean }
  | { readonly status: 'known' | 'ignored'; readonly entry: BlockIndexEntry }
  | { readonly status: 'invalid'; readonly error: BlockInvalid };

/** Does a step of the work on a block, and emits its duration. */
export function timed<T>(events: Pick<Emitter<ChainEvents>, 'emit'>, stage: ChainEvents['timed']['stage'], work: () => T): T {
  const start = performance.now();
  const result = work();
  events.emit('timed', { stage, seconds: (performance.now() - start) / 1000 });
  return result;
}

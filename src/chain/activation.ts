import type { BlockInvalid } from '../consensus/errors.js';
import { errorText } from '../util/errors.js';
import type { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';
import type { Candidates } from './candidates.js';
import type { ChainEvents } from './events.js';
import { InternalFault } from './faults.js';
import type { Flusher } from './flusher.js';
import type { CheckedBlocks } from './stored-blocks.js';
import type { TipConnector } from './tip-connector.js';
import type { UnlinkedBlocks } from './unlinked-blocks.js';

/** Result of one activation. */
export interface Activated {
  /** Blocks that were tried, with the rule that each breaks; undefined for a connected one. */
  readonly verdicts: ReadonlyMap<BlockIndexEntry, BlockInvalid | undefined>;
  /** Rule that the block breaks which was tried last; undefined if that one was connected, or none was tried. */
  readonly refusal: BlockInvalid | undefined;
  /** True if time was up before the best candidate was the tip, or before its changes were written. */
  readonly pending: boolean;
  /** True if the changes of the tip are left to the next call. */
  readonly unwritten: boolean;
}

type Verdicts = Map<BlockIndexEntry, BlockInvalid | undefined>;

export interface ActivatorParts {
  readonly tree: Pick<BlockTree, 'tip' | 'forkPoint'>;
  readonly candidates: Pick<Candidates, 'best' | 'drop'>;
  readonly unlinked: Pick<UnlinkedBlocks, 'waitFor'>;
  readonly connector: Pick<TipConnector, 'prepare' | 'connect' | 'disconnect'>;
  readonly checkedBlocks: Pick<CheckedBlocks, 'require'>;
  readonly flusher: Pick<Flusher, 'flushIfDue' | 'isLong'>;
  readonly events: Emitter<ChainEvents>;
  readonly log: Pick<Logger, 'error'>;
  /** Once a block is connected and the tip is at this height or above, no more are connected; Infinity if there is no limit. */
  readonly stopAtHeight: number;
}

/** Moves the tip to the best candidate. */
export class Activator {
  readonly #parts: ActivatorParts;
  /** True if blocks were disconnected since the last `tip` event. */
  #disconnected = false;
  #isStopped = false;
  /** Verdict on the block that the present activation tried last. */
  #refusal: BlockInvalid | undefined;
  /** Time already spent on the block whose connection is paused. */
  #preparedMs = 0;

  constructor(parts: ActivatorParts) {
    this.#parts = parts;
    parts.events.on('disconnected', () => {
      this.#disconnected = true;
    });
  }

  get #tip(): BlockIndexEntry {
    return this.#parts.tree.tip;
  }

  /**
   * True once the height of `-stopatheight` is reached. As in `defid`, a tip that is this high at the start counts only after the next
   * move, and a reorganisation is completed first.
   */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Moves to the candidate with the most work, repeatedly until it is the tip.
   * @param isTimeUp asked between blocks and within large ones, but not while the tip has less work than at the start
   * @param writesLater true to leave the changes to the next call if time is up, or if they are many
   */
  activate(isTimeUp = () => false, writesLater = false): Activated {
    const { candidates } = this.#parts;
    const verdicts: Verdicts = new Map();
    const before = this.#tip;
    this.#refusal = undefined;
    let best = candidates.best();
    let isPaused = false;
    try {
      let stopped = this.#isStopped;
      while (best !== this.#tip && !stopped) {
        isPaused = this.#moveTo(best, isTimeUp, verdicts);
        best = candidates.best();
        const hasMoved = this.#tip !== before || this.#disconnected;
        // A tip with the work of the previous one may be what is left of a branch that failed; the next move returns to the previous tip.
        if (hasMoved && (this.#tip.chainWork > before.chainWork || this.#tip === best)) this.#isStopped ||= this.#isHighEnough;
        // Transactions of disconnected blocks return to the mempool before the next block is connected.
        if (this.#disconnected && this.#tip.chainWork > before.chainWork) this.#emitTip();
        stopped = isPaused || this.#isStopped || (this.#tip.chainWork > before.chainWork && isTimeUp());
      }
    } finally {
      // Also after a reorganisation that failed and was reverted: its blocks were disconnected and connected again.
      if (this.#tip !== before || this.#disconnected) this.#emitTip();
    }
    // The changes below a paused block are written with its own.
    const { flusher } = this.#parts;
    const isPostponed = writesLater && this.#tip !== before && (flusher.isLong || isTimeUp());
    if (!isPaused && !isPostponed) flusher.flushIfDue();
    return { verdicts, refusal: this.#refusal, unwritten: isPostponed, pending: isPostponed || (best !== this.#tip && !this.#isStopped) };
  }

  get #isHighEnough(): boolean {
    return this.#tip.height >= this.#parts.stopAtHeight;
  }

  #emitTip(): void {
    this.#disconnected = false;
    this.#parts.events.emit('tip', this.#tip);
  }

  /** @returns true if time is up within a block that continues the best chain */
  #moveTo(target: BlockIndexEntry, isTimeUp: () => boolean, verdicts: Verdicts): boolean {
    const { connector, events } = this.#parts;
    const { fork, path } = this.#pathTo(target);
    const before = this.#tip;
    if (before !== fork && !this.#isReadable(path, target)) return false;
    try {
      this.disconnectTo(fork);
      for (const entry of path) {
        const start = performance.now() - this.#preparedMs;
        this.#preparedMs = 0;
        if (before === fork && !connector.prepare(entry, isTimeUp)) {
          this.#preparedMs = performance.now() - start;
          return true;
        }
        const verdict = connector.connect(entry);
        events.emit('timed', { stage: 'connect', seconds: (performance.now() - start) / 1000 });
        verdicts.set(entry, verdict);
        this.#refusal = verdict;
        if (verdict) break;
        // The loop does not stop while the tip has less work than before the reorganisation. Afterwards the best candidate is chosen again.
        if (this.#tip.chainWork > before.chainWork && (before !== fork || this.#isHighEnough || isTimeUp())) break;
      }
    } catch (error) {
      if (error instanceof InternalFault && this.#tip.chainWork < before.chainWork) this.#returnTo(before);
      throw error;
    }
    return false;
  }

  /** Disconnects blocks until `entry`, a block of the active chain, is the tip. */
  disconnectTo(entry: BlockIndexEntry): void {
    while (this.#tip !== entry) this.#parts.connector.disconnect();
  }

  /** Fork of the active chain and another branch, and the blocks from there to a block of that branch, ascending. */
  #pathTo(target: BlockIndexEntry): { readonly fork: BlockIndexEntry; readonly path: readonly BlockIndexEntry[] } {
    const fork = this.#parts.tree.forkPoint(target);
    const path: BlockIndexEntry[] = [];
    for (let at = target; at !== fork; at = at.parent as BlockIndexEntry) path.push(at);
    return { fork, path: path.reverse() };
  }

  /** Returns to the branch that a failed reorganisation left, as far as its blocks connect. */
  #returnTo(tip: BlockIndexEntry): void {
    const { fork, path } = this.#pathTo(tip);
    try {
      this.disconnectTo(fork);
      for (const entry of path) if (this.#parts.connector.connect(entry)) return;
    } catch (error) {
      this.#parts.log.error('the branch before the reorganisation could not be restored', { error: errorText(error) });
    }
  }

  /**
   * Reads the blocks of another branch before blocks of the active chain are disconnected for it.
   * @returns false if one was pruned; the branch is then no candidate until that block is stored again
   * @throws {StoreDamaged} if one cannot be read
   */
  #isReadable(path: readonly BlockIndexEntry[], target: BlockIndexEntry): boolean {
    const { candidates, unlinked, checkedBlocks } = this.#parts;
    for (const entry of path) {
      if (!entry.hasData) {
        candidates.drop(target);
        unlinked.waitFor(entry, target);
        return false;
      }
      checkedBlocks.require(entry);
    }
    return true;
  }
}

/** @returns a function that returns true once the time has passed */
export function timeLimit(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

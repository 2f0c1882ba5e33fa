import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import { TIMESTAMP_WINDOW_SEC } from '../consensus/limits.js';
import { NodeError } from '../util/errors.js';
import { Progress, type ProgressOutput } from '../util/progress.js';
import { inSlices, NOT_ABORTED, Slicer } from '../util/slicer.js';
import type { Tracker } from './txs/tracker.js';

export type ScannedChain = Pick<Chain, 'tip' | 'entryAt' | 'isActive' | 'block' | 'mayHave'>;

export interface ScanResult {
  readonly status: 'success' | 'failure' | 'aborted';
  /** The last block that was scanned. */
  readonly last: BlockIndexEntry | undefined;
  /** The last block that could not be read, or that is no longer on the active chain. */
  readonly failedAt: BlockIndexEntry | undefined;
}

/** Progress of a scan. */
export interface ScanState {
  readonly durationSec: number;
  /** 0 to 1. */
  readonly progress: number;
}

/** Scans blocks for transactions of the wallet, in slices, one scan at a time. @see docs/protocol/wallet.md 2.7 */
export class Rescan {
  #reserved = false;
  #abort = false;
  #startedMs = 0;
  #progress = 0;
  #finished: Promise<void> = Promise.resolve();

  constructor(
    private readonly chain: ScannedChain,
    private readonly tracker: Tracker,
    /** Called after each scanned block, to store changes. */
    private readonly commit: () => void,
    private readonly output: ProgressOutput & { readonly wallet: string },
  ) {}

  get isRunning(): boolean {
    return this.#reserved;
  }

  /** Undefined while no scan runs. */
  get state(): ScanState | undefined {
    if (!this.#reserved) return undefined;
    return { durationSec: Math.floor((performance.now() - this.#startedMs) / 1000), progress: this.#progress };
  }

  /** Excludes other scans until the returned function is called. @throws {NodeError} if a scan runs */
  reserve(): () => void {
    if (this.#reserved) throw new NodeError('wallet', 'Wallet is currently rescanning. Abort existing rescan or wait.');
    this.#reserved = true;
    this.#startedMs = performance.now();
    this.#progress = 0;
    let release = (): void => {};
    this.#finished = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      this.#reserved = false;
      release();
    };
  }

  /** Resolves when no scan runs. */
  finished(): Promise<void> {
    return this.#finished;
  }

  /** Requests the running scan to stop. @returns false if none runs, or it was requested before */
  abort(): boolean {
    if (!this.#reserved || this.#abort) return false;
    this.#abort = true;
    return true;
  }

  /** First block that may contain a payment to a key created at `time`, in seconds since 1970; undefined if it is not connected yet. */
  startFor(time: number): BlockIndexEntry | undefined {
    const wanted = time - TIMESTAMP_WINDOW_SEC;
    // The first block whose time is late enough is the first up to which the latest time is.
    let low = 0;
    let high = this.chain.tip.height + 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.chain.entryAt(middle)?.maxTime ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return this.chain.entryAt(low);
  }

  /**
   * Scans the blocks from `start` to `stop`, or to the tip as it grows. Call `reserve` first.
   * @param update false leaves transactions that the wallet has unchanged
   */
  async run(
    start: BlockIndexEntry,
    { stop, update = true }: { readonly stop?: BlockIndexEntry; readonly update?: boolean } = {},
  ): Promise<ScanResult> {
    this.#abort = false;
    const shown = new Progress('rescanning blocks', this.output);
    try {
      return await this.#scanAll(start, stop, update, shown);
    } finally {
      shown.end();
    }
  }

  async #scanAll(start: BlockIndexEntry, stop: BlockIndexEntry | undefined, update: boolean, shown: Progress): Promise<ScanResult> {
    const slicer = new Slicer();
    let last: BlockIndexEntry | undefined;
    let failedAt: BlockIndexEntry | undefined;
    for (let entry: BlockIndexEntry | undefined = start; entry; entry = this.#next(entry, stop)) {
      if (this.#abort) return { status: 'aborted', last, failedAt };
      const mayHave = await inSlices(this.chain.mayHave(entry, this.tracker.watch), NOT_ABORTED);
      if (!this.chain.isActive(entry)) return { status: 'failure', last, failedAt: entry };
      if (mayHave === false || this.#scan(entry, update)) last = entry;
      else failedAt = entry;
      this.#progress = progressOf(start, entry, stop ?? this.chain.tip);
      const { height } = entry;
      shown.update({ share: this.#progress, blocks: height - start.height, facts: { wallet: this.output.wallet, height } });
      const paused = slicer.pause();
      if (paused) await paused;
    }
    return { status: failedAt ? 'failure' : 'success', last, failedAt };
  }

  #next(entry: BlockIndexEntry, stop: BlockIndexEntry | undefined): BlockIndexEntry | undefined {
    if (entry === stop) return undefined;
    return this.chain.entryAt(entry.height + 1);
  }

  /** @returns false if the block cannot be read */
  #scan(entry: BlockIndexEntry, update: boolean): boolean {
    const block = this.chain.block(entry);
    if (!block) return false;
    block.transactions.forEach((tx, index) => {
      this.tracker.importIfRelevant(tx, { entry, index }, { update });
    });
    this.commit();
    return true;
  }
}

function progressOf(start: BlockIndexEntry, at: BlockIndexEntry, end: BlockIndexEntry): number {
  const whole = end.chainTx - start.chainTx;
  if (whole <= 0) return 0;
  return Math.min(Math.max((at.chainTx - start.chainTx) / whole, 0), 1);
}

import { DecodeError } from '../primitives/codec.js';
import type { MempoolEntry } from './entry.js';
import { type Evidence, FeeHistory, type HistoryShape, type TrackedTransaction } from './fee-history.js';
import { feeRateOf } from './fee-rate.js';

/** Bounds of the fee rate buckets, which grow by 5 % each; satoshis per 1,000 virtual bytes. */
const LEAST_RATE = 1_000;
const MOST_RATE = 10_000_000;
const RATE_STEP = 1.05;

const SHORT: HistoryShape = { periods: 12, blocksPerPeriod: 1, decay: 0.962 };
const MEDIUM: HistoryShape = { periods: 24, blocksPerPeriod: 2, decay: 0.9952 };
const LONG: HistoryShape = { periods: 42, blocksPerPeriod: 24, decay: 0.99931 };
/** Highest confirmation target of an estimate, in blocks. */
export const MAX_CONFIRM_TARGET = LONG.periods * LONG.blocksPerPeriod;

/** Required share of transactions confirmed within half, all and twice of the target. */
const WITHIN_HALF = 0.6;
const WITHIN_TARGET = 0.85;
const WITHIN_DOUBLE = 0.95;
/** Required average of transactions per block; more in the short history, which counts few blocks. */
const ENOUGH = 0.1;
const ENOUGH_SHORT = 0.5;

/** Blocks after which recorded blocks of an earlier run no longer count. */
const OLDEST_RECORD = 6 * MAX_CONFIRM_TARGET;

/** Data of an estimator that outlives the process. */
export interface FeeRecord {
  /** Highest block that was counted. */
  readonly bestHeight: number;
  /** Range of blocks that the data is from; 0 and 0 without any. */
  readonly firstHeight: number;
  readonly lastHeight: number;
  /** Counts of each history by bucket, see {@link FeeHistory.counts}. */
  readonly histories: readonly (readonly Float64Array[])[];
}

export interface FeeEstimate {
  /** Satoshis per 1,000 virtual bytes; undefined if there is not enough data. */
  readonly rate: bigint | undefined;
  /** Target of the estimate in blocks: lower than requested if the data does not reach that far. */
  readonly blocks: number;
}

interface Tracked extends TrackedTransaction {
  readonly rate: number;
}

/**
 * Estimates the fee rate for confirmation within a number of blocks, from the confirmation times of earlier pooled transactions. Like
 * `CBlockPolicyEstimator` of Bitcoin Core, it keeps three histories: targets up to 12 blocks by single blocks, up to 48 by two, and up
 * to 1,008 by 24.
 */
export class FeeEstimator {
  readonly #bounds = rateBounds();
  readonly #short = new FeeHistory(SHORT, this.#bounds.length);
  readonly #medium = new FeeHistory(MEDIUM, this.#bounds.length);
  readonly #long = new FeeHistory(LONG, this.#bounds.length);
  readonly #histories = [this.#short, this.#medium, this.#long];
  readonly #tracked = new Map<string, Tracked>();
  #bestHeight = 0;
  /** True once a transaction was tracked; blocks before that carry no data. */
  #used = false;
  #firstHeight: number | undefined;
  /** Blocks that an earlier run recorded. */
  #earlier = { first: 0, last: 0 };

  /** Highest target of an estimate, in blocks. */
  get maxTarget(): number {
    return this.#long.maxTarget;
  }

  /** Number of tracked unconfirmed transactions. */
  get trackedCount(): number {
    return this.#tracked.size;
  }

  /** Tracks a transaction whose fee is meaningful: no unconfirmed parents, no replacement, and the node is in sync. */
  trackTransaction({ key, height, fee, vsize }: Pick<MempoolEntry, 'key' | 'height' | 'fee' | 'vsize'>): void {
    if (this.#tracked.has(key) || height !== this.#bestHeight) return;
    this.#used = true;
    const rate = Number(feeRateOf(fee, vsize));
    const tracked = { height, rate, bucket: this.#bucketOf(rate) };
    this.#tracked.set(key, tracked);
    for (const history of this.#histories) history.track(tracked);
  }

  /** Counts a transaction that was removed without confirmation. */
  untrackTransaction({ key }: Pick<MempoolEntry, 'key'>): void {
    this.#forget(key, false);
  }

  /** Counts all tracked transactions as removed without confirmation. */
  untrackAll(): void {
    for (const key of [...this.#tracked.keys()]) this.#forget(key, false);
  }

  /** Copy of the data for {@link restore}. */
  record(): FeeRecord {
    const isOwn = this.#span > Math.floor(this.#earlierSpan / 2);
    return {
      bestHeight: this.#bestHeight,
      firstHeight: isOwn ? (this.#firstHeight ?? 0) : this.#earlier.first,
      lastHeight: isOwn ? this.#bestHeight : this.#earlier.last,
      histories: this.#histories.map(({ counts }) => counts.map((row) => row.slice())),
    };
  }

  /** Continues from a record. Call it before anything is tracked. @throws {DecodeError} if its histories have another size; nothing changes */
  restore({ bestHeight, firstHeight, lastHeight, histories }: FeeRecord): void {
    const own = this.#histories.map(({ counts }) => counts);
    if (sizesOf(own) !== sizesOf(histories)) throw new DecodeError('its histories have another size');
    own.forEach((rows, i) => {
      rows.forEach((row, j) => {
        row.set(histories[i]?.[j] ?? []);
      });
    });
    this.#bestHeight = bestHeight;
    this.#earlier = { first: firstHeight, last: lastHeight };
    this.#used = true;
  }

  #forget(key: string, inBlock: boolean): Tracked | undefined {
    const tracked = this.#tracked.get(key);
    if (!tracked) return undefined;
    this.#tracked.delete(key);
    for (const history of this.#histories) history.untrack(tracked, inBlock, this.#bestHeight);
    return tracked;
  }

  /** Counts a connected block and the pooled transactions in it. Blocks not above the best height so far are ignored: a reorganisation. */
  blockConnected(height: number, entries: Iterable<Pick<MempoolEntry, 'key'>>): void {
    if (height <= this.#bestHeight) return;
    this.#bestHeight = height;
    if (!this.#used) return;
    for (const history of this.#histories) history.blockArrived(height);
    let counted = false;
    for (const { key } of entries) {
      const tracked = this.#forget(key, true);
      const blocks = tracked ? height - tracked.height : 0;
      if (!tracked || blocks <= 0) continue;
      for (const history of this.#histories) history.confirmed(blocks, tracked.bucket, tracked.rate);
      counted = true;
    }
    if (counted) this.#firstHeight ??= height;
  }

  /**
   * @param target blocks within which the transaction should be confirmed; there is no estimate outside of 1 to {@link maxTarget}
   * @param conservative also considers longer histories, so that a short lull does not lower the estimate
   */
  estimate(target: number, conservative: boolean): FeeEstimate {
    if (target < 1 || target > this.maxTarget) return { rate: undefined, blocks: target };
    // A target of one block cannot be estimated.
    const blocks = Math.min(Math.max(target, 2), this.#longestUsableTarget());
    if (blocks <= 1) return { rate: undefined, blocks };
    const rates = [
      this.#combined(Math.floor(blocks / 2), WITHIN_HALF, true),
      this.#combined(blocks, WITHIN_TARGET, true),
      this.#combined(2 * blocks, WITHIN_DOUBLE, !conservative),
    ];
    let rate = highest(rates);
    if (conservative || rate === undefined) rate = highest([rate, this.#fromLongerPast(2 * blocks)]);
    // A rate of 0 is how `defid` says that it has no estimate.
    return { rate: BigInt(Math.round(rate ?? 0)) || undefined, blocks };
  }

  /** Half of the recorded blocks: transactions that entered later have not had twice the target to confirm. */
  #longestUsableTarget(): number {
    return Math.min(this.maxTarget, Math.floor(Math.max(this.#span, this.#earlierSpan) / 2));
  }

  /** Blocks recorded by this run. */
  get #span(): number {
    return this.#firstHeight === undefined ? 0 : this.#bestHeight - this.#firstHeight;
  }

  /** Blocks recorded by an earlier run; 0 if that was too long ago. */
  get #earlierSpan(): number {
    const { first, last } = this.#earlier;
    return this.#bestHeight - last > OLDEST_RECORD ? 0 : last - first;
  }

  /** Rate by the shortest history that covers the target; with `tryFiner`, a lower rate of a shorter history wins. */
  #combined(target: number, success: number, tryFiner: boolean): number | undefined {
    const [short, medium, long] = [this.#short, this.#medium, this.#long];
    if (target > long.maxTarget) return undefined;
    let rate: number | undefined;
    if (target <= short.maxTarget) rate = this.#ask(short, target, success);
    else rate = this.#ask(target <= medium.maxTarget ? medium : long, target, success);
    if (!tryFiner) return rate;
    for (const finer of [medium, short]) {
      const own = target > finer.maxTarget ? this.#ask(finer, finer.maxTarget, success) : undefined;
      if (own !== undefined && own > 0 && (rate === undefined || own < rate)) rate = own;
    }
    return rate;
  }

  /** The highest rate of the histories longer than the one that fits the target. */
  #fromLongerPast(target: number): number | undefined {
    const evidence = { transactionsPerBlock: ENOUGH, success: WITHIN_DOUBLE };
    const rates: (number | undefined)[] = [];
    if (target <= this.#short.maxTarget) rates.push(this.#medium.rateFor(target, evidence, this.#bestHeight));
    if (target <= this.#medium.maxTarget) rates.push(this.#long.rateFor(target, evidence, this.#bestHeight));
    return highest(rates);
  }

  #ask(history: FeeHistory, target: number, success: number): number | undefined {
    const evidence: Evidence = { transactionsPerBlock: history === this.#short ? ENOUGH_SHORT : ENOUGH, success };
    return history.rateFor(target, evidence, this.#bestHeight);
  }

  /** Index of the first bucket whose bound is not below the rate. */
  #bucketOf(rate: number): number {
    return this.#bounds.findIndex((bound) => bound >= rate);
  }
}

/** Upper bounds of the buckets; the last is unlimited. */
function rateBounds(): readonly number[] {
  const bounds: number[] = [];
  for (let bound = LEAST_RATE; bound <= MOST_RATE; bound *= RATE_STEP) bounds.push(bound);
  return [...bounds, Number.POSITIVE_INFINITY];
}

function sizesOf(histories: FeeRecord['histories']): string {
  return histories.map((rows) => rows.map(({ length }) => length).join()).join(';');
}

function highest(rates: readonly (number | undefined)[]): number | undefined {
  const known = rates.filter((rate) => rate !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

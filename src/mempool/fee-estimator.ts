import type { MempoolEntry } from './entry.js';
import { type Evidence, FeeHistory, type HistoryShape, type TrackedTransaction } from './fee-history.js';
import { feeRateOf } from './fee-rate.js';

/** Rates are told apart in steps of five per cent from the least to the most, satoshis per 1,000 virtual bytes. */
const LEAST_RATE = 1_000;
const MOST_RATE = 10_000_000;
const RATE_STEP = 1.05;

const SHORT: HistoryShape = { periods: 12, blocksPerPeriod: 1, decay: 0.962 };
const MEDIUM: HistoryShape = { periods: 24, blocksPerPeriod: 2, decay: 0.9952 };
const LONG: HistoryShape = { periods: 42, blocksPerPeriod: 24, decay: 0.99931 };

/** Of twice, the whole and half of the time that is asked about, these shares must have been enough. */
const WITHIN_HALF = 0.6;
const WITHIN_TARGET = 0.85;
const WITHIN_DOUBLE = 0.95;
/** Transactions a block that are enough to go by; the short history has few blocks to count them in. */
const ENOUGH = 0.1;
const ENOUGH_SHORT = 0.5;

export interface FeeEstimate {
  /** Satoshis per 1,000 virtual bytes; undefined while there is too little to go by. */
  readonly rate: bigint | undefined;
  /** Blocks that the estimate is for: fewer than were asked for where the past does not reach that far. */
  readonly blocks: number;
}

interface Watched extends TrackedTransaction {
  readonly rate: number;
}

/**
 * Estimates what a transaction has to pay to be confirmed in time, from how long those took that came through the pool. Three histories
 * remember half a day of blocks finely, two days less so, and two weeks coarsely.
 */
export class FeeEstimator {
  readonly #bounds = rateBounds();
  readonly #short = new FeeHistory(SHORT, this.#bounds.length);
  readonly #medium = new FeeHistory(MEDIUM, this.#bounds.length);
  readonly #long = new FeeHistory(LONG, this.#bounds.length);
  readonly #histories = [this.#short, this.#medium, this.#long];
  readonly #watched = new Map<string, Watched>();
  #bestHeight = 0;
  /** Something was ever watched; before that blocks tell nothing. */
  #used = false;
  #firstHeight: number | undefined;

  /** Longest time that can be asked about, in blocks. */
  get maxTarget(): number {
    return this.#long.maxTarget;
  }

  /** Transactions that are watched. */
  get watched(): number {
    return this.#watched.size;
  }

  /** A transaction came that tells something about fees: it depends on no other, replaces none, and the node is up to date. */
  entered({ key, height, fee, vsize }: Pick<MempoolEntry, 'key' | 'height' | 'fee' | 'vsize'>): void {
    if (this.#watched.has(key) || height !== this.#bestHeight) return;
    this.#used = true;
    const rate = Number(feeRateOf(fee, vsize));
    const watched = { height, rate, bucket: this.#bucketOf(rate) };
    this.#watched.set(key, watched);
    for (const history of this.#histories) history.entered(watched);
  }

  /** A transaction left without being confirmed. */
  left({ key }: Pick<MempoolEntry, 'key'>): void {
    this.#forget(key, false);
  }

  #forget(key: string, inBlock: boolean): Watched | undefined {
    const watched = this.#watched.get(key);
    if (!watched) return undefined;
    this.#watched.delete(key);
    for (const history of this.#histories) history.left(watched, inBlock, this.#bestHeight);
    return watched;
  }

  /** A block came, with these transactions of the pool in it. Blocks of a reorganisation tell nothing. */
  blockConnected(height: number, entries: Iterable<Pick<MempoolEntry, 'key'>>): void {
    if (height <= this.#bestHeight) return;
    this.#bestHeight = height;
    if (!this.#used) return;
    for (const history of this.#histories) history.blockArrived(height);
    let counted = false;
    for (const { key } of entries) {
      const watched = this.#forget(key, true);
      const blocks = watched ? height - watched.height : 0;
      if (!watched || blocks <= 0) continue;
      for (const history of this.#histories) history.confirmed(blocks, watched.bucket, watched.rate);
      counted = true;
    }
    if (counted) this.#firstHeight ??= height;
  }

  /**
   * @param target blocks within which the transaction should be confirmed, 1 to {@link maxTarget}
   * @param conservative goes by the longer past too, so that a short lull does not lower the estimate
   */
  estimate(target: number, conservative: boolean): FeeEstimate {
    // Nothing can be promised for the very next block.
    const blocks = Math.min(Math.max(target, 2), this.#longestUsableTarget());
    if (blocks <= 1) return { rate: undefined, blocks };
    const rates = [
      this.#combined(Math.floor(blocks / 2), WITHIN_HALF, true),
      this.#combined(blocks, WITHIN_TARGET, true),
      this.#combined(2 * blocks, WITHIN_DOUBLE, !conservative),
    ];
    let rate = highest(rates);
    if (conservative || rate === undefined) rate = highest([rate, this.#fromLongerPast(2 * blocks)]);
    return { rate: rate === undefined ? undefined : BigInt(Math.round(rate)), blocks };
  }

  /** The past reaches only so far, and only half of that can be seen through to its end. */
  #longestUsableTarget(): number {
    const span = this.#firstHeight === undefined ? 0 : this.#bestHeight - this.#firstHeight;
    return Math.min(this.maxTarget, Math.floor(span / 2));
  }

  /** By the history that fits the target best; a finer one that promises as much for less is believed. */
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

  /** The more demanding of the longer histories. */
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

  /** The first bucket whose bound is not below the rate. */
  #bucketOf(rate: number): number {
    return this.#bounds.findIndex((bound) => bound >= rate);
  }
}

/** Upper bounds of the buckets; the last takes all that is higher. */
function rateBounds(): readonly number[] {
  const bounds: number[] = [];
  for (let bound = LEAST_RATE; bound <= MOST_RATE; bound *= RATE_STEP) bounds.push(bound);
  return [...bounds, Number.POSITIVE_INFINITY];
}

function highest(rates: readonly (number | undefined)[]): number | undefined {
  const known = rates.filter((rate) => rate !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/** Resolution and decay of a history. */
export interface HistoryShape {
  /** Longest recorded confirmation time, in periods. */
  readonly periods: number;
  /** Blocks per period. */
  readonly blocksPerPeriod: number;
  /** Factor by which each block reduces the counts before it. */
  readonly decay: number;
}

/** Data that a group of buckets needs to count as an answer. */
export interface Evidence {
  /** Average transactions per block in the group. */
  readonly transactionsPerBlock: number;
  /** Share of them that was confirmed within the target. */
  readonly success: number;
}

/** A pooled transaction as histories record it. */
export interface TrackedTransaction {
  /** Height of the tip at entry. */
  readonly height: number;
  readonly bucket: number;
}

/** Decayed counts by bucket. */
type Counts = Float64Array;

/**
 * Confirmation times by fee rate, with exponential decay (`TxConfirmStats` of Bitcoin Core). Rates are grouped in buckets, which are
 * numbered from the lowest.
 */
export class FeeHistory {
  /** Longest recorded confirmation time, in blocks. */
  readonly maxTarget: number;
  /** Confirmed transactions, and the sum of their rates. */
  readonly #total: Counts;
  readonly #rates: Counts;
  /** By number of periods: transactions confirmed within them, and those removed unconfirmed after them. */
  readonly #confirmed: readonly Counts[];
  readonly #failed: readonly Counts[];
  /** Unconfirmed transactions by height of entry (modulo `maxTarget`), and those older than `maxTarget` blocks. */
  readonly #waiting: readonly Counts[];
  readonly #waitingLong: Counts;

  constructor(
    private readonly shape: HistoryShape,
    private readonly bucketCount: number,
  ) {
    const { periods, blocksPerPeriod } = shape;
    const rows = (count: number) => Array.from({ length: count }, () => new Float64Array(bucketCount));
    this.maxTarget = periods * blocksPerPeriod;
    this.#total = new Float64Array(bucketCount);
    this.#rates = new Float64Array(bucketCount);
    this.#confirmed = rows(periods);
    this.#failed = rows(periods);
    this.#waiting = rows(this.maxTarget);
    this.#waitingLong = new Float64Array(bucketCount);
  }

  /** All counts that decay; the unconfirmed transactions are not among them. */
  get counts(): readonly Float64Array[] {
    return [this.#total, this.#rates, ...this.#confirmed, ...this.#failed];
  }

  /** Row of a height of entry. In `defid` heights below 0 wrap at 32 bits, so that a short chain counts some rows twice. */
  #waitingSince(height: number): Counts {
    return this.#waiting[(height >>> 0) % this.maxTarget] as Counts;
  }

  #periodsOf(blocks: number): number {
    return Math.ceil(blocks / this.shape.blocksPerPeriod);
  }

  track({ height, bucket }: TrackedTransaction): void {
    add(this.#waitingSince(height), bucket, 1);
  }

  /** @param blocks from entry to confirmation, 1 and more */
  confirmed(blocks: number, bucket: number, rate: number): void {
    for (let period = this.#periodsOf(blocks); period <= this.shape.periods; period++)
      add(this.#confirmed[period - 1] as Counts, bucket, 1);
    add(this.#total, bucket, 1);
    add(this.#rates, bucket, rate);
  }

  /** Removes an unconfirmed transaction; if it is not in a block, it failed in all periods that it waited through. */
  untrack({ height, bucket }: TrackedTransaction, inBlock: boolean, bestHeight: number): void {
    const waited = bestHeight - height;
    if (waited < 0) return;
    const counts = waited >= this.maxTarget ? this.#waitingLong : this.#waitingSince(height);
    if ((counts[bucket] as number) > 0) add(counts, bucket, -1);
    if (inBlock) return;
    const periods = Math.min(Math.floor(waited / this.shape.blocksPerPeriod), this.shape.periods);
    for (let period = 0; period < periods; period++) add(this.#failed[period] as Counts, bucket, 1);
  }

  /** Clears the row for transactions that enter at this height, and decays all counts. */
  blockArrived(height: number): void {
    const reused = this.#waitingSince(height);
    reused.forEach((count, bucket) => {
      add(this.#waitingLong, bucket, count);
    });
    reused.fill(0);
    for (const counts of this.counts) fade(counts, this.shape.decay);
  }

  /**
   * Lowest rate at which enough transactions were confirmed within `target` blocks. Buckets are joined from the highest down into
   * groups of enough transactions.
   * @param target at most {@link maxTarget}
   * @returns the median rate of the last group that passed; undefined if none did
   */
  rateFor(target: number, { transactionsPerBlock, success }: Evidence, bestHeight: number): number | undefined {
    const needed = transactionsPerBlock / (1 - this.shape.decay);
    let best: Group | undefined;
    let group = emptyGroup(this.bucketCount - 1);
    for (let bucket = this.bucketCount - 1; bucket >= 0; bucket--) {
      this.#join(group, bucket, target, bestHeight);
      if (group.total < needed || group.confirmed / (group.total + group.failed + group.waiting) < success) continue;
      best = group;
      group = emptyGroup(bucket - 1);
    }
    return best && this.#medianRate(best);
  }

  #join(group: Group, bucket: number, target: number, bestHeight: number): void {
    const period = this.#periodsOf(target) - 1;
    group.low = bucket;
    group.total += this.#total[bucket] as number;
    group.confirmed += this.#confirmed[period]?.[bucket] as number;
    group.failed += this.#failed[period]?.[bucket] as number;
    group.waiting += this.#waitingLong[bucket] as number;
    for (let ago = target; ago < this.maxTarget; ago++) group.waiting += this.#waitingSince(bestHeight - ago)[bucket] as number;
  }

  #medianRate({ low, high }: Group): number | undefined {
    let half = 0;
    for (let bucket = low; bucket <= high; bucket++) half += (this.#total[bucket] as number) / 2;
    for (let bucket = low; bucket <= high; bucket++) {
      const count = this.#total[bucket] as number;
      if (count > 0 && count >= half) return (this.#rates[bucket] as number) / count;
      half -= count;
    }
    return undefined;
  }
}

/** Neighbouring buckets that are evaluated together. */
interface Group {
  low: number;
  readonly high: number;
  total: number;
  confirmed: number;
  failed: number;
  waiting: number;
}

function emptyGroup(high: number): Group {
  return { low: high, high, total: 0, confirmed: 0, failed: 0, waiting: 0 };
}

function add(counts: Counts, bucket: number, amount: number): void {
  counts[bucket] = (counts[bucket] as number) + amount;
}

function fade(counts: Counts, decay: number): void {
  for (let bucket = 0; bucket < counts.length; bucket++) counts[bucket] = (counts[bucket] as number) * decay;
}

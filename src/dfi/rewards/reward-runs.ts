import type { NetworkParams } from '../../params/network.js';
import type { Column, StateView } from '../../storage/view.js';
import type { Balances } from '../kernel/amounts.js';
import {
  customRewardHistory,
  liquidityHistory,
  loanRewardHistory,
  type PoolHeight,
  rewardHistory,
  type SwapEntry,
  swapHistory,
} from '../pools/history-columns.js';
import { type PoolHistories, storedHistories } from './pool-histories.js';

/** Blocks with equal payments to the providers of a pool: from `begin` up to, but excluding, `end`. */
export interface RewardRun {
  readonly begin: number;
  readonly end: number;
  /** All shares of the pool, never 0. */
  readonly totalLiquidity: bigint;
  /** Satoshis per block. */
  readonly reward: bigint;
  readonly loanReward: bigint;
  readonly custom: Balances;
  /** Satoshis; a run with commissions is one block long. */
  readonly commissionA: bigint;
  readonly commissionB: bigint;
}

const NEVER = 0xffffffff;
const NOTHING: Balances = [];

/** Iterates over one history: the value at a height, and the height of its next change. */
class Walk<V> {
  #value: V | undefined;
  #next: readonly [number, V] | undefined;
  readonly #later: Iterator<readonly [number, V]>;

  constructor(first: readonly [number, V] | undefined, later: Iterator<readonly [number, V]>) {
    this.#next = first;
    this.#later = later;
  }

  /** Height of the next entry; {@link NEVER} after the last one. */
  get next(): number {
    return this.#next?.[0] ?? NEVER;
  }

  /** Value at a height; undefined before the first entry. Heights must ascend from call to call. */
  at(height: number): V | undefined {
    while (this.#next && this.#next[0] <= height) {
      this.#value = this.#next[1];
      const later = this.#later.next();
      this.#next = later.done ? undefined : later.value;
    }
    return this.#value;
  }

  close(): void {
    this.#later.return?.();
  }
}

type Range = {
  readonly histories: PoolHistories;
  readonly pool: number;
  readonly begin: number;
  readonly end: number;
  readonly params: NetworkParams;
};

/** First entry of a history for a range, and the height from which on it applies. */
interface First<V> {
  readonly at: number;
  readonly entry: readonly [number, V];
}

/**
 * First entry of a column for the range. Without an entry at or below `begin`, the column counts as empty for the whole range if the
 * range ends before Grand Central; otherwise the search continues from there, height by height.
 */
function firstEntry<V>({ histories, pool, begin, end, params }: Range, column: Column<PoolHeight, V>): First<V> | undefined {
  const before = histories.newest(column, pool, begin);
  if (before) return { at: begin, entry: before };
  const from = Math.max(begin, params.upgrades.grandCentral);
  if (from >= end) return undefined;
  const older = histories.newest(column, pool, from);
  if (older) return { at: from, entry: older };
  for (const entry of histories.after(column, pool, from)) return entry[0] < end ? { at: entry[0], entry } : undefined;
  return undefined;
}

const NO_ENTRIES: Iterator<never> = { next: () => ({ done: true, value: undefined }) };

/** First entry of a column for a part of the range that `first` belongs to. */
function firstOfPart<V>(
  { histories, pool, begin }: Range,
  column: Column<PoolHeight, V>,
  first: First<V> | undefined,
): First<V> | undefined {
  if (!first || first.at >= begin) return first;
  const entry = histories.newest(column, pool, begin);
  return entry && { at: begin, entry };
}

/** Walk over a history whose entries are valid until the next one. */
function walk<V>(part: Range, column: Column<PoolHeight, V>, ofRange: First<V> | undefined): Walk<V> {
  const first = firstOfPart(part, column, ofRange);
  if (!first) return new Walk<V>(undefined, NO_ENTRIES);
  return new Walk([first.at, first.entry[1]], part.histories.after(column, part.pool, first.entry[0]));
}

/** Blocks with swaps. Entries of commissions that remained from an earlier block are left out. */
function* swaps(part: Range, ofRange: First<SwapEntry> | undefined): Generator<readonly [number, SwapEntry]> {
  const first = firstOfPart(part, swapHistory, ofRange)?.entry;
  if (!first) return;
  if (first[1].swapped) yield first;
  for (const entry of part.histories.after(swapHistory, part.pool, first[0])) if (entry[1].swapped) yield entry;
}

/** First entries of all histories of a pool for a range. */
interface Firsts {
  readonly liquidity: First<bigint> | undefined;
  readonly reward: First<bigint> | undefined;
  readonly loanReward: First<bigint> | undefined;
  readonly custom: First<Balances> | undefined;
  readonly swap: First<SwapEntry> | undefined;
}

/**
 * Payments of the blocks of a range to the providers of a pool. Parts of the range can be read in any order; together they give what the
 * whole gives, although a range of its own may begin differently.
 */
export class PoolPayouts {
  readonly #firsts: Firsts;

  constructor(private readonly range: Range) {
    this.#firsts = {
      liquidity: firstEntry(range, liquidityHistory),
      reward: firstEntry(range, rewardHistory),
      loanReward: firstEntry(range, loanRewardHistory),
      custom: firstEntry(range, customRewardHistory),
      swap: firstEntry(range, swapHistory),
    };
  }

  /** True if the pool pays nothing in the whole range. */
  get isEmpty(): boolean {
    const { liquidity, reward, loanReward, custom, swap } = this.#firsts;
    return !liquidity || !(reward || loanReward || custom || swap);
  }

  /** Runs of a part, in as few as there are changes. */
  runs(begin: number, end: number): IterableIterator<RewardRun> {
    return new RewardRuns({ ...this.range, begin, end }, this.#firsts);
  }

  /** True if this range, which begins earlier, gives the same runs as `later` for the blocks of that one. */
  continues(later: PoolPayouts): boolean {
    const { begin } = later.range;
    const names = Object.keys(this.#firsts) as (keyof Firsts)[];
    return names.every((name) => {
      const at = this.#firsts[name]?.at ?? NEVER;
      const laterAt = later.#firsts[name]?.at ?? NEVER;
      return at === laterAt || (at <= begin && laterAt === begin);
    });
  }
}

/**
 * Payments of the blocks from `begin` up to, but excluding, `end` to the providers of a pool, in as few runs as there are changes.
 * @see docs/protocol/defi.md 2.9
 */
export function rewardRuns(view: StateView, pool: number, begin: number, end: number, params: NetworkParams): IterableIterator<RewardRun> {
  return new PoolPayouts({ histories: storedHistories(view), pool, begin, end, params }).runs(begin, end);
}

/** An iterator instead of a generator, for speed: an owner whose rewards were not materialised for long has a run for every other block. */
class RewardRuns implements IterableIterator<RewardRun> {
  readonly #liquidity: Walk<bigint>;
  readonly #reward: Walk<bigint>;
  readonly #loanReward: Walk<bigint>;
  readonly #custom: Walk<Balances>;
  readonly #swap: Walk<SwapEntry>;
  readonly #end: number;
  /** Height of Bayfront Gardens, which changed the rounding. */
  readonly #gardens: number;
  #height: number;

  constructor(part: Range, { liquidity, reward, loanReward, custom, swap }: Firsts) {
    this.#liquidity = walk(part, liquidityHistory, liquidity);
    this.#reward = walk(part, rewardHistory, reward);
    this.#loanReward = walk(part, loanRewardHistory, loanReward);
    this.#custom = walk(part, customRewardHistory, custom);
    const entries = swaps(part, swap);
    const first = entries.next();
    this.#swap = new Walk(first.done ? undefined : first.value, entries);
    this.#end = part.end;
    this.#gardens = part.params.upgrades.bayfrontGardens;
    this.#height = part.begin;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<RewardRun> {
    let totalLiquidity = 0n;
    while (this.#height < this.#end) {
      totalLiquidity = this.#liquidity.at(this.#height) ?? 0n;
      if (totalLiquidity !== 0n) break;
      this.#height = this.#liquidity.next;
    }
    const begin = this.#height;
    if (begin >= this.#end) return this.return();
    const reward = this.#reward.at(begin) ?? 0n;
    const loanReward = this.#loanReward.at(begin) ?? 0n;
    const custom = this.#custom.at(begin) ?? NOTHING;
    // Commissions are paid in the block of the swap only.
    this.#swap.at(begin - 1);
    const swap = this.#swap.next === begin ? this.#swap.at(begin) : undefined;
    const end = swap ? begin + 1 : this.#nextChange(begin);
    this.#height = end;
    const commissionA = swap ? swap.commissionA : 0n;
    const commissionB = swap ? swap.commissionB : 0n;
    return { done: false, value: { begin, end, totalLiquidity, reward, loanReward, custom, commissionA, commissionB } };
  }

  return(): IteratorResult<RewardRun> {
    this.#height = this.#end;
    for (const opened of [this.#liquidity, this.#reward, this.#loanReward, this.#custom, this.#swap]) opened.close();
    return { done: true, value: undefined };
  }

  #nextChange(begin: number): number {
    const rounding = begin < this.#gardens ? this.#gardens : NEVER;
    const rewards = Math.min(this.#reward.next, this.#loanReward.next, this.#custom.next);
    return Math.min(this.#end, this.#liquidity.next, this.#swap.next, rewards, rounding);
  }
}

import type { NetworkParams } from '../../params/network.js';
import type { Column, StateView } from '../../storage/view.js';
import type { Balances } from '../amounts.js';
import {
  customRewardHistory,
  liquidityHistory,
  loanRewardHistory,
  newestEntry,
  type PoolHeight,
  rewardHistory,
  type SwapEntry,
  swapHistory,
  valuesAfter,
} from '../state/pool-history.js';

/** Blocks that pay the providers of a pool alike: from `begin` up to, not including, `end`. */
export interface RewardRun {
  readonly begin: number;
  readonly end: number;
  /** All shares, never 0. */
  readonly totalLiquidity: bigint;
  /** Satoshis per block. */
  readonly reward: bigint;
  readonly loanReward: bigint;
  readonly custom: Balances;
  /** A run with commissions is one block long. */
  readonly commissionA: bigint;
  readonly commissionB: bigint;
}

const NEVER = 0xffffffff;

/** Walks the entries of one history: what holds at a height, and where that changes. */
class Walk<V> {
  #value: V | undefined;
  #next: readonly [number, V] | undefined;
  readonly #later: Iterator<readonly [number, V]>;

  constructor(first: readonly [number, V] | undefined, later: Iterator<readonly [number, V]>) {
    this.#next = first;
    this.#later = later;
  }

  /** Height of the next entry. */
  get next(): number {
    return this.#next?.[0] ?? NEVER;
  }

  /** Heights ascend from call to call. */
  at(height: number): V | undefined {
    while (this.#next && this.#next[0] <= height) {
      this.#value = this.#next[1];
      this.#next = this.#later.next().value as readonly [number, V] | undefined;
    }
    return this.#value;
  }

  close(): void {
    this.#later.return?.();
  }
}

type Range = {
  readonly view: StateView;
  readonly pool: number;
  readonly begin: number;
  readonly end: number;
  readonly params: NetworkParams;
};

/**
 * The entry that a table starts with. Where none stands at or below `begin`, the table counts as empty for the whole range if that
 * ends before Grand Central; otherwise the search goes on from there, height by height.
 * @returns the entry, and the height from which on it is known
 */
function firstEntry<V>(
  { view, pool, begin, end, params }: Range,
  column: Column<PoolHeight, V>,
): { at: number; entry: readonly [number, V] } | undefined {
  const before = newestEntry(view, column, pool, begin);
  if (before) return { at: begin, entry: before };
  const from = Math.max(begin, params.upgrades.grandCentral);
  if (from >= end) return undefined;
  const older = newestEntry(view, column, pool, from);
  if (older) return { at: from, entry: older };
  for (const entry of valuesAfter(view, column, pool, from)) return entry[0] < end ? { at: entry[0], entry } : undefined;
  return undefined;
}

const NO_ENTRIES: Iterator<never> = { next: () => ({ done: true, value: undefined }) };

/** A history whose entries hold until the next one. */
function walk<V>(range: Range, column: Column<PoolHeight, V>): Walk<V> {
  const first = firstEntry(range, column);
  if (!first) return new Walk<V>(undefined, NO_ENTRIES);
  return new Walk([first.at, first.entry[1]], valuesAfter(range.view, column, range.pool, first.entry[0])[Symbol.iterator]());
}

/** Blocks with swaps; what a block left over to the next is no swap. */
function* swaps(range: Range): Generator<readonly [number, SwapEntry]> {
  const first = firstEntry(range, swapHistory)?.entry;
  if (!first) return;
  if (first[1].swapped) yield first;
  for (const entry of valuesAfter(range.view, swapHistory, range.pool, first[0])) if (entry[1].swapped) yield entry;
}

/**
 * What the blocks from `begin` up to, not including, `end` pay the providers of a pool, in as few runs as there are changes.
 * @see spec: defi 2.9
 */
export function* rewardRuns(view: StateView, pool: number, begin: number, end: number, params: NetworkParams): Generator<RewardRun> {
  const range: Range = { view, pool, begin, end, params };
  const liquidity = walk(range, liquidityHistory);
  const reward = walk(range, rewardHistory);
  const loanReward = walk(range, loanRewardHistory);
  const custom = walk(range, customRewardHistory);
  const swapEntries = swaps(range);
  const swap = new Walk(swapEntries.next().value as readonly [number, SwapEntry] | undefined, swapEntries);
  /** Rounding changed there. */
  const { bayfrontGardens } = params.upgrades;
  try {
    for (let height = begin; height < end; ) {
      const totalLiquidity = liquidity.at(height) ?? 0n;
      if (totalLiquidity === 0n) {
        height = liquidity.next;
        continue;
      }
      swap.at(height - 1);
      const isSwap = swap.next === height;
      const swapped = isSwap ? swap.at(height) : undefined;
      const fixed = {
        totalLiquidity,
        reward: reward.at(height) ?? 0n,
        loanReward: loanReward.at(height) ?? 0n,
        custom: custom.at(height) ?? [],
      };
      const changes = Math.min(
        liquidity.next,
        reward.next,
        loanReward.next,
        custom.next,
        swap.next,
        height < bayfrontGardens ? bayfrontGardens : NEVER,
      );
      const runEnd = isSwap ? height + 1 : Math.min(changes, end);
      yield { ...fixed, begin: height, end: runEnd, commissionA: swapped?.commissionA ?? 0n, commissionB: swapped?.commissionB ?? 0n };
      height = runEnd;
    }
  } finally {
    for (const opened of [liquidity, reward, loanReward, custom, swap]) opened.close();
  }
}

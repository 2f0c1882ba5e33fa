import type { OutPoint } from '../../primitives/outpoint.js';
import type { TxOut } from '../../primitives/transaction.js';
import { compareBigints } from '../../util/numbers.js';
import { type Random, shuffled } from '../../util/random.js';

/** A coin that may be spent. */
export interface InputCoin {
  readonly point: OutPoint;
  readonly out: TxOut;
  /** Virtual bytes of the signed input that spends it; undefined if the wallet does not know how to spend it. */
  readonly inputSize: number | undefined;
}

/** Coins that are spent together or not at all (`OutputGroup` in Bitcoin Core). */
export interface CoinGroup {
  readonly coins: readonly InputCoin[];
  /** Satoshis. */
  readonly value: bigint;
  /** Confirmations of the youngest coin. */
  readonly depth: number;
  /** Every coin is from a transaction that the wallet paid for, or has `WELL_CONFIRMED_DEPTH` confirmations. */
  readonly isFromMe: boolean;
  /** Unconfirmed ancestors of its coins, including their own transactions. */
  readonly ancestors: number;
  /** Largest number of unconfirmed descendants of a coin's transaction or of one of its ancestors. */
  readonly descendants: number;
}

/** Minimum change that selection aims at, satoshis: 0.01 DFI. */
export const MIN_CHANGE = 1_000_000n;
const MAX_TRIES = 100_000;
const SUBSET_ROUNDS = 1_000;
/** Maximum number of coins examined in all rounds together: with many coins there are fewer rounds. */
const SUBSET_STEPS = 1_000_000;
/** Random bits drawn by one call. */
const DRAWN_BITS = 30;

/** A group with the fee of its inputs, in satoshis. */
export interface PricedGroup {
  readonly group: CoinGroup;
  /** Value less `fee`. */
  readonly effectiveValue: bigint;
  readonly fee: bigint;
  /** Fee of the inputs at the long-term fee rate. */
  readonly longTermFee: bigint;
}

export interface ExactTarget {
  /** Minimum sum of effective values, satoshis. */
  readonly target: bigint;
  /** Cost of creating and later spending a change output, satoshis: the sum may exceed the target by this much. */
  readonly costOfChange: bigint;
}

/**
 * Branch and bound: searches for groups that pay so exactly that no change is needed. Depth first, largest groups first, inclusion
 * before omission; of all solutions the one with the least waste.
 * @returns undefined if no solution exists, or none was found within the limit of tries
 * @see docs/protocol/wallet.md 2.9, BnB
 */
export function selectExactly(pool: readonly PricedGroup[], { target, costOfChange }: ExactTarget): readonly CoinGroup[] | undefined {
  const sorted = pool
    .filter(({ effectiveValue }) => effectiveValue > 0n)
    .sort((a, b) => compareBigints(b.effectiveValue, a.effectiveValue));
  const search = new ExactSearch(sorted, target, target + costOfChange);
  return search.run()?.map((index) => (sorted[index] as PricedGroup).group);
}

class ExactSearch {
  /** Sum of the effective values from each index to the end. */
  readonly #rest: bigint[];
  readonly #selected: number[] = [];
  readonly #wasteMatters: boolean;
  #value = 0n;
  #waste = 0n;
  #best: readonly number[] | undefined;
  #bestWaste = 0n;

  constructor(
    private readonly pool: readonly PricedGroup[],
    private readonly least: bigint,
    private readonly most: bigint,
  ) {
    this.#rest = new Array<bigint>(pool.length + 1).fill(0n);
    for (let i = pool.length - 1; i >= 0; i--) this.#rest[i] = (this.#rest[i + 1] ?? 0n) + (pool[i] as PricedGroup).effectiveValue;
    const [first] = pool;
    // If inputs are cheaper now than later, adding inputs can reduce waste.
    this.#wasteMatters = first !== undefined && first.fee > first.longTermFee;
  }

  run(): readonly number[] | undefined {
    // Next index to decide on; all below are included or omitted.
    let at = 0;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (this.#isDeadEnd(at)) {
        const last = this.#selected.pop();
        if (last === undefined) break;
        this.#omit(last);
        at = last;
      } else if (!this.#wasTried(at)) {
        this.#include(at);
      }
      at += 1;
    }
    return this.#best;
  }

  /** True if adding groups to the present selection cannot improve it. Records the selection if it is the best solution so far. */
  #isDeadEnd(at: number): boolean {
    if (this.#value + (this.#rest[at] ?? 0n) < this.least || this.#value > this.most) return true;
    if (this.#best && this.#wasteMatters && this.#waste > this.#bestWaste) return true;
    if (this.#value >= this.least) {
      const waste = this.#waste + this.#value - this.least;
      if (!this.#best || waste <= this.#bestWaste) {
        this.#best = [...this.#selected];
        this.#bestWaste = waste;
      }
      return true;
    }
    return at >= this.pool.length;
  }

  #include(index: number): void {
    const { effectiveValue, fee, longTermFee } = this.pool[index] as PricedGroup;
    this.#selected.push(index);
    this.#value += effectiveValue;
    this.#waste += fee - longTermFee;
  }

  #omit(index: number): void {
    const { effectiveValue, fee, longTermFee } = this.pool[index] as PricedGroup;
    this.#value -= effectiveValue;
    this.#waste -= fee - longTermFee;
  }

  /** True for a group equal to the one before if that is omitted: it leads to selections that were tried. Skipping it is a try too. */
  #wasTried(at: number): boolean {
    if (at === 0 || this.#selected.at(-1) === at - 1) return false;
    const [before, group] = [this.pool[at - 1] as PricedGroup, this.pool[at] as PricedGroup];
    return group.effectiveValue === before.effectiveValue && group.fee === before.fee;
  }
}

/**
 * Knapsack solver: selects groups whose sum is close to the target, or leaves enough for a change output.
 * @returns undefined if the sum of all groups is below the target
 * @see docs/protocol/wallet.md 2.9, knapsack
 */
export function selectWithChange(groups: readonly CoinGroup[], target: bigint, random: Random): readonly CoinGroup[] | undefined {
  const lower: CoinGroup[] = [];
  let smallestLarger: CoinGroup | undefined;
  for (const group of shuffled(groups, random)) {
    if (group.value === target) return [group];
    if (group.value < target + MIN_CHANGE) lower.push(group);
    else if (!smallestLarger || group.value < smallestLarger.value) smallestLarger = group;
  }
  const lowerTotal = totalOf(lower);
  if (lowerTotal === target) return lower;
  if (lowerTotal < target) return smallestLarger && [smallestLarger];
  lower.sort((a, b) => compareBigints(b.value, a.value));
  let best = bestSubset(lower, lowerTotal, target, random);
  if (best.value !== target && lowerTotal >= target + MIN_CHANGE) best = bestSubset(lower, lowerTotal, target + MIN_CHANGE, random);
  const leavesDust = best.value !== target && best.value < target + MIN_CHANGE;
  if (smallestLarger && (leavesDust || smallestLarger.value <= best.value)) return [smallestLarger];
  return best.groups;
}

interface Subset {
  readonly groups: readonly CoinGroup[];
  readonly value: bigint;
}

/** The random subset with the smallest sum that reaches the target. */
function bestSubset(groups: readonly CoinGroup[], total: bigint, target: bigint, random: Random): Subset {
  const values = groups.map(({ value }) => value);
  const coin = coinFlips(random);
  let best = new Uint8Array(groups.length).fill(1);
  let bestValue = total;
  const rounds = Math.min(SUBSET_ROUNDS, Math.ceil(SUBSET_STEPS / groups.length));
  for (let round = 0; round < rounds && bestValue !== target; round++) {
    const included = new Uint8Array(groups.length);
    let value = 0n;
    let reached = false;
    // The first pass includes groups at random, the second one those that the first left out.
    for (let pass = 0; pass < 2 && !reached; pass++) {
      for (let i = 0; i < values.length; i++) {
        if (pass === 0 ? !coin() : included[i] === 1) continue;
        const sum = value + (values[i] as bigint);
        if (sum < target) {
          value = sum;
          included[i] = 1;
          continue;
        }
        reached = true;
        // The group that reached the target is not kept in the subset: a smaller one may reach it too.
        if (sum >= bestValue) continue;
        bestValue = sum;
        best = included.slice();
        best[i] = 1;
      }
    }
  }
  return { groups: groups.filter((_, i) => best[i] === 1), value: bestValue };
}

/** Random booleans, drawn many at a time. */
function coinFlips(random: Random): () => boolean {
  let bits = 0;
  let left = 0;
  return () => {
    if (left === 0) {
      bits = random(2 ** DRAWN_BITS);
      left = DRAWN_BITS;
    }
    const isHead = (bits & 1) === 1;
    bits >>>= 1;
    left -= 1;
    return isHead;
  };
}

/** Sum of values, satoshis. */
export function totalOf(groups: readonly { readonly value: bigint }[]): bigint {
  return groups.reduce((sum, { value }) => sum + value, 0n);
}

import type { OutPoint } from '../../primitives/outpoint.js';
import type { TxOut } from '../../primitives/transaction.js';
import type { Random } from '../../util/random.js';

/** A coin that may be spent. */
export interface InputCoin {
  readonly point: OutPoint;
  readonly out: TxOut;
  /** Virtual bytes of its input once signed; undefined where that cannot be told. */
  readonly inputSize: number | undefined;
}

/** Coins that are spent together or not at all. */
export interface CoinGroup {
  readonly coins: readonly InputCoin[];
  /** Satoshis. */
  readonly value: bigint;
  /** Confirmations of the youngest coin. */
  readonly depth: number;
  /** All coins come from the wallet's own transactions, or are so deep that it does not matter. */
  readonly isFromMe: boolean;
  /** Unconfirmed transactions that its coins depend on, and the longest chain that they are part of. */
  readonly ancestors: number;
  readonly descendants: number;
}

/** Least change that is aimed at: 0.01 DFI. */
export const MIN_CHANGE = 1_000_000n;
const MAX_TRIES = 100_000;
const SUBSET_ROUNDS = 1_000;
/** Looks at coins that all rounds together may take: with very many coins there are fewer rounds, and enough small ones all the same. */
const SUBSET_STEPS = 1_000_000;
/** Random bits that are drawn at once. */
const DRAWN_BITS = 30;

/** What a group is worth once its own fee is paid. */
export interface PricedGroup {
  readonly group: CoinGroup;
  readonly effectiveValue: bigint;
  readonly fee: bigint;
  /** Fee if there were no hurry. */
  readonly longTermFee: bigint;
}

export interface ExactTarget {
  /** Satoshis that effective values have to reach. */
  readonly target: bigint;
  /** What making and later spending a change output would cost: so much may be given away instead. */
  readonly costOfChange: bigint;
}

/**
 * Searches for groups that pay exactly, so that no change is needed: depth first, the largest first, taking before leaving, and of
 * all that fit the one that wastes least.
 * @returns undefined if there are none, or none was found in time
 * @see docs/protocol/wallet.md 2.9, BnB
 */
export function selectExactly(pool: readonly PricedGroup[], { target, costOfChange }: ExactTarget): readonly CoinGroup[] | undefined {
  const sorted = pool.filter(({ effectiveValue }) => effectiveValue > 0n).sort((a, b) => compare(b.effectiveValue, a.effectiveValue));
  const search = new ExactSearch(sorted, target, target + costOfChange);
  return search.run()?.map((index) => (sorted[index] as PricedGroup).group);
}

class ExactSearch {
  /** Sum of effective values from each index on. */
  readonly #rest: bigint[];
  readonly #taken: number[] = [];
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
    // Where inputs are cheaper now than later, more of them may waste less.
    this.#wasteMatters = first !== undefined && first.fee > first.longTermFee;
  }

  run(): readonly number[] | undefined {
    // The next index to decide on; everything below is taken or left.
    let at = 0;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (this.#isDeadEnd(at)) {
        const last = this.#taken.pop();
        if (last === undefined) break;
        this.#give(last);
        at = this.#skipEqual(last);
        continue;
      }
      this.#take(at);
      at += 1;
    }
    return this.#best;
  }

  /** Nothing better lies beyond what is taken now. Notes it if it fits. */
  #isDeadEnd(at: number): boolean {
    if (this.#value + (this.#rest[at] ?? 0n) < this.least || this.#value > this.most) return true;
    if (this.#best && this.#wasteMatters && this.#waste > this.#bestWaste) return true;
    if (this.#value >= this.least) {
      const waste = this.#waste + this.#value - this.least;
      if (!this.#best || waste <= this.#bestWaste) {
        this.#best = [...this.#taken];
        this.#bestWaste = waste;
      }
      return true;
    }
    return at >= this.pool.length;
  }

  #take(index: number): void {
    const { effectiveValue, fee, longTermFee } = this.pool[index] as PricedGroup;
    this.#taken.push(index);
    this.#value += effectiveValue;
    this.#waste += fee - longTermFee;
  }

  #give(index: number): void {
    const { effectiveValue, fee, longTermFee } = this.pool[index] as PricedGroup;
    this.#value -= effectiveValue;
    this.#waste -= fee - longTermFee;
  }

  /** A group just like one that was left leads to what has been looked at. @returns the first that differs */
  #skipEqual(left: number): number {
    const { effectiveValue, fee } = this.pool[left] as PricedGroup;
    let at = left + 1;
    for (let next = this.pool[at]; next && next.effectiveValue === effectiveValue && next.fee === fee; next = this.pool[at]) at += 1;
    return at;
  }
}

/**
 * Searches for groups that reach the target with little to spare, or with enough for a change output.
 * @returns undefined if all together do not reach it
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
  lower.sort((a, b) => compare(b.value, a.value));
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

/** Random subsets, each filled up until it reaches the target; the smallest one wins. */
function bestSubset(groups: readonly CoinGroup[], total: bigint, target: bigint, random: Random): Subset {
  const values = groups.map(({ value }) => value);
  const coin = coinFlips(random);
  let best = new Uint8Array(groups.length).fill(1);
  let bestValue = total;
  const rounds = Math.min(SUBSET_ROUNDS, Math.ceil(SUBSET_STEPS / groups.length));
  for (let round = 0; round < rounds && bestValue !== target; round++) {
    const taken = new Uint8Array(groups.length);
    let value = 0n;
    let reached = false;
    // First some at random, then those that were left out.
    for (let pass = 0; pass < 2 && !reached; pass++) {
      for (let i = 0; i < values.length; i++) {
        if (pass === 0 ? !coin() : taken[i] === 1) continue;
        const sum = value + (values[i] as bigint);
        if (sum < target) {
          value = sum;
          taken[i] = 1;
          continue;
        }
        reached = true;
        // Perhaps a smaller one does as well: this one is not kept.
        if (sum >= bestValue) continue;
        bestValue = sum;
        best = taken.slice();
        best[i] = 1;
      }
    }
  }
  return { groups: groups.filter((_, i) => best[i] === 1), value: bestValue };
}

/** Heads or tails, of numbers that are drawn for many flips at once. */
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

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

export function totalOf(groups: readonly { readonly value: bigint }[]): bigint {
  return groups.reduce((sum, { value }) => sum + value, 0n);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

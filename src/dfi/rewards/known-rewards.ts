import type { NetworkParams } from '../../params/network.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';
import { INT64_MAX } from '../../util/numbers.js';
import type { Steps } from '../../util/slicer.js';
import { Accounts, balanceOf, materialisedHeights } from '../accounts/columns.js';
import type { HeightContext } from '../kernel/block-context.js';
import { earnedBetween } from './earned.js';
import { materialiseRewards } from './owner-rewards.js';
import { type Payment, paymentsOf } from './payments.js';
import { storedHistories } from './pool-histories.js';
import { PoolPayouts } from './reward-runs.js';
import { type Holding, holdingsOf, PaidTokens } from './steady-share.js';

/** Block of a chain; the same block is always the same object. */
export interface ChainBlock {
  readonly height: number;
  ancestor(height: number): ChainBlock | undefined;
}

/** Sums of payments by token, in satoshis. */
type Sums = ReadonlyMap<number, bigint>;

/** Rewards below DF24 of a share that did not change. */
interface Known {
  readonly begin: number;
  /** The last block that is included. */
  readonly last: ChainBlock;
  readonly shares: bigint;
  readonly tokenA: number;
  readonly tokenB: number;
  readonly sums: Sums;
}

/** Shares whose sums are kept; one takes some hundred bytes. */
const MAX_SHARES = 10_000;
/** Sums over fewer blocks are not kept. */
const LEAST_BLOCKS = 100;
/** Blocks of one step. */
const STEP_BLOCKS = 512;

/**
 * Sums of rewards that are not materialised yet, for operations that read balances. Payments are rounded block by block, so a sum can
 * only be continued: from block to block of one chain, as long as the owner keeps the same share.
 */
export class KnownRewards {
  readonly #known: Lru<string, Known>;
  #hits = 0;
  #misses = 0;

  constructor(maxShares = MAX_SHARES) {
    this.#known = new Lru(maxShares);
  }

  /** Sums that were continued. */
  get hits(): number {
    return this.#hits;
  }

  /** Sums over many blocks that were computed from their beginning. */
  get misses(): number {
    return this.#misses;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Reading of the state at a block. */
  at(view: WritableView, tip: ChainBlock, params: NetworkParams): RewardReading {
    return new RewardReading(view, tip, params, this);
  }

  /** Sums of a share from `begin` up to, but excluding, `end`, which is at most DF24. */
  *sumsOf(owner: Uint8Array, holding: Holding, range: SumRange): Steps<Sums> {
    const { begin, end, tip, view, params } = range;
    const key = `${holding.pool}:${toHex(owner)}`;
    const known = this.#usable(key, holding, range);
    if (end - begin >= LEAST_BLOCKS) {
      if (known) this.#hits += 1;
      else this.#misses += 1;
    }
    let sums: Sums = known?.sums ?? new Map();
    let from = known ? known.last.height + 1 : begin;
    if (from >= end) return sums;
    const payouts = new PoolPayouts({ histories: storedHistories(view), pool: holding.pool, begin, end, params });
    while (from < end) {
      const to = Math.min(end, from + STEP_BLOCKS);
      sums = extended(sums, payouts, holding, { begin: from, end: to, params });
      from = to;
      const last = tip.ancestor(to - 1);
      const { tokenA, tokenB } = holding.terms;
      if (!last || to - begin < LEAST_BLOCKS) continue;
      this.#known.set(key, { begin, last, shares: holding.shares, tokenA, tokenB, sums });
      // Work that starts again after a pause continues from here.
      yield;
    }
    return sums;
  }

  #usable(key: string, { shares, terms }: Holding, { begin, end, tip }: SumRange): Known | undefined {
    const known = this.#known.get(key);
    if (!known || known.begin !== begin || known.shares !== shares) return undefined;
    if (known.tokenA !== terms.tokenA || known.tokenB !== terms.tokenB || known.last.height >= end) return undefined;
    return tip.ancestor(known.last.height) === known.last ? known : undefined;
  }
}

interface SumRange {
  readonly view: StateView;
  readonly tip: ChainBlock;
  readonly begin: number;
  readonly end: number;
  readonly params: NetworkParams;
}

function extended(
  before: Sums,
  payouts: PoolPayouts,
  { shares, terms }: Holding,
  { begin, end, params }: Pick<SumRange, 'begin' | 'end' | 'params'>,
): Sums {
  const sums = new Map(before);
  for (const run of payouts.runs(begin, end)) {
    const blocks = BigInt(run.end - run.begin);
    for (const { tokenId, amount } of paymentsOf(run, shares, terms, params)) if (amount > 0n) add(sums, tokenId, amount * blocks);
  }
  return sums;
}

function add(sums: Map<number, bigint>, tokenId: number, amount: bigint): void {
  sums.set(tokenId, (sums.get(tokenId) ?? 0n) + amount);
}

/** Materialises rewards in a scratch view of the state at a block. The result is that of `materialiseRewards` at the next height. */
export class RewardReading {
  readonly #view: WritableView;
  readonly #tip: ChainBlock;
  readonly #at: HeightContext;
  readonly #known: KnownRewards;
  readonly #paid: PaidTokens;

  constructor(view: WritableView, tip: ChainBlock, params: NetworkParams, known: KnownRewards) {
    this.#view = view;
    this.#tip = tip;
    this.#at = { height: tip.height + 1, params };
    this.#known = known;
    this.#paid = new PaidTokens(view);
  }

  *materialise(owner: Uint8Array): Steps<void> {
    const view = this.#view;
    const { height } = this.#at;
    const materialised = view.get(materialisedHeights, owner) ?? 0;
    if (materialised >= height) return;
    const held = holdingsOf(view, owner, this.#paid);
    const earned = held && (yield* this.#earned(owner, held, materialised));
    const overflows = earned && [...earned].some(([tokenId, sum]) => balanceOf(view, owner, tokenId) + sum > INT64_MAX);
    if (!earned || overflows) {
      materialiseRewards(view, owner, this.#at);
      return;
    }
    const accounts = new Accounts(view);
    for (const [tokenId, amount] of earned) accounts.add(owner, { tokenId, amount });
    view.put(materialisedHeights, owner, height);
  }

  *#earned(owner: Uint8Array, held: readonly Holding[], materialised: number): Steps<Sums> {
    const { height, params } = this.#at;
    const total = new Map<number, bigint>();
    for (const holding of held) {
      const begin = Math.max(holding.since, materialised);
      if (holding.since >= height) continue;
      const end = Math.min(height, params.upgrades.df24);
      const range = { view: this.#view, tip: this.#tip, begin, end, params };
      if (begin < end) for (const [tokenId, sum] of yield* this.#known.sumsOf(owner, holding, range)) add(total, tokenId, sum);
      for (const { tokenId, amount } of this.#earnedLate(holding, begin)) if (amount > 0n) add(total, tokenId, amount);
    }
    return total;
  }

  /** Rewards from DF24 on: rounded once for all blocks, so they cannot be continued, and need not be. */
  #earnedLate({ pool, shares }: Holding, begin: number): readonly Payment[] {
    const { height, params } = this.#at;
    const { df24 } = params.upgrades;
    if (height < df24) return [];
    return earnedBetween(this.#view, pool, shares, begin < df24 ? df24 - 1 : begin - 1, height);
  }
}

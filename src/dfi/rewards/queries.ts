import { isActive, type NetworkParams } from '../../params/network.js';
import { Overlay } from '../../storage/overlay.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';
import type { Steps } from '../../util/slicer.js';
import { Accounts, balanceOf } from '../accounts/columns.js';
import type { Balances } from '../kernel/amounts.js';
import { deleteShare, hasPool, poolIds, poolsOfOwner, setShare, shareHeight, termsOf } from '../pools/columns.js';
import { earnedBetween } from './earned.js';
import { creditOrDebit } from './owner-rewards.js';
import { type Payment, paymentsOf } from './payments.js';
import { KeptHistories, type PoolHistories } from './pool-histories.js';
import { rewardRuns } from './reward-runs.js';
import { type Holding, holdingsOf, PaidTokens, SteadyShare } from './steady-share.js';

/** Payment of a pool to an owner for one block, which no stored history contains. */
export interface Reward extends Payment {
  readonly owner: Uint8Array;
  readonly pool: number;
  readonly height: number;
}

/** Blocks of the first and of the largest batch. */
const FIRST_BLOCKS = 64;
const MOST_BLOCKS = 4_096;
/** Batches grow below this number of rewards, and shrink above twice this number. */
const BATCH_REWARDS = 256;

/** Orders rewards by height, newest first, and keeps their order within a block. */
function newestFirst(rewards: Reward[]): Reward[] {
  return rewards.sort((a, b) => b.height - a.height);
}

function* rewardsOf(share: SteadyShare, owner: Uint8Array, from: number, to: number): Generator<Reward> {
  const { pool } = share;
  for (const { payments, height, blocks } of share.payments(from, to)) {
    for (let i = 0; i < blocks; i++) for (const payment of payments) yield { ...payment, owner, pool, height: height + i };
  }
}

/**
 * Past rewards, computed from the balances that an owner had at the time. The caller walks an owner's history from the tip backwards,
 * reverses each record, and asks for the rewards between two records, or for their number.
 * @see docs/protocol/accounts.md 5.7
 */
export class PastRewards {
  #view: Overlay;
  /** Shares of an owner in the view; undefined if they are to be read. */
  #shares: { readonly owner: Uint8Array; readonly held: readonly Holding[] | undefined } | undefined;
  readonly #paid: PaidTokens;
  readonly #histories: PoolHistories;

  constructor(
    private readonly state: StateView,
    readonly params: NetworkParams,
  ) {
    this.#view = new Overlay(state);
    this.#paid = new PaidTokens(state);
    this.#histories = new KeptHistories(state);
  }

  /** False if there are no pools, hence no rewards. */
  get exist(): boolean {
    for (const _pool of poolIds(this.state)) return true;
    return false;
  }

  /** Returns to the state at the tip. */
  restart(): void {
    this.#view = new Overlay(this.state);
    this.#shares = undefined;
  }

  /** Reverts the changes of a record. Like in `defid`, shares that the record added or removed count as held since height 0. */
  reverse(owner: Uint8Array, differences: Balances): void {
    const view = this.#view;
    for (const { tokenId, amount } of differences) {
      // Other balances earn nothing.
      if (!hasPool(view, tokenId)) continue;
      this.#shares = undefined;
      creditOrDebit(new Accounts(view), owner, { tokenId, amount: -amount });
      const left = balanceOf(view, owner, tokenId);
      if (amount < 0n) {
        if (left === -amount) setShare(view, tokenId, owner, 0);
      } else if (left === 0n) deleteShare(view, tokenId, owner);
      else setShare(view, tokenId, owner, 0);
    }
  }

  /**
   * Rewards of the blocks from `begin` up to, but excluding, `end`: newest block first, within a block pool by pool. They come in batches
   * of some blocks, each computed in a fraction of a millisecond, so that a caller who needs the newest ones computes no others.
   * @param top rewards from this block on are left out
   */
  *newestFirst(owner: Uint8Array, begin: number, end: number, top = end): Generator<readonly Reward[]> {
    const shares = this.#steadyShares(owner, begin, end);
    if (!shares) {
      // A reward may depend on those of later blocks, because pools follow each other.
      yield newestFirst([...this.#inOrder(owner, begin, end)].filter(({ height }) => height < top));
      return;
    }
    const lowest = Math.min(top, ...shares.map((share) => share.begin));
    let blocks = FIRST_BLOCKS;
    for (let upper = top; upper > lowest; ) {
      const bottom = upper - blocks;
      const batch = shares.flatMap((share) => [...rewardsOf(share, owner, bottom, upper)]);
      yield newestFirst(batch);
      upper = bottom;
      if (batch.length < BATCH_REWARDS) blocks = Math.min(blocks * 4, MOST_BLOCKS);
      else if (batch.length > 2 * BATCH_REWARDS) blocks = Math.max(blocks >> 1, 1);
    }
  }

  /** Number of the rewards of the blocks from `begin` up to, but excluding, `end`. @param tokenId undefined for rewards in any token */
  *count(owner: Uint8Array, begin: number, end: number, tokenId: number | undefined): Steps<number> {
    const shares = this.#steadyShares(owner, begin, end);
    if (!shares) {
      let count = 0;
      for (const reward of this.#inOrder(owner, begin, end)) if (tokenId === undefined || reward.tokenId === tokenId) count += 1;
      return count;
    }
    let count = 0;
    for (const share of shares) count += yield* share.count(tokenId);
    return count;
  }

  #steadyShares(owner: Uint8Array, begin: number, end: number): SteadyShare[] | undefined {
    if (!this.#shares || !equalBytes(this.#shares.owner, owner)) this.#shares = { owner, held: holdingsOf(this.#view, owner, this.#paid) };
    const blocks = { histories: this.#histories, begin, end, params: this.params };
    return this.#shares.held?.map((holding) => new SteadyShare(this.state, holding, blocks)).filter((share) => share.earns);
  }

  /** Rewards pool by pool, each from the oldest block on, which is the order in which they are credited. */
  *#inOrder(owner: Uint8Array, begin: number, end: number): Generator<Reward> {
    const scratch = new Overlay(this.#view);
    for (const pool of [...poolsOfOwner(this.#view, owner)]) {
      const since = shareHeight(this.#view, pool, owner);
      if (since === undefined || since >= end) continue;
      let firstHeight = 0;
      for (const reward of this.#ofPool(scratch, owner, pool, Math.max(since, begin), end)) {
        yield reward;
        firstHeight ||= reward.height;
        // Until Eunos the balance already includes the rewards of the block itself.
        if (isActive(this.params, 'eunos', reward.height) || reward.height !== firstHeight)
          creditOrDebit(new Accounts(scratch), owner, reward);
      }
    }
  }

  *#ofPool(scratch: Overlay, owner: Uint8Array, pool: number, begin: number, end: number): Generator<Reward> {
    const terms = termsOf(scratch, pool);
    if (!terms) return;
    const { df24 } = this.params.upgrades;
    const shares = () => balanceOf(scratch, owner, pool);
    if (begin < df24) {
      for (const run of rewardRuns(scratch, pool, begin, Math.min(end, df24), this.params)) {
        for (let height = run.begin; height < run.end; height++) {
          for (const payment of paymentsOf(run, shares(), terms, this.params)) yield { ...payment, owner, pool, height };
        }
      }
    }
    for (let height = Math.max(begin, df24); height < end; height++) {
      for (const payment of earnedBetween(scratch, pool, shares(), height - 1, height + 1)) yield { ...payment, owner, pool, height };
    }
  }
}

/** Share and the rewards counted so far: those of the blocks of `share`. */
interface CountedHolding {
  readonly holding: Holding;
  counted: { readonly share: SteadyShare; readonly count: number } | undefined;
}

/** Owners whose counts are kept during a call. */
const MAX_OWNERS = 10_000;

/**
 * Numbers of rewards up to the tip for the shares that owners have there, for calls that ask for many ranges of the same owners. Each
 * reward is counted once if the ranges of an owner begin at descending heights.
 */
export class TipRewardCounts {
  readonly #paid: PaidTokens;
  readonly #histories: PoolHistories;
  /** By owner; undefined for an owner whose shares change by rewards. */
  readonly #owners = new Lru<string, { readonly held: readonly CountedHolding[] | undefined }>(MAX_OWNERS);

  /** @param tokenId undefined to count rewards in any token */
  constructor(
    private readonly view: StateView,
    private readonly params: NetworkParams,
    private readonly tip: number,
    private readonly tokenId: number | undefined,
  ) {
    this.#paid = new PaidTokens(view);
    this.#histories = new KeptHistories(view);
  }

  /** Number of the rewards of the blocks from `begin` up to, but excluding, the tip. */
  *count(owner: Uint8Array, begin: number): Steps<number> {
    const { held } = this.#ofOwner(owner);
    if (!held) return yield* new PastRewards(this.view, this.params).count(owner, begin, this.tip, this.tokenId);
    let count = 0;
    for (const each of held) count += yield* this.#countHolding(each, begin);
    return count;
  }

  #ofOwner(owner: Uint8Array): { readonly held: readonly CountedHolding[] | undefined } {
    const key = toHex(owner);
    let known = this.#owners.get(key);
    if (!known) {
      const held = holdingsOf(this.view, owner, this.#paid);
      known = { held: held?.map((holding) => ({ holding, counted: undefined })) };
      this.#owners.set(key, known);
    }
    return known;
  }

  *#countHolding(known: CountedHolding, begin: number): Steps<number> {
    const from = Math.max(begin, known.holding.since);
    if (from >= this.tip) return 0;
    const { counted } = known;
    if (counted?.share.begin === from) return counted.count;
    const share = new SteadyShare(this.view, known.holding, {
      histories: this.#histories,
      begin: from,
      end: this.tip,
      params: this.params,
    });
    let count: number;
    if (counted && from < counted.share.begin && share.continues(counted.share)) {
      count = counted.count + (yield* share.count(this.tokenId, counted.share.begin));
    } else count = yield* share.count(this.tokenId);
    known.counted = { share, count };
    return count;
  }
}

import type { NetworkParams } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';
import type { Steps } from '../../util/slicer.js';
import { balanceOf } from '../accounts/columns.js';
import { type PoolTerms, poolsOfOwner, shareHeight, termsOf } from '../pools/columns.js';
import { customRewardHistory, valuesAfter } from '../pools/history-columns.js';
import { earnedBetween } from './earned.js';
import { type Payment, paymentsOf } from './payments.js';
import type { PoolHistories } from './pool-histories.js';
import { PoolPayouts } from './reward-runs.js';

/** Share of an owner in a pool. */
export interface Holding {
  readonly pool: number;
  readonly terms: PoolTerms;
  readonly shares: bigint;
  /** Height from which on the share earns. */
  readonly since: number;
}

/** Tokens that pools have ever paid, except DFI, read once for each pool. */
export class PaidTokens {
  readonly #tokens = new Map<number, ReadonlySet<number>>();

  constructor(private readonly view: StateView) {}

  of(pool: number, { tokenA, tokenB }: PoolTerms): ReadonlySet<number> {
    const known = this.#tokens.get(pool);
    if (known) return known;
    const tokens = new Set([tokenA, tokenB]);
    for (const [, custom] of valuesAfter(this.view, customRewardHistory, pool, -1)) for (const { tokenId } of custom) tokens.add(tokenId);
    this.#tokens.set(pool, tokens);
    return tokens;
  }
}

/**
 * Shares of an owner, ascending by pool.
 * @returns undefined if one of these pools pays in shares of one of them, so that the rewards of a block depend on those before it
 */
export function holdingsOf(view: StateView, owner: Uint8Array, paid: PaidTokens): Holding[] | undefined {
  const held: Holding[] = [];
  for (const pool of [...poolsOfOwner(view, owner)]) {
    const since = shareHeight(view, pool, owner);
    const terms = termsOf(view, pool);
    if (since !== undefined && terms) held.push({ pool, terms, shares: balanceOf(view, owner, pool), since });
  }
  return held.every(({ pool, terms }) => held.every((other) => !paid.of(pool, terms).has(other.pool))) ? held : undefined;
}

/** Blocks from `begin` up to, but excluding, `end`, and the histories of pools. */
interface Blocks {
  readonly histories: PoolHistories;
  readonly begin: number;
  readonly end: number;
  readonly params: NetworkParams;
}

/** Blocks whose rewards are counted in one step. */
const COUNTED_BLOCKS = 1024;

/** Equal payments of some blocks from `height` on. */
interface EqualPayments {
  readonly payments: readonly Payment[];
  readonly height: number;
  readonly blocks: number;
}

/** Share of a pool that does not change in a range of blocks. */
export class SteadyShare {
  /** First block of the range in which the share earns. */
  readonly begin: number;
  readonly #end: number;
  readonly #params: NetworkParams;
  readonly #df24: number;
  /** Payments below DF24. */
  readonly #payouts: PoolPayouts | undefined;

  constructor(
    private readonly view: StateView,
    private readonly holding: Holding,
    { histories, begin, end, params }: Blocks,
  ) {
    this.#params = params;
    this.begin = Math.max(begin, holding.since);
    this.#end = end;
    this.#df24 = params.upgrades.df24;
    const range = { histories, pool: holding.pool, begin: this.begin, end: Math.min(end, this.#df24), params };
    this.#payouts = range.begin < range.end ? new PoolPayouts(range) : undefined;
  }

  get pool(): number {
    return this.holding.pool;
  }

  /** False if the share earns nothing in the whole range. */
  get earns(): boolean {
    return this.begin < this.#end && (this.#end > this.#df24 || this.#payouts?.isEmpty === false);
  }

  /** Payments of the blocks of the range from `from` up to, but excluding, `to`, oldest first. */
  *payments(from: number, to: number): Generator<EqualPayments> {
    const { view, pool, holding } = this;
    const first = Math.max(from, this.begin);
    const last = Math.min(to, this.#end);
    const runs = first < this.#df24 ? this.#payouts?.runs(first, Math.min(last, this.#df24)) : undefined;
    for (const run of runs ?? []) {
      yield { payments: paymentsOf(run, holding.shares, holding.terms, this.#params), height: run.begin, blocks: run.end - run.begin };
    }
    for (let height = Math.max(first, this.#df24); height < last; height++) {
      yield { payments: earnedBetween(view, pool, holding.shares, height - 1, height + 1), height, blocks: 1 };
    }
  }

  /** Number of payments of the blocks up to, but excluding, `to`. @param tokenId undefined for payments in any token */
  *count(tokenId: number | undefined, to = this.#end): Steps<number> {
    let count = 0;
    for (let bottom = this.begin; bottom < to; bottom += COUNTED_BLOCKS) {
      for (const { payments, blocks } of this.payments(bottom, Math.min(to, bottom + COUNTED_BLOCKS))) {
        for (const payment of payments) if (tokenId === undefined || payment.tokenId === tokenId) count += blocks;
      }
      yield;
    }
    return count;
  }

  /** True if this range, which begins earlier but ends where `later` ends, gives the payments of `later` for the blocks of that one. */
  continues(later: SteadyShare): boolean {
    if (!this.#payouts || !later.#payouts) return true;
    return this.#payouts.continues(later.#payouts);
  }
}

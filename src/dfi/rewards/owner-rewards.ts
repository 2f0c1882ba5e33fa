import type { NetworkParams } from '../../params/network.js';
import type { WritableView } from '../../storage/view.js';
import { INT64_MAX } from '../../util/numbers.js';
import { Accounts, materialisedHeights } from '../accounts/columns.js';
import type { HeightContext } from '../kernel/block-context.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { type PoolTerms, poolsOfOwner, shareHeight, termsOf } from '../pools/columns.js';
import { earnedBetween } from './earned.js';
import { type Payment, paymentsOf } from './payments.js';
import { type RewardRun, rewardRuns } from './reward-runs.js';

/**
 * Materialises the pool rewards of an owner up to a height and adds the owner to the list of accounts. Must be called before a rule
 * changes a balance. The account history does not include these rewards.
 * @see docs/protocol/accounts.md 5.1, docs/protocol/defi.md 2.9
 */
export function materialiseRewards(view: WritableView, owner: Uint8Array, at: HeightContext): void {
  materialiseRecordedRewards(new Accounts(view), owner, at);
}

/** Like {@link materialiseRewards}, for the few rules whose record in the account history includes these rewards. */
export function materialiseRecordedRewards(accounts: Accounts, owner: Uint8Array, at: HeightContext): void {
  const { view } = accounts;
  const materialised = view.get(materialisedHeights, owner) ?? 0;
  if (materialised >= at.height) return;
  for (const pool of [...poolsOfOwner(view, owner)]) {
    const since = shareHeight(view, pool, owner);
    if (since !== undefined && since < at.height) materialisePool(accounts, owner, pool, Math.max(since, materialised), at);
  }
  view.put(materialisedHeights, owner, at.height);
}

function materialisePool(accounts: Accounts, owner: Uint8Array, pool: number, begin: number, { height, params }: HeightContext): void {
  const { view } = accounts;
  const terms = termsOf(view, pool);
  if (!terms) return;
  const { df24 } = params.upgrades;
  if (begin < df24) payRuns(accounts, owner, { pool, terms }, rewardRuns(view, pool, begin, Math.min(height, df24), params), params);
  if (height < df24) return;
  const since = begin < df24 ? df24 - 1 : begin - 1;
  for (const payment of earnedBetween(view, pool, accounts.balance(owner, pool), since, height)) payReward(accounts, owner, payment);
}

interface OfPool {
  readonly pool: number;
  readonly terms: PoolTerms;
}

/** Pays a run as a whole, or block by block if its blocks differ: if a pool pays in its own shares, or a balance overflows. */
function payRuns(accounts: Accounts, owner: Uint8Array, { pool, terms }: OfPool, runs: Iterable<RewardRun>, params: NetworkParams): void {
  let shares = accounts.balance(owner, pool);
  const sums = new Sums(accounts, owner);
  for (const run of runs) {
    const payments = paymentsOf(run, shares, terms, params);
    if (!payments.some(({ tokenId }) => tokenId === pool) && sums.add(payments, run.end - run.begin)) continue;
    sums.flush();
    for (let height = run.begin; height < run.end; height++) {
      for (const payment of paymentsOf(run, shares, terms, params)) payReward(accounts, owner, payment);
      shares = accounts.balance(owner, pool);
    }
  }
  sums.flush();
}

/** Payments that are not yet added to an owner's balances. */
class Sums {
  /** By token: the sum of payments, and the largest sum that the balance can accept. */
  readonly #tokens = new Map<number, { sum: bigint; readonly room: bigint }>();

  constructor(
    private readonly accounts: Accounts,
    private readonly owner: Uint8Array,
  ) {}

  /** Adds the payments of a number of blocks. @returns false, without any change, if a balance would overflow */
  add(payments: readonly Payment[], blocks: number): boolean {
    const times = BigInt(blocks);
    for (const [i, payment] of payments.entries()) {
      const { amount } = payment;
      if (amount < 0n) continue;
      const token = this.#token(payment.tokenId);
      const sum = token.sum + amount * times;
      if (sum > token.room) {
        for (const done of payments.slice(0, i)) if (done.amount > 0n) this.#token(done.tokenId).sum -= done.amount * times;
        return false;
      }
      token.sum = sum;
    }
    return true;
  }

  flush(): void {
    for (const [tokenId, { sum }] of this.#tokens) creditOrDebit(this.accounts, this.owner, { tokenId, amount: sum });
    this.#tokens.clear();
  }

  #token(tokenId: number): { sum: bigint; readonly room: bigint } {
    let token = this.#tokens.get(tokenId);
    if (!token) {
      token = { sum: 0n, room: INT64_MAX - this.accounts.balance(this.owner, tokenId) };
      this.#tokens.set(tokenId, token);
    }
    return token;
  }
}

/** Amounts beyond 63 bits are cut to their lowest 64, which may read as negative: such payments are dropped. */
function payReward(accounts: Accounts, owner: Uint8Array, payment: Payment): void {
  if (payment.amount > 0n) creditOrDebit(accounts, owner, payment);
}

/** Adds to a balance, or subtracts if negative; a balance that would overflow or is too small stays unchanged. */
export function creditOrDebit(accounts: Accounts, owner: Uint8Array, { tokenId, amount }: Pick<Payment, 'tokenId' | 'amount'>): void {
  ignoreRejection(() => {
    if (amount < 0n) accounts.sub(owner, { tokenId, amount: -amount });
    else accounts.add(owner, { tokenId, amount });
  });
}

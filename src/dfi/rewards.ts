import type { NetworkParams } from '../params/network.js';
import type { StateView, WritableView } from '../storage/view.js';
import { earnedBetween } from './pools/earned.js';
import { type Payment, paymentsOf } from './pools/payments.js';
import { type RewardRun, rewardRuns } from './pools/reward-runs.js';
import { TxRejected } from './rejected.js';
import { Accounts, balanceOf, settledHeights } from './state/accounts.js';
import { type PoolTerms, poolsOfOwner, shareHeight, termsOf } from './state/pools.js';

/** Up to where rewards are settled: what the block of `height` itself pays is not included. */
export interface SettledAt {
  readonly height: number;
  readonly params: NetworkParams;
}

/**
 * Brings the pool rewards of an owner up to a height, which also makes it one of the listed accounts. Called before a rule changes
 * a balance; the account history does not show it.
 * @see spec: accounts 5.1, defi 2.9
 */
export function settleRewards(view: WritableView, owner: Uint8Array, at: SettledAt): void {
  const settled = view.get(settledHeights, owner) ?? 0;
  if (settled >= at.height) return;
  for (const pool of [...poolsOfOwner(view, owner)]) {
    const since = shareHeight(view, pool, owner);
    if (since !== undefined && since < at.height) settlePool(view, owner, pool, Math.max(since, settled), at);
  }
  view.put(settledHeights, owner, at.height);
}

function settlePool(view: WritableView, owner: Uint8Array, pool: number, begin: number, { height, params }: SettledAt): void {
  const terms = termsOf(view, pool);
  if (!terms) return;
  const { df24 } = params.upgrades;
  if (begin < df24) settleRuns(view, owner, { pool, terms }, rewardRuns(view, pool, begin, Math.min(height, df24), params), params);
  if (height < df24) return;
  const since = begin < df24 ? df24 - 1 : begin - 1;
  for (const payment of earnedBetween(view, pool, balanceOf(view, owner, pool), since, height)) payTo(view, owner, payment);
}

interface OfPool {
  readonly pool: number;
  readonly terms: PoolTerms;
}

/** Sums of payments by token that are not in the balance yet. */
type Sums = Map<number, bigint>;

const MAX_BALANCE = 0x7fff_ffff_ffff_ffffn;

/** Each run at once; block by block only where blocks of a run differ: a pool pays in its own shares, or a balance has no room. */
function settleRuns(
  view: WritableView,
  owner: Uint8Array,
  { pool, terms }: OfPool,
  runs: Iterable<RewardRun>,
  params: NetworkParams,
): void {
  let shares = balanceOf(view, owner, pool);
  const sums: Sums = new Map();
  for (const run of runs) {
    const payments = paymentsOf(run, shares, terms, params);
    if (!payments.some(({ tokenId }) => tokenId === pool) && addRun(view, owner, sums, payments, BigInt(run.end - run.begin))) continue;
    flush(view, owner, sums);
    for (let height = run.begin; height < run.end; height++) {
      for (const payment of paymentsOf(run, shares, terms, params)) payTo(view, owner, payment);
      shares = balanceOf(view, owner, pool);
    }
  }
  flush(view, owner, sums);
}

/** @returns false, with nothing done, if some payment would not find room */
function addRun(view: StateView, owner: Uint8Array, sums: Sums, payments: readonly Payment[], blocks: bigint): boolean {
  const added: Sums = new Map();
  for (const { tokenId, amount } of payments) {
    // The reference makes such amounts of impossible shares; no balance takes them.
    if (amount < 0n) continue;
    const sum = (added.get(tokenId) ?? sums.get(tokenId) ?? 0n) + amount * blocks;
    added.set(tokenId, sum);
  }
  for (const [tokenId, sum] of added) if (sum > MAX_BALANCE - balanceOf(view, owner, tokenId)) return false;
  for (const [tokenId, sum] of added) sums.set(tokenId, sum);
  return true;
}

function flush(view: WritableView, owner: Uint8Array, sums: Sums): void {
  for (const [tokenId, amount] of sums) payTo(view, owner, { tokenId, amount });
  sums.clear();
}

/** Adds to a balance, or takes from it; one that has no room, or too little, stays as it is. */
export function payTo(view: WritableView, owner: Uint8Array, { tokenId, amount }: Pick<Payment, 'tokenId' | 'amount'>): void {
  try {
    const accounts = new Accounts(view);
    if (amount < 0n) accounts.sub(owner, { tokenId, amount: -amount });
    else accounts.add(owner, { tokenId, amount });
  } catch (error) {
    if (!(error instanceof TxRejected)) throw error;
  }
}

import { isActive } from '../../params/network.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { Accounts, balanceOf, materialisedHeights } from '../accounts/columns.js';
import { type CommunityAccount, subCommunityBalance } from '../accounts/community-columns.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { type Balances, equalBalances } from '../kernel/amounts.js';
import { divide } from '../kernel/math.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { type PoolPair, poolIds, poolOf, providersOf, putSwapEntry } from '../pools/columns.js';
import { type EarnedPerShare, earnedPerShare, earnedUpTo, type SwapEntry, swapHistory } from '../pools/history-columns.js';
import { rewardsOf, setCustomRewards } from '../pools/reward-columns.js';
import { PER_SHARE_PRECISION } from './earned.js';
import { materialiseRewards } from './owner-rewards.js';
import { paymentsOf } from './payments.js';

/** Sums that a block charges to the community accounts, in satoshis of DFI. */
interface Distributed {
  coinbase: bigint;
  loan: bigint;
}

/** A pool and what it pays in a block. */
interface PoolPayout {
  readonly id: number;
  readonly pool: PoolPair;
  /** Undefined if no swap used the pool in this block. */
  readonly swap: SwapEntry | undefined;
  /** Satoshis of DFI per block. */
  readonly reward: bigint;
  readonly loanReward: bigint;
  /** Custom rewards that the owner can afford in this block. */
  readonly custom: Balances;
}

/**
 * Pays pool rewards. Before Eunos every provider is paid in each block. From Eunos on a provider's rewards are materialised when its
 * balance is touched, and this event only charges their sum to the community accounts and pool owners.
 * @see docs/protocol/defi.md 2.8
 */
export const poolRewards: BlockEvent = {
  name: 'pool rewards',
  isDue: () => true,
  run(context) {
    const { view, height, params } = context;
    const distributed: Distributed = { coinbase: 0n, loan: 0n };
    for (const id of [...poolIds(view)]) payPool(context, id, distributed);
    chargeCommunity(context, 'incentive', distributed.coinbase);
    if (isActive(params, 'fortCanning', height)) chargeCommunity(context, 'loan', distributed.loan);
  },
};

function payPool(context: BlockEventContext, id: number, distributed: Distributed): void {
  const { view, height, params } = context;
  const pool = poolOf(view, id);
  if (!pool) return;
  const custom = isActive(params, 'clarkeQuay', height) ? affordableRewards(context, id, pool) : [];
  if (pool.totalLiquidity === 0n) return;
  const entry = view.get(swapHistory, { pool: id, height });
  const { reward, loanReward } = rewardsOf(view, id);
  const payout: PoolPayout = { id, pool, swap: entry?.swapped ? entry : undefined, reward, loanReward, custom };
  const left = isActive(params, 'eunos', height) ? payLater(context, payout, distributed) : payNow(context, payout, distributed);
  if (payout.swap) putSwapEntry(view, id, height + 1, { swapped: false, ...left });
}

/** Custom rewards that the pool's owner can pay in this block; the others are suspended until its balance suffices. */
function affordableRewards(context: BlockEventContext, id: number, { owner, rewards }: PoolPair): Balances {
  const { view, height } = context;
  const custom = rewards.filter(({ tokenId, amount }) => {
    materialiseRewards(view, owner, context);
    return balanceOf(view, owner, tokenId) >= amount;
  });
  if (!equalBalances(custom, rewardsOf(view, id).custom)) setCustomRewards(view, id, height, custom);
  return custom;
}

interface Commissions {
  readonly commissionA: bigint;
  readonly commissionB: bigint;
}

const NO_COMMISSIONS: Commissions = { commissionA: 0n, commissionB: 0n };

/** From Eunos on. @returns commissions that remain for the next block */
function payLater(context: BlockEventContext, payout: PoolPayout, distributed: Distributed): Commissions {
  const { view, height, params } = context;
  distributed.coinbase += payout.reward;
  distributed.loan += payout.loanReward;
  const accounts = new Accounts(view);
  for (const amount of payout.custom) ignoreRejection(() => accounts.move(payout.pool.owner, EMPTY_BYTES, amount));
  if (isActive(params, 'df24', height)) view.put(earnedPerShare, { pool: payout.id, height }, earnedWith(context, payout));
  return NO_COMMISSIONS;
}

/** Rewards per share up to and including this block. */
function earnedWith({ view, height }: BlockEventContext, payout: PoolPayout): EarnedPerShare {
  const { id, pool, swap, reward, loanReward, custom } = payout;
  const before = earnedUpTo(view, id, height - 1);
  const grown = (earned: bigint, amount: bigint) =>
    BigInt.asUintN(256, earned + divide(BigInt.asUintN(64, amount) * PER_SHARE_PRECISION, pool.totalLiquidity));
  const byToken = new Map(before.custom.map(({ tokenId, amount }) => [tokenId, amount]));
  for (const { tokenId, amount } of custom) byToken.set(tokenId, grown(byToken.get(tokenId) ?? 0n, amount));
  return {
    ...before,
    coinbase: grown(before.coinbase, reward),
    loan: grown(before.loan, loanReward),
    ...(swap && {
      tokenA: pool.tokenA,
      tokenB: pool.tokenB,
      commissionA: grown(before.commissionA, swap.commissionA),
      commissionB: grown(before.commissionB, swap.commissionB),
    }),
    custom: [...byToken].sort(([a], [b]) => a - b).map(([tokenId, amount]) => ({ tokenId, amount })),
  };
}

/** Before Eunos. @returns commissions that remain for the next block: rounding, and amounts that overflowed a balance */
function payNow(context: BlockEventContext, { id, pool, swap, reward, custom }: PoolPayout, distributed: Distributed): Commissions {
  const { view, height, params } = context;
  const { commissionA, commissionB } = swap ?? NO_COMMISSIONS;
  if (!swap && reward === 0n && custom.length === 0) return NO_COMMISSIONS;
  const accounts = new Accounts(view);
  const run = {
    begin: height,
    end: height + 1,
    totalLiquidity: pool.totalLiquidity,
    reward,
    loanReward: 0n,
    custom,
    commissionA,
    commissionB,
  };
  let [leftA, leftB] = [commissionA, commissionB];
  for (const provider of [...providersOf(view, id)]) {
    materialiseRewards(view, provider, context);
    const shares = balanceOf(view, provider, id);
    // `defid` transfers commissions and the reward also if they are 0.
    let isPaid = swap !== undefined || reward !== 0n;
    for (const { kind, ...amount } of payInOrder(paymentsOf(run, shares, pool, params))) {
      const paid = ignoreRejection(() => {
        accounts.move(kind === 'custom' ? pool.owner : EMPTY_BYTES, provider, amount);
        isPaid = true;
      });
      if (!paid) continue;
      if (kind === 'coinbase') distributed.coinbase += amount.amount;
      if (kind === 'commission' && amount.tokenId === pool.tokenA) leftA -= amount.amount;
      if (kind === 'commission' && amount.tokenId === pool.tokenB) leftB -= amount.amount;
    }
    if (isPaid && provider.length > 0) view.put(materialisedHeights, provider, height + 1);
  }
  return { commissionA: leftA, commissionB: leftB };
}

/** Commissions first, in contrast to the order of materialised rewards. */
function payInOrder<T extends { readonly kind: string }>(payments: readonly T[]): T[] {
  return [...payments.filter(({ kind }) => kind === 'commission'), ...payments.filter(({ kind }) => kind !== 'commission')];
}

function chargeCommunity({ view }: BlockEventContext, account: CommunityAccount, amount: bigint): void {
  ignoreRejection(() => subCommunityBalance(view, account, amount));
}

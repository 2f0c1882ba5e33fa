import { MAX_CONFIRM_TARGET } from '../../mempool/fee-estimator.js';
import { formatAmount } from '../../primitives/amount.js';
import type { Wallet } from '../wallet.js';

export type EstimateMode = 'UNSET' | 'ECONOMICAL' | 'CONSERVATIVE';

/** What a caller says about the fee of a transaction. Rates in satoshis per 1,000 virtual bytes. */
export interface FeeOptions {
  readonly feeRate?: bigint | undefined;
  /** Take the rate as it is, however low. */
  readonly isVerbatim?: boolean;
  /** Blocks. */
  readonly confirmTarget?: number | undefined;
  readonly estimateMode?: EstimateMode;
  /** The transaction will say that it may be replaced: a low estimate can be made good. */
  readonly replaceable?: boolean | undefined;
}

/** A rate, and whether nothing better than a guess was to be had. */
export interface ChosenRate {
  readonly rate: bigint;
  readonly isFallback: boolean;
}

/** @see docs/protocol/wallet.md 2.10 */
export function chooseFeeRate(wallet: Wallet, wish: FeeOptions): ChosenRate {
  const { settings } = wallet.deps;
  if (wish.feeRate !== undefined && wish.isVerbatim) return { rate: wish.feeRate, isFallback: false };
  if (wish.feeRate !== undefined) return atLeast(wallet, wish.feeRate);
  if (wish.confirmTarget === undefined && wallet.payFeeRate > 0n) return atLeast(wallet, wallet.payFeeRate);
  const estimated = estimate(wallet, wish.confirmTarget ?? settings.confirmTarget, isConservative(wish));
  if (estimated !== undefined) return atLeast(wallet, larger(estimated, wallet.deps.mempool.minimumFeeRate()));
  if (settings.fallbackFeeRate === 0n) return { rate: 0n, isFallback: true };
  return { ...atLeast(wallet, larger(settings.fallbackFeeRate, wallet.deps.mempool.minimumFeeRate())), isFallback: true };
}

function isConservative({ estimateMode = 'UNSET', replaceable = false }: FeeOptions): boolean {
  if (estimateMode === 'UNSET') return !replaceable;
  return estimateMode === 'CONSERVATIVE';
}

function atLeast(wallet: Wallet, rate: bigint): ChosenRate {
  return { rate: larger(rate, leastFeeRate(wallet)), isFallback: false };
}

/** No transaction of the wallet pays less, unless a caller insists. */
export function leastFeeRate({ deps: { settings, mempool } }: Wallet): bigint {
  return larger(settings.minFeeRate, mempool.policy.minRelayFeeRate);
}

/** Undefined where too little is known; fees that do not decide the order of blocks tell nothing. */
function estimate({ deps: { mempool, feesDecide } }: Wallet, target: number, conservative: boolean): bigint | undefined {
  return feesDecide ? mempool.feeEstimator.estimate(target, conservative).rate : undefined;
}

/** Change that would cost more than this to spend is given to the fee. */
export function discardFeeRate(wallet: Wallet): bigint {
  const { settings, mempool } = wallet.deps;
  const estimated = estimate(wallet, MAX_CONFIRM_TARGET, false);
  const rate = estimated !== undefined && estimated < settings.discardFeeRate ? estimated : settings.discardFeeRate;
  return larger(rate, mempool.policy.dustRelayFeeRate);
}

/** What an input costs when there is no hurry. */
export function longTermFeeRate(wallet: Wallet, wish: FeeOptions): bigint {
  return chooseFeeRate(wallet, { ...wish, confirmTarget: MAX_CONFIRM_TARGET }).rate;
}

/** A fee with as many decimals as it needs, and at least two. */
export function formatFee(fee: bigint): string {
  return formatAmount(fee).replace(/0{1,6}$/, '');
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

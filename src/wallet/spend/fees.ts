import { MAX_CONFIRM_TARGET } from '../../mempool/fee-estimator.js';
import { formatAmount } from '../../primitives/amount.js';
import type { Wallet } from '../wallet.js';

export type EstimateMode = 'UNSET' | 'ECONOMICAL' | 'CONSERVATIVE';

/** Options for the fee of a transaction. Rates in satoshis per 1,000 virtual bytes. */
export interface FeeOptions {
  readonly feeRate?: bigint | undefined;
  /** Use `feeRate` even if it is below the minimum. */
  readonly isVerbatim?: boolean;
  /** Blocks within which the transaction should confirm. */
  readonly confirmTarget?: number | undefined;
  readonly estimateMode?: EstimateMode;
  /** The transaction signals replaceability (BIP125), so its fee can be raised later: an economical estimate is used. */
  readonly replaceable?: boolean | undefined;
}

export interface ChosenRate {
  /** Satoshis per 1,000 virtual bytes. */
  readonly rate: bigint;
  /** No rate was given and none could be estimated. */
  readonly isFallback: boolean;
}

/** Fee rate from the options, `settxfee`, the estimator or `-fallbackfee`, in this order. @see docs/protocol/wallet.md 2.10 */
export function chooseFeeRate(wallet: Wallet, options: FeeOptions): ChosenRate {
  const { settings } = wallet.deps;
  if (options.feeRate !== undefined && options.isVerbatim) return { rate: options.feeRate, isFallback: false };
  if (options.feeRate !== undefined) return atLeast(wallet, options.feeRate);
  if (options.confirmTarget === undefined && wallet.payFeeRate > 0n) return atLeast(wallet, wallet.payFeeRate);
  const estimated = estimate(wallet, options.confirmTarget ?? settings.confirmTarget, isConservative(options));
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

/** Minimum rate of the wallet's transactions, unless the client sets a lower one with `isVerbatim`. */
export function leastFeeRate({ deps: { settings, mempool } }: Wallet): bigint {
  return larger(settings.minFeeRate, mempool.policy.minRelayFeeRate);
}

/** Undefined with too little data, or if fees do not decide the order of transactions in blocks. */
function estimate({ deps: { mempool, feesDecide } }: Wallet, target: number, conservative: boolean): bigint | undefined {
  return feesDecide ? mempool.feeEstimator.estimate(target, conservative).rate : undefined;
}

/** Rate at which change that costs more to spend than it is worth is added to the fee. */
export function discardFeeRate(wallet: Wallet): bigint {
  const { settings, mempool } = wallet.deps;
  const estimated = estimate(wallet, MAX_CONFIRM_TARGET, false);
  const rate = estimated !== undefined && estimated < settings.discardFeeRate ? estimated : settings.discardFeeRate;
  return larger(rate, mempool.policy.dustRelayFeeRate);
}

/** Rate for an input that is spent without urgency, whatever the options of the present transaction say. */
export function longTermFeeRate(wallet: Wallet): bigint {
  return chooseFeeRate(wallet, { confirmTarget: MAX_CONFIRM_TARGET, replaceable: wallet.deps.settings.replaceable }).rate;
}

/** Decimal of a fee with at least two places, as `FormatMoney` of `defid` prints it. */
export function formatFee(fee: bigint): string {
  return formatAmount(fee).replace(/0{1,6}$/, '');
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

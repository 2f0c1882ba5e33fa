import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletSettings } from '../../../../src/wallet/options.js';
import {
  chooseFeeRate,
  discardFeeRate,
  type FeeOptions,
  formatFee,
  leastFeeRate,
  longTermFeeRate,
} from '../../../../src/wallet/spend/fees.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';
import { defaultWalletSettings } from '../../../rpc/wallet/wallet-node.js';

interface Model {
  readonly settings?: Partial<WalletSettings>;
  readonly payFeeRate?: bigint;
  /** Minimum rate of the mempool. */
  readonly minimum?: bigint;
  readonly minRelayFeeRate?: bigint;
  readonly feesDecide?: boolean;
  /** The estimate, which the tests make depend on both arguments. */
  readonly estimate?: (target: number, conservative: boolean) => bigint | undefined;
}

function walletOf({ settings, payFeeRate = 0n, minimum = 1_000n, minRelayFeeRate = 1_000n, feesDecide = true, estimate }: Model): Wallet {
  const mempool = {
    policy: { minRelayFeeRate, dustRelayFeeRate: 3_000n },
    minimumFeeRate: () => minimum,
    feeEstimator: { estimate: (target: number, conservative: boolean) => ({ rate: estimate?.(target, conservative) }) },
  };
  return { payFeeRate, deps: { settings: { ...defaultWalletSettings, ...settings }, mempool, feesDecide } } as unknown as Wallet;
}

/** 10,006 for an economical estimate for 6 blocks, 20,006 for a conservative one. */
const byArguments = (target: number, conservative: boolean) => BigInt(target) + (conservative ? 20_000n : 10_000n);

function rateOf(model: Model, options: FeeOptions = {}): bigint {
  const { rate, isFallback } = chooseFeeRate(walletOf(model), options);
  assert.equal(isFallback, false);
  return rate;
}

test('a given rate is raised to the minimum of wallet and mempool, unless it is used verbatim', () => {
  const high = { payFeeRate: 50_000n, minimum: 60_000n, estimate: byArguments };
  assert.equal(rateOf(high, { feeRate: 999n }), 1_000n);
  assert.equal(rateOf(high, { feeRate: 1_001n, confirmTarget: 2 }), 1_001n);
  assert.equal(rateOf({ ...high, settings: { minFeeRate: 2_000n } }, { feeRate: 1_001n }), 2_000n);
  assert.equal(rateOf({ ...high, minRelayFeeRate: 3_000n }, { feeRate: 1_001n }), 3_000n);
  assert.equal(rateOf(high, { feeRate: 0n, isVerbatim: true }), 0n);
  // Without a rate there is nothing to use verbatim.
  assert.equal(rateOf(high, { isVerbatim: true }), 50_000n);
  assert.equal(leastFeeRate(walletOf({ settings: { minFeeRate: 2_000n }, minRelayFeeRate: 3_000n })), 3_000n);
});

test('the rate of settxfee comes before the estimate for -txconfirmtarget, and after one for a given target', () => {
  const model = { payFeeRate: 1n, estimate: byArguments };
  assert.equal(rateOf(model), 1_000n);
  assert.equal(rateOf({ ...model, payFeeRate: 7_000n }), 7_000n);
  assert.equal(rateOf({ ...model, payFeeRate: 7_000n }, { confirmTarget: 3 }), 20_003n);
  assert.equal(rateOf({ ...model, payFeeRate: 0n }), 20_006n);
  assert.equal(rateOf({ ...model, payFeeRate: 0n, settings: { confirmTarget: 9 } }), 20_009n);
});

test('an estimate is conservative unless the transaction signals replaceability or a mode is given', () => {
  const model = { estimate: byArguments };
  assert.equal(rateOf(model, { replaceable: true }), 10_006n);
  assert.equal(rateOf(model, { estimateMode: 'UNSET' }), 20_006n);
  assert.equal(rateOf(model, { estimateMode: 'ECONOMICAL' }), 10_006n);
  assert.equal(rateOf(model, { estimateMode: 'CONSERVATIVE', replaceable: true }), 20_006n);
});

test('an estimate is raised to the minimum of the mempool and of the wallet', () => {
  assert.equal(rateOf({ estimate: () => 1_500n, minimum: 7_000n }), 7_000n);
  assert.equal(rateOf({ estimate: () => 7_001n, minimum: 7_000n }), 7_001n);
  assert.equal(rateOf({ estimate: () => 500n, minimum: 600n }), 1_000n);
});

test('without an estimate the fallback rate is used, also if fees do not decide; 0 disables it', () => {
  const fallback = (model: Model) => chooseFeeRate(walletOf(model), {});
  assert.deepEqual(fallback({}), { rate: 20_000n, isFallback: true });
  assert.deepEqual(fallback({ minimum: 30_000n }), { rate: 30_000n, isFallback: true });
  assert.deepEqual(fallback({ estimate: byArguments, feesDecide: false }), { rate: 20_000n, isFallback: true });
  assert.deepEqual(fallback({ settings: { fallbackFeeRate: 1n }, minimum: 0n }), { rate: 1_000n, isFallback: true });
  assert.deepEqual(fallback({ settings: { fallbackFeeRate: 0n } }), { rate: 0n, isFallback: true });
});

test('the discard rate is the economical estimate for 1,008 blocks, between the dust relay rate and -discardfee', () => {
  const discard = (estimate: bigint | undefined) => discardFeeRate(walletOf({ estimate: () => estimate }));
  assert.equal(discard(undefined), 10_000n);
  assert.equal(discard(10_001n), 10_000n);
  assert.equal(discard(9_999n), 9_999n);
  assert.equal(discard(2_999n), 3_000n);
  assert.equal(discardFeeRate(walletOf({ estimate: byArguments, settings: { discardFeeRate: 100_000n } })), 11_008n);
  assert.equal(discardFeeRate(walletOf({ settings: { discardFeeRate: 0n } })), 3_000n);
});

test('the long-term rate is the one for 1,008 blocks, which only -walletrbf makes economical', () => {
  assert.equal(longTermFeeRate(walletOf({ estimate: byArguments, payFeeRate: 5_000n })), 21_008n);
  assert.equal(longTermFeeRate(walletOf({ estimate: byArguments, settings: { replaceable: true } })), 11_008n);
});

test('fees are printed with at least two decimals', () => {
  const texts = [0n, 1n, 10n, 1_230_000n, 10_000_000n, 1_000_000_000n].map(formatFee);
  assert.deepEqual(texts, ['0.00', '0.00000001', '0.0000001', '0.0123', '0.10', '10.00']);
});

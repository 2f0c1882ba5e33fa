import { COIN } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import { formatHash } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import type { Balances, TokenAmount } from '../kernel/amounts.js';
import type { ReadContext } from '../kernel/block-context.js';
import { multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { getCollateralToken, getLoanToken } from '../loan-tokens/columns.js';
import type { PricePair } from '../oracles/columns.js';
import { findFixedPrice, isLive, type PriceChoice, requireValue } from '../oracles/fixed-prices.js';
import { getToken } from '../tokens/columns.js';
import { collateralOf, getVault } from '../vaults/columns.js';
import { loansOf } from './columns.js';
import { interestRate, totalInterest } from './interest.js';

/** Value of a vault's collateral and loans, in satoshis of a dollar. Sums are unsigned 64 bit numbers. */
export interface VaultAssets {
  readonly totalCollaterals: bigint;
  readonly totalLoans: bigint;
  /** Value of each collateral before its factor; ascending by token. */
  readonly collaterals: Balances;
  /** Value of each loan including interest; ascending by token. */
  readonly loans: Balances;
}

/**
 * Values a vault at active or next prices.
 * @param collateral current or intended collateral of the vault
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.7
 */
export function vaultAssets(context: ReadContext, vaultId: Hash256, collateral: Balances, choice: PriceChoice): VaultAssets {
  const vault = getVault(context.view, vaultId);
  if (!vault) throw new TxRejected(`Cannot find existing vault with id ${formatHash(vaultId)}`);
  if (vault.isUnderLiquidation) throw new TxRejected('Vault is under liquidation');
  const loans = (loansOf(context.view, vaultId) ?? []).map((loan) => loanValue(context, vaultId, loan, choice));
  const totalLoans = sumUnsigned(loans, 'Exceeded maximum loans');
  const collaterals = collateral.map((held) => collateralValue(context, held, choice));
  return {
    totalLoans,
    loans,
    totalCollaterals: sumUnsigned(
      collaterals.map(({ counted }) => ({ amount: counted })),
      'Exceeded maximum collateral',
    ),
    collaterals: collaterals.map(({ tokenId, amount }) => ({ tokenId, amount })),
  };
}

function loanValue(context: ReadContext, vaultId: Hash256, { tokenId, amount }: TokenAmount, choice: PriceChoice): TokenAmount {
  const { view, height } = context;
  const token = getLoanToken(view, tokenId);
  if (!token) throw new TxRejected(`Loan token with id (${tokenId}) does not exist!`);
  const rate = interestRate(view, { vaultId, tokenId }, context);
  if (!rate) throw new TxRejected(`Cannot get interest rate for token (${getToken(view, tokenId)?.symbol ?? ''})!`);
  if (height < rate.height) throw new TxRejected('Trying to read loans in the past');
  const owed = amount + totalInterest(rate, context);
  return { tokenId, amount: requireValue(view, owed < 0n ? 0n : owed, token.pair, choice) };
}

interface CollateralValue extends TokenAmount {
  /** Value after the collateral factor. */
  readonly counted: bigint;
}

function collateralValue({ view, height }: ReadContext, { tokenId, amount }: TokenAmount, choice: PriceChoice): CollateralValue {
  const token = getCollateralToken(view, tokenId, height);
  if (!token) throw new TxRejected(`Collateral token with id (${tokenId}) does not exist!`);
  const value = requireValue(view, amount, token.pair, choice);
  return { tokenId, amount: value, counted: multiplyAmounts(token.factor, value) };
}

/** @throws {TxRejected} with `message` if the sum does not fit 64 bits */
export function sumUnsigned(values: readonly { readonly amount: bigint }[], message: string): bigint {
  let sum = 0n;
  for (const { amount } of values) {
    const next = BigInt.asUintN(64, sum + amount);
    if (next < sum) throw new TxRejected(message);
    sum = next;
  }
  return sum;
}

const MAX_RATIO = 0xffffffff;

/** Collateral in percent of the loans, rounded half up; 4294967295 without loans. @see docs/protocol/defi.md 3.7 */
export function collateralRatio(assets: Pick<VaultAssets, 'totalCollaterals' | 'totalLoans'>): number {
  if (assets.totalLoans === 0n) return MAX_RATIO;
  const ratio = (Number(assets.totalCollaterals) / Number(assets.totalLoans)) * 100;
  return ratio > MAX_RATIO ? MAX_RATIO : roundHalfUp(ratio);
}

function roundHalfUp(value: number): number {
  const whole = Math.trunc(value);
  return value - whole >= 0.5 ? whole + 1 : whole;
}

const HIGHEST_PRECISE_RATIO = Number(0x7fff_ffff_ffff_ffffn / (COIN * 100n));

/** Collateral in percent of the loans, scaled by COIN, rounded down; -COIN without loans or if it is too large. */
export function preciseRatio({ totalCollaterals, totalLoans }: Pick<VaultAssets, 'totalCollaterals' | 'totalLoans'>): bigint {
  if (totalLoans === 0n) return -COIN;
  const ratio = Number(totalCollaterals) / Number(totalLoans);
  return ratio > HIGHEST_PRECISE_RATIO ? -COIN : BigInt(Math.trunc(ratio * 1e10));
}

/** True if every token of the vault's collateral and loans has a live price. */
export function areVaultPricesValid({ view, height }: ReadContext, vaultId: Hash256): boolean {
  const collaterals = (collateralOf(view, vaultId) ?? []).map(({ tokenId }) => getCollateralToken(view, tokenId, height)?.pair);
  const loans = (loansOf(view, vaultId) ?? []).map(({ tokenId }) => getLoanToken(view, tokenId)?.pair);
  return [...collaterals, ...loans].every((pair) => pair !== undefined && hasLivePrice(view, pair));
}

function hasLivePrice(view: StateView, pair: PricePair): boolean {
  const price = findFixedPrice(view, pair);
  return price !== undefined && isLive(view, price);
}

import type { NetworkParams } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import { CachingView } from '../../storage/caching-view.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { addToLive, liveKey, storedTotals } from '../attributes/live-totals.js';
import type { BlockEventContext } from '../context/block-event.js';
import { governedNumber } from '../governance/governed-columns.js';
import { BalanceSum, type Balances, toBalances } from '../kernel/amounts.js';
import type { ReadContext } from '../kernel/block-context.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';
import { isRejection, unlessRejected } from '../kernel/rejected.js';
import { loansOf, subLoan } from '../loans/columns.js';
import { ALL_INTEREST, decreaseInterest, interestRate, totalInterest } from '../loans/interest.js';
import { collateralRatio, type VaultAssets, vaultAssets } from '../loans/ratio.js';
import { getLoanScheme } from '../loans/scheme-columns.js';
import { countNegativeInterest, subEconomy } from '../loans/totals.js';
import { ACTIVE_PRICE } from '../oracles/fixed-prices.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { collateralOf, getVault, putVault, subCollateral, type Vault, vaultCollaterals } from '../vaults/columns.js';
import { alarmedVaults, resetAlarms } from './alarms.js';
import { type BatchParts, divideIntoBatches } from './batches.js';
import { type AuctionBatch, openAuction } from './columns.js';
import { recordSnapshot } from './vault-snapshots.js';

/** Default of the part of the loan that the first bid must add to it, scaled by COIN. */
const DEFAULT_PENALTY = 5_000_000n;
/** Informational total: amounts of batches beyond the debt, from rounding. */
const ROUNDING_EXCESS = liveKey('batch_rounding_excess');
const CHECK_SECONDS = 900;
const AUCTION_SECONDS = 21_600;

/** A vault whose collateral ratio is below that of its scheme. */
interface DueVault {
  readonly vaultId: Hash256;
  readonly vault: Vault;
  readonly held: Balances;
  readonly assets: VaultAssets;
}

/**
 * Liquidates vaults whose collateral ratio is too low: moves their collateral to an auction. All vaults are checked before the first one
 * changes, except those that cannot have become liquidatable. A vault without live prices is skipped.
 * @see docs/protocol/defi.md 3.13
 */
export function liquidateVaults(context: BlockEventContext): void {
  const { view, height, params } = context;
  if (height % Math.floor(CHECK_SECONDS / params.pos.targetSpacing) !== 0) return;
  // Vaults share few tokens, so values read from the view are cached for all of them.
  const cached = { view: new CachingView(view), height, params };
  const alarmed = alarmedVaults(context);
  const due = [...(alarmed ? collateralsOf(view, alarmed) : view.entries(vaultCollaterals))].flatMap(
    ([vaultId, held]) => dueVault(cached, vaultId, held) ?? [],
  );
  for (const vault of due) liquidate(context, vault);
  // Liquidated vaults follow with the other changes of the block.
  for (const vaultId of alarmed ?? []) resetAlarms(context, vaultId);
}

function* collateralsOf(view: StateView, vaultIds: readonly Hash256[]): Generator<readonly [Hash256, Balances]> {
  for (const vaultId of vaultIds) {
    const held = collateralOf(view, vaultId);
    if (held) yield [vaultId, held];
  }
}

function dueVault(context: ReadContext, vaultId: Hash256, held: Balances): DueVault | undefined {
  const vault = getVault(context.view, vaultId);
  const scheme = vault && getLoanScheme(context.view, vault.scheme);
  const assets = assetsOf(context, vaultId, held);
  if (!vault || !scheme || !assets || scheme.ratio <= collateralRatio(assets)) return undefined;
  return { vaultId, vault, held, assets };
}

function assetsOf(context: ReadContext, vaultId: Hash256, held: Balances): VaultAssets | undefined {
  return unlessRejected(() => vaultAssets(context, vaultId, held, ACTIVE_PRICE), isRejection);
}

/** Blocks from the liquidation of a vault to the end of its auction. */
export function auctionLength({ pos }: Pick<NetworkParams, 'pos'>): number {
  return Math.floor(AUCTION_SECONDS / pos.targetSpacing);
}

function liquidate(context: BlockEventContext, { vaultId, vault, held, assets }: DueVault): void {
  const { view, height, params } = context;
  putVault(view, vaultId, { ...vault, isUnderLiquidation: true });
  const owed = removeLoans(context, vaultId, vault);
  for (const amount of held) subCollateral(context, vaultId, amount);
  const batches = divideIntoBatches(assets, held, toBalances(owed.loans)).map((parts) => withInterest(parts, owed));
  const penalty = governedNumber(view, 'liquidationPenalty') ?? DEFAULT_PENALTY;
  openAuction(view, { height: height + auctionLength(params), vaultId }, penalty, batches);
  countExcess(view, batches, owed);
  recordSnapshot(context, vaultId, collateralRatio(assets));
}

/** Debt of a vault at its liquidation, by token, ascending. */
interface Owed {
  /** Loans including interest of either sign, without those that negative interest exceeds. */
  readonly loans: ReadonlyMap<number, bigint>;
  /** Positive interest only. */
  readonly interest: ReadonlyMap<number, bigint>;
}

/** Removes all loans of a vault. */
function removeLoans(context: BlockEventContext, vaultId: Hash256, { scheme }: Vault): Owed {
  const loans = new Map<number, bigint>();
  const interest = new Map<number, bigint>();
  for (const loan of loansOf(context.view, vaultId) ?? []) {
    const { tokenId, amount } = loan;
    const key = { vaultId, tokenId };
    const rate = interestRate(context.view, key, context);
    if (!rate) continue;
    const due = totalInterest(rate, context);
    if (due > 0n) interest.set(tokenId, due);
    subLoan(context, vaultId, loan);
    if (tokenBySymbol(context.view, 'DUSD')?.id === tokenId) subEconomy(context.view, 'loans', loan);
    const takesAll = due < 0n || (due === 0n && rate.perBlock.negative);
    decreaseInterest(context, key, { scheme, loan: amount, interest: takesAll ? ALL_INTEREST : due });
    if (due < 0n) countNegativeInterest(context, { tokenId, amount: amount > -due ? -due : amount });
    if (amount + due >= 0n) loans.set(tokenId, amount + due);
  }
  return { loans, interest };
}

/** Batch with the part of its loan that is interest. */
function withInterest(parts: BatchParts, { loans, interest }: Owed): AuctionBatch {
  const { tokenId, amount } = parts.loan;
  const total = interest.get(tokenId) ?? 0n;
  if (total === 0n) return { ...parts, loanInterest: 0n };
  return { ...parts, loanInterest: multiplyAmounts(divideAmounts(amount, loans.get(tokenId) ?? 0n), total) };
}

/** Adds the difference between the batches and the debt, caused by rounding parts up, to an informational total. */
function countExcess(view: WritableView, batches: readonly AuctionBatch[], { loans, interest }: Owed): void {
  const excess = new BalanceSum();
  for (const [tokenId, amount] of loans) {
    const own = batches.filter(({ loan }) => loan.tokenId === tokenId);
    const asked = own.reduce((sum, { loan, loanInterest }) => sum + loan.amount - loanInterest, 0n);
    const principal = amount - (interest.get(tokenId) ?? 0n);
    if (asked > principal) excess.add({ tokenId, amount: asked - principal });
  }
  if (excess.list().length > 0) addToLive(storedTotals(view), ROUNDING_EXCESS, excess.list());
}

import { balanceOf } from '../accounts/columns.js';
import { amountOf } from '../kernel/keyed-balances.js';
import { TxRejected } from '../kernel/rejected.js';
import { type LoanKey, loanAmounts, loansOf } from '../loans/columns.js';
import { requirePrice } from '../oracles/fixed-prices.js';
import { poolOf } from '../pools/columns.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken } from '../tokens/columns.js';
import { collateralOf, getVault, listVaults } from '../vaults/columns.js';
import { affectedByRestart, idsOf } from './affected.js';
import type { RestartContext } from './context.js';
import { payFromBalance, payFromCollateral } from './payback.js';
import { type DollarPrices, payWithSwappedCollateral } from './swap-collateral.js';

/**
 * Pays back all loans: DUSD loans from DUSD collateral, then from the balances of the owners, from DUSD collateral, and at last from other
 * collateral swapped to DUSD.
 * @throws {TxRejected} if a loan remains
 * @throws {ArithmeticError}
 * @see docs/protocol/defi.md 9.7
 */
export function closeLoans(context: RestartContext): void {
  const { view } = context;
  payDollarsWithDollars(context);
  payFromOwners(context);
  const used = payFromDollars(context);
  const { prices, failure } = dollarPrices(context);
  const gateways = gatewayCollaterals(context, used);
  for (const tokenId of gateways) payWithSwappedCollateral(context, tokenId, prices);
  const rest = usedCollaterals(context);
  for (const tokenId of rest) payWithSwappedCollateral(context, tokenId, prices);
  // In `defid` the result of a later swap overwrites that of the missing price, which then goes unnoticed.
  if (failure && gateways.length === 0 && rest.size === 0) throw failure;
  for (const [vaultId] of listVaults(view)) {
    if (loansOf(view, vaultId)) throw new TxRejected('Error in Loan payback, still open loans left');
  }
}

function payDollarsWithDollars(context: RestartContext): void {
  const { view, dollar } = context;
  for (const [vaultId] of [...listVaults(view)]) {
    const held = amountOf(collateralOf(view, vaultId), dollar);
    if (held === 0n || amountOf(loansOf(view, vaultId), dollar) === 0n) continue;
    payFromCollateral(context, { vaultId, tokenId: dollar }, held);
  }
}

/** All loans, by vault, then by token. */
function allLoans({ view }: RestartContext): readonly LoanKey[] {
  return [...view.entries(loanAmounts)].flatMap(([vaultId, loans]) => loans.map(({ tokenId }) => ({ vaultId, tokenId })));
}

function payFromOwners(context: RestartContext): void {
  const { view } = context;
  const owned = allLoans(context).flatMap((key) => {
    const owner = getVault(view, key.vaultId)?.owner;
    return owner ? [{ key, owner }] : [];
  });
  for (const { owner } of owned) materialiseRewards(view, owner, context);
  for (const { key, owner } of owned) {
    const balance = balanceOf(view, owner, key.tokenId);
    if (balance > 0n) payFromBalance(context, key, balance);
  }
}

/** Pays loans from DUSD collateral, as it was before the first payment. @returns ids of the collateral tokens of all vaults with loans */
function payFromDollars(context: RestartContext): ReadonlySet<number> {
  const { view, dollar } = context;
  const used = usedCollaterals(context);
  const offers = allLoans(context).map((key) => ({ key, held: amountOf(collateralOf(view, key.vaultId), dollar) }));
  for (const { key, held } of offers) if (held > 0n) payFromCollateral(context, key, held);
  return used;
}

/** Ids of the collateral tokens of all vaults with loans, ascending. */
function usedCollaterals({ view }: RestartContext): ReadonlySet<number> {
  const ids = [...view.entries(loanAmounts)].flatMap(([vaultId]) => (collateralOf(view, vaultId) ?? []).map(({ tokenId }) => tokenId));
  return new Set(ids.sort((a, b) => a - b));
}

/** Prices of the loan tokens. */
interface KnownPrices {
  readonly prices: DollarPrices;
  /** Rejection for the last of the missing prices. */
  readonly failure: TxRejected | undefined;
}

function dollarPrices({ view }: RestartContext): KnownPrices {
  const prices = new Map<number, bigint>();
  let failure: TxRejected | undefined;
  for (const id of idsOf(affectedByRestart(view), 'token')) {
    try {
      prices.set(id, requirePrice(view, { token: getToken(view, id)?.symbol ?? '', currency: 'USD' }));
    } catch (error) {
      if (!(error instanceof TxRejected)) throw error;
      failure = error;
    }
  }
  return { prices, failure };
}

/** Ids of collateral tokens that have a pool with DUSD, the one with most DUSD first. */
function gatewayCollaterals({ view, dollar }: RestartContext, used: ReadonlySet<number>): readonly number[] {
  const gateways = idsOf(affectedByRestart(view), 'pool').flatMap((id) => {
    const pool = poolOf(view, id);
    if (!pool || (pool.tokenA !== dollar && pool.tokenB !== dollar)) return [];
    const [tokenId, dollars] = pool.tokenA === dollar ? [pool.tokenB, pool.reserveA] : [pool.tokenA, pool.reserveB];
    return used.has(tokenId) ? [{ tokenId, dollars }] : [];
  });
  return gateways.sort((a, b) => Number(b.dollars > a.dollars) - Number(b.dollars < a.dollars)).map(({ tokenId }) => tokenId);
}

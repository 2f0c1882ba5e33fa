import { COIN } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import { Accounts, balanceOf } from '../accounts/columns.js';
import { CONTRACT } from '../kernel/contract-addresses.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';
import { amountOf } from '../kernel/keyed-balances.js';
import { divideAmounts, multiplyAmounts, multiplyDivide } from '../kernel/math.js';
import { ignoreRejection, TxRejected } from '../kernel/rejected.js';
import { loanAmounts } from '../loans/columns.js';
import { interestRate, totalInterest } from '../loans/interest.js';
import { type IdentifiedPool, poolByTokens } from '../pools/columns.js';
import { dexFees } from '../pools/fees.js';
import { noMaxPrice, swapTokens } from '../pools/swap.js';
import { addCollateral, collateralOf, subCollateral } from '../vaults/columns.js';
import { type RestartContext, recordVaultChange } from './context.js';
import { payFromCollateral } from './payback.js';
import { collateralToSwap, estimateRate, type SwapLeg, type SwapShare } from './swap-estimate.js';

/** USD price of loan tokens in satoshis, by token id; tokens without a live price are missing. */
export type DollarPrices = ReadonlyMap<number, bigint>;

/** Vault with loans and with the collateral to swap. */
interface IndebtedVault extends SwapShare {
  readonly vaultId: Hash256;
  /** DUSD needed for each loan, in satoshis, ascending by token id. */
  readonly loans: readonly { readonly tokenId: number; readonly needed: bigint }[];
}

const DFI = 0;

/**
 * Swaps one collateral token of all vaults with loans to DUSD, in a single swap so that all vaults get the same price, and pays the loans
 * with it. DUSD that remain in a vault are burnt.
 * @throws {TxRejected} @throws {ArithmeticError}
 * @see docs/protocol/defi.md 9.7
 */
export function payWithSwappedCollateral(context: RestartContext, tokenId: number, prices: DollarPrices): void {
  const { view } = context;
  const vaults = indebtedVaults(context, tokenId, prices);
  if (vaults.every(({ needed }) => needed === 0n)) return;
  const path = pathToDollar(context, tokenId);
  const rate = estimateRate(legsOf(context, tokenId, path), vaults);
  const given = vaults.map((vault) => ({ vault, amount: collateralToSwap(rate, vault) }));
  for (const { vault, amount } of given) moveToContract(context, vault.vaultId, { tokenId, amount });
  const total = given.reduce((sum, { amount }) => sum + amount, 0n);
  if (total === 0n) return;
  swapAtContract(context, { tokenId, amount: total }, path);
  const dollars = balanceOf(view, CONTRACT.tokenLock, context.dollar);
  for (const { vault, amount } of given) {
    payVault(context, vault, { tokenId, amount }, multiplyDivide(dollars, amount, total));
  }
}

interface Amount {
  readonly tokenId: number;
  readonly amount: bigint;
}

function indebtedVaults(context: RestartContext, tokenId: number, prices: DollarPrices): readonly IndebtedVault[] {
  const { view } = context;
  const found: IndebtedVault[] = [];
  for (const [vaultId, owed] of view.entries(loanAmounts)) {
    const held = amountOf(collateralOf(view, vaultId), tokenId);
    if (held === 0n) continue;
    const loans = owed.map((loan) => ({ tokenId: loan.tokenId, needed: dollarsFor(context, vaultId, loan, prices) }));
    found.push({ vaultId, held, loans, needed: loans.reduce((sum, { needed }) => sum + needed, 0n) });
  }
  return found;
}

/** Satoshis of DUSD for a loan with its interest. Computed for one satoshi more if rounding would leave a rest of the loan. */
function dollarsFor(context: RestartContext, vaultId: Hash256, { tokenId, amount }: Amount, prices: DollarPrices): bigint {
  const rate = interestRate(context.view, { vaultId, tokenId }, context);
  const owed = amount + (rate ? totalInterest(rate, context) : 0n);
  const price = prices.get(tokenId);
  // `defid` terminates here, so no chain contains this case.
  if (price === undefined) throw new TxRejected(`No live price of token ${tokenId}`);
  const dollars = multiplyAmounts(owed, price);
  return divideAmounts(dollars, price) < owed ? multiplyAmounts(owed + 1n, price) : dollars;
}

/** Pool of collateral and DUSD, or the two pools by way of DFI. @throws {TxRejected} if there are none */
function pathToDollar({ view, dollar }: RestartContext, tokenId: number): readonly IdentifiedPool[] {
  const direct = poolByTokens(view, dollar, tokenId);
  if (direct) return [direct];
  const first = poolByTokens(view, tokenId, DFI);
  const last = poolByTokens(view, DFI, dollar);
  if (!first || !last) throw new TxRejected(`No Path between collateral (${tokenId}) and DUSD`);
  return [first, last];
}

function legsOf({ view }: RestartContext, tokenId: number, path: readonly IdentifiedPool[]): readonly SwapLeg[] {
  let from = tokenId;
  return path.map(({ id, pool }) => {
    const forward = pool.tokenA === from;
    const fees = dexFees(view, id, pool, from);
    from = forward ? pool.tokenB : pool.tokenA;
    return {
      reserveIn: forward ? pool.reserveA : pool.reserveB,
      reserveOut: forward ? pool.reserveB : pool.reserveA,
      factorIn: COIN - fees.in,
      factorOut: COIN - fees.out,
      factorCommission: COIN - pool.commission,
    };
  });
}

/** Moves collateral to the contract. As in `defid` the contract is credited even if the debit fails and the vault keeps its collateral. */
function moveToContract(context: RestartContext, vaultId: Hash256, amount: Amount): void {
  ignoreRejection(() => subCollateral(context, vaultId, amount));
  ignoreRejection(() => new Accounts(context.view).add(CONTRACT.tokenLock, amount));
}

/** Swaps the contract's balance to DUSD. A failed swap keeps its changes up to the failure and leaves the loans unpaid. */
function swapAtContract(context: RestartContext, { tokenId, amount }: Amount, path: readonly IdentifiedPool[]): void {
  const contract = CONTRACT.tokenLock;
  const swap = {
    from: contract,
    to: contract,
    tokenFrom: tokenId,
    amountFrom: amount,
    tokenTo: context.dollar,
    maxPrice: noMaxPrice(context),
  };
  const ids = path.map(({ id }) => id);
  ignoreRejection(() => swapTokens(new Accounts(context.view), swap, ids, context));
}

function payVault(context: RestartContext, { vaultId, loans }: IndebtedVault, given: Amount, dollars: bigint): void {
  const { view, dollar, params } = context;
  const accounts = new Accounts(view);
  ignoreRejection(() => addCollateral(context, vaultId, { tokenId: dollar, amount: dollars }));
  ignoreRejection(() => accounts.sub(CONTRACT.tokenLock, { tokenId: dollar, amount: dollars }));
  const out = { tokenId: given.tokenId, amount: -given.amount };
  const differences = [out, { tokenId: dollar, amount: dollars }].sort((a, b) => a.tokenId - b.tokenId);
  recordVaultChange(context, categoryByte(EVENT_TYPES.tokenLock), { vaultId, differences });
  let left = dollars;
  for (const { tokenId, needed } of loans) {
    payFromCollateral(context, { vaultId, tokenId }, left);
    if (needed >= left) break;
    left -= needed;
  }
  const excess = { tokenId: dollar, amount: amountOf(collateralOf(view, vaultId), dollar) };
  if (excess.amount === 0n) return;
  ignoreRejection(() => subCollateral(context, vaultId, excess));
  ignoreRejection(() => accounts.add(params.scripts.burn, excess));
}

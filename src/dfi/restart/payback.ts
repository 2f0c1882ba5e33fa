import type { Hash256 } from '../../primitives/hash.js';
import { NULL_HASH } from '../../primitives/hash.js';
import { minBigint } from '../../util/numbers.js';
import { Accounts, balanceOf } from '../accounts/columns.js';
import { withHistory } from '../context/block-event.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { categoryByte } from '../kernel/event-types.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { getLoanToken } from '../loan-tokens/columns.js';
import type { LoanKey } from '../loans/columns.js';
import { costInOwnToken, type LoanPaid, subtractPayment, supplyReduction } from '../loans/loan-reduction.js';
import { paybackLoan, paybackWithCollateral } from '../loans/payback-transactions.js';
import { areVaultPricesValid } from '../loans/ratio.js';
import { countPayback } from '../loans/totals.js';
import { requirePrice } from '../oracles/fixed-prices.js';
import { swapToBurnable } from '../pools/swap.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken } from '../tokens/columns.js';
import { subMinted } from '../tokens/minted.js';
import { collateralOf, getVault, subCollateral, type Vault } from '../vaults/columns.js';
import { type RestartContext, recordVaultChange } from './context.js';

/** Categories of paybacks in the histories. */
const PAYBACK_LOAN = categoryByte(paybackLoan);
const PAYBACK_WITH_COLLATERAL = categoryByte(paybackWithCollateral);

/** Loan that the restart pays back. */
interface Debt extends LoanKey {
  readonly vault: Vault;
}

/**
 * Pays back a loan from the vault owner's balance in its token.
 * @param most maximum, in satoshis; the balance is the other bound
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 9.7
 */
export function payFromBalance(context: RestartContext, key: LoanKey, most: bigint): void {
  const { view, params } = context;
  const debt = requireDebt(context, key);
  const { tokenId, vaultId } = key;
  const { owner } = debt.vault;
  materialiseRewards(view, owner, context);
  const worth = minBigint(most, balanceOf(view, owner, tokenId));
  if (worth === 0n) return;
  const paid = subtractPayment(context, key, debt.vault.scheme, worth);
  subMinted(view, { tokenId, amount: supplyReduction(paid) });
  const cost = costInOwnToken(context, paid, worth);
  if (cost !== undefined) {
    withHistory(context, { category: PAYBACK_LOAN, txid: NULL_HASH }, (accounts) => accounts.sub(owner, { tokenId, amount: cost }));
    recordVaultChange(context, PAYBACK_LOAN, { vaultId, owner, differences: [{ tokenId, amount: -cost }] });
  }
  if (paid.interest <= 0n) return;
  const to = params.scripts.burn;
  swapToBurnable(new Accounts(view), { tokenId, amount: paid.interest }, { from: owner, to }, context);
}

/**
 * Pays back a loan from the vault's DUSD collateral; for loans in other tokens at the oracle price.
 * @param most maximum, in satoshis of DUSD; the collateral is the other bound
 * @throws {TxRejected} also if the vault has no collateral at all
 * @see docs/protocol/defi.md 9.7
 */
export function payFromCollateral(context: RestartContext, key: LoanKey, most: bigint): void {
  const debt = requireDebt(context, key);
  const held = collateralOf(context.view, key.vaultId);
  if (!held) throw new TxRejected('There are no collaterals in this vault');
  const own = held.find(({ tokenId }) => tokenId === context.dollar);
  if (!own) return;
  const dollars = minBigint(most, own.amount);
  if (dollars === 0n) return;
  if (key.tokenId === context.dollar) payDollars(context, debt, dollars);
  else payOther(context, debt, dollars);
}

/** Loan with its vault. @throws {TxRejected} if a price is invalid, or token or vault do not exist */
function requireDebt(context: RestartContext, key: LoanKey): Debt {
  const { view } = context;
  if (!areVaultPricesValid(context, key.vaultId)) {
    throw new TxRejected("Cannot payback loan while any of the asset's price is invalid");
  }
  if (!getLoanToken(view, key.tokenId)) throw new TxRejected(`Loan token with id (${key.tokenId}) does not exist!`);
  const vault = getVault(view, key.vaultId);
  if (!vault) throw new TxRejected('Cannot find existing vault');
  return { ...key, vault };
}

/** Pays a DUSD loan: principal is removed from the minted amount, interest is burnt. */
function payDollars(context: RestartContext, { vault, ...key }: Debt, dollars: bigint): void {
  const { view } = context;
  const { vaultId, tokenId } = key;
  const paid = subtractPayment(context, key, vault.scheme, dollars);
  subMinted(view, { tokenId, amount: supplyReduction(paid) });
  const cost = costInOwnToken(context, paid, dollars);
  if (cost !== undefined) {
    subCollateral(context, vaultId, { tokenId, amount: cost });
    recordPayback(context, { vault, ...key }, { tokenId, amount: cost }, cost);
  }
  if (paid.interest > 0n) burnCollateral(context, vaultId, { tokenId, amount: paid.interest });
}

/** Pays a loan of another token: the DUSD are burnt. */
function payOther(context: RestartContext, { vault, ...key }: Debt, dollars: bigint): void {
  const { view, dollar } = context;
  const { vaultId, tokenId } = key;
  const price = requirePrice(view, { token: getToken(view, tokenId)?.symbol ?? '', currency: 'USD' });
  const worth = divideAmounts(dollars, price);
  const paid = subtractPayment(context, key, vault.scheme, worth);
  const total = paid.principal + paid.interest;
  const cost = { tokenId: dollar, amount: worth > total ? costInDollars(total, price) : dollars };
  countPayback(view, { tokenId, amount: total }, { tokenId: dollar, amount: 0n });
  burnCollateral(context, vaultId, cost);
  recordPayback(context, { vault, ...key }, cost, paid.principal);
}

/** Satoshis of DUSD that buy `total` of the token, rounded up. */
function costInDollars(total: bigint, price: bigint): bigint {
  const cost = multiplyAmounts(total, price);
  return divideAmounts(cost, price) === total ? cost : cost + 1n;
}

function burnCollateral(context: RestartContext, vaultId: Hash256, amount: TokenAmount): void {
  subCollateral(context, vaultId, amount);
  new Accounts(context.view).add(context.params.scripts.burn, amount);
}

/** Records a payback in the history of the vault. @param principal reduction of the loan */
function recordPayback(
  context: RestartContext,
  { vault, vaultId, tokenId }: Debt,
  cost: TokenAmount,
  principal: LoanPaid['principal'],
): void {
  const minus = ({ tokenId: id, amount }: TokenAmount) => ({ tokenId: id, amount: -amount });
  recordVaultChange(context, PAYBACK_WITH_COLLATERAL, { vaultId, differences: [minus(cost)] });
  recordVaultChange(context, PAYBACK_WITH_COLLATERAL, {
    vaultId,
    owner: vault.owner,
    differences: [minus({ tokenId, amount: principal })],
  });
}

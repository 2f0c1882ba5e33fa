import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import type { TxContext } from '../context/custom-tx.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { loanSymbol } from '../loan-tokens/columns.js';
import { priceTimes, requirePrice } from '../oracles/fixed-prices.js';
import { swapToBurnable } from '../pools/swap.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken, type Token } from '../tokens/columns.js';
import { subMinted } from '../tokens/minted.js';
import type { Vault } from '../vaults/columns.js';
import { costInOwnToken, type LoanPaid, subtractPayment, supplyReduction } from './loan-reduction.js';
import { areVaultPricesValid } from './ratio.js';
import { addEconomy, countPayback } from './totals.js';

/** Loan that is repaid, and the owner who pays. */
export interface PaybackTarget {
  readonly vaultId: Hash256;
  readonly vault: Vault;
  readonly from: Uint8Array;
  readonly loanToken: number;
}

const DFI = 0;
const BURN_DUSD = attributeAt('v0/params/dfip2206a/dusd_loan_burn');

/**
 * Pays for a loan of one token with an amount of that or another token.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.10
 */
export function payBackLoan(context: TxContext, target: PaybackTarget, payment: TokenAmount): void {
  const { view, height, params } = context;
  if (payment.amount <= 0n && isActive(params, 'fortCanningGreatWorld', height)) {
    throw new TxRejected(`Valid payback amount required (input: ${payment.amount}@${payment.tokenId})`);
  }
  const token = getToken(view, payment.tokenId);
  if (!token) throw new TxRejected(`Token with id (${payment.tokenId}) does not exists`);
  const isSame = payment.tokenId === target.loanToken;
  const exchange = isSame ? undefined : requireExchange(context, target, payment, token);
  const worth = exchange?.worth ?? payment.amount;
  const { vaultId, vault, loanToken } = target;
  const paid = subtractPayment(context, { vaultId, tokenId: loanToken }, vault.scheme, worth);
  materialiseRewards(view, target.from, context);
  if (exchange) chargeOtherToken(context, target, payment, exchange, paid);
  else chargeLoanToken(context, target, worth, paid);
}

/** Exchange of another token for the loan's token. */
interface Exchange {
  /** Value of the payment, in satoshis of the loan's token. */
  readonly worth: bigint;
  /** Price of the paying token in satoshis of a dollar, after the fee. */
  readonly price: bigint;
  /** Price of the loan's token in satoshis of a dollar; undefined for DUSD. */
  readonly loanPrice: bigint | undefined;
  /** Share of the payment, scaled by COIN. */
  readonly fee: bigint;
}

/** @throws {TxRejected} if the token may not pay for the loan, or a price is missing */
function requireExchange(context: TxContext, { vaultId, loanToken }: PaybackTarget, payment: TokenAmount, { symbol }: Token): Exchange {
  const { view } = context;
  if (!areVaultPricesValid(context, vaultId)) {
    throw new TxRejected("Cannot payback loan while any of the asset's price is invalid");
  }
  const fee = requirePaybackFee(context, loanToken, payment.tokenId, symbol);
  const price = multiplyAmounts(requirePrice(view, { token: symbol, currency: 'USD' }), COIN - fee);
  const symbolOfLoan = loanSymbol(view, loanToken);
  if (symbolOfLoan === 'DUSD') return { worth: priceTimes(price, payment.amount), price, loanPrice: undefined, fee };
  const loanPrice = requirePrice(view, { token: symbolOfLoan, currency: 'USD' });
  return { worth: divideAmounts(multiplyAmounts(price, payment.amount), loanPrice), price, loanPrice, fee };
}

/** Fee as a share scaled by COIN. @throws {TxRejected} if no attribute permits the token */
function requirePaybackFee({ view }: TxContext, loanToken: number, tokenId: number, symbol: string): bigint {
  const source = storedAttributes(view);
  const isCoin = tokenId === DFI;
  const at = (coinName: string, name: string) => attributeAt(`v0/token/${loanToken}/${isCoin ? coinName : `${name}/${tokenId}`}`);
  if (!valueAs(source, at('payback_dfi', 'loan_payback'), 'bool')) {
    throw new TxRejected(`Payback of loan via ${symbol} token is not currently active`);
  }
  return valueAs(source, at('payback_dfi_fee_pct', 'loan_payback_fee_pct'), 'amount') ?? (isCoin ? COIN / 100n : 0n);
}

/** Charges the loan's own token: the principal is subtracted from the supply, the interest burnt. @throws {TxRejected} */
function chargeLoanToken(context: TxContext, { from, loanToken }: PaybackTarget, worth: bigint, paid: LoanPaid): void {
  const { view, accounts, params } = context;
  const { interest } = paid;
  subMinted(view, { tokenId: loanToken, amount: supplyReduction(paid) });
  const cost = costInOwnToken(context, paid, worth);
  if (cost !== undefined) accounts.sub(from, { tokenId: loanToken, amount: cost });
  if (interest > 0n) swapToBurnable(accounts, { tokenId: loanToken, amount: interest }, { from, to: params.scripts.burn }, context);
}

/** Charges another token: it is burnt, or swapped to a token that is burnt. @throws {TxRejected} */
function chargeOtherToken(
  context: TxContext,
  { from, loanToken }: PaybackTarget,
  payment: TokenAmount,
  exchange: Exchange,
  { principal, interest }: LoanPaid,
): void {
  const { view, accounts, params } = context;
  const { tokenId } = payment;
  const total = principal + interest;
  const taken = { tokenId, amount: exchange.worth > total ? costOf(total, exchange) : payment.amount };
  const paid = { tokenId: loanToken, amount: total };
  const fee = { tokenId, amount: multiplyAmounts(taken.amount, exchange.fee) };
  const to = params.scripts.burn;
  if (tokenId === DFI) {
    addEconomy(view, 'paidWithCoin', paid);
    addEconomy(view, 'paidWithCoin', fee);
    addEconomy(view, 'principalPaidWithCoin', { tokenId: loanToken, amount: principal });
    accounts.move(from, to, taken);
    return;
  }
  countPayback(view, paid, fee);
  const forced = !(valueAs(storedAttributes(view), BURN_DUSD, 'bool') ?? false);
  swapToBurnable(accounts, taken, { from, to, forced }, context);
}

/** Amount of the paying token for an amount of the loan's token, rounded up. */
function costOf(total: bigint, { price, loanPrice }: Exchange): bigint {
  const dollars = loanPrice === undefined ? total : multiplyAmounts(total, loanPrice);
  const cost = divideAmounts(dollars, price);
  const back = multiplyAmounts(cost, price);
  const pays = loanPrice === undefined ? back : divideAmounts(back, loanPrice);
  return pays === total ? cost : cost + 1n;
}

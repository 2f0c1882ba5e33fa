import { isActive } from '../../params/network.js';
import { struct, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import { requireAuth } from '../context/auth.js';
import { customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import { amountOf } from '../kernel/keyed-balances.js';
import { TxRejected } from '../kernel/rejected.js';
import { getLoanToken, type LoanToken } from '../loan-tokens/columns.js';
import { formatPair } from '../oracles/columns.js';
import { ACTIVE_PRICE, type FixedPrice, isLive, NEXT_PRICE, priceTimes, requireFixedPrice } from '../oracles/fixed-prices.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { addMinted } from '../tokens/minted.js';
import { collateralOf, type Vault } from '../vaults/columns.js';
import { dollarTokenId, requireCoinShare, requireOpenVault, requireRatio, requireScheme } from './checks.js';
import { addLoan, loansOf, subLoan } from './columns.js';
import { increaseInterest, interestRate, resetInterest, totalInterest } from './interest.js';
import { areVaultPricesValid, sumUnsigned, vaultAssets } from './ratio.js';
import { addEconomy, countNegativeInterest, subEconomy } from './totals.js';

export interface TakeLoan {
  readonly vaultId: Hash256;
  /** Owner that receives the tokens; empty for the vault's owner. */
  readonly to: Uint8Array;
  readonly amounts: Balances;
}

/** Mints loan tokens against the collateral of a vault. @see docs/protocol/defi.md 3.9 */
export const takeLoan = customTx<TakeLoan>({
  type: 'X',
  name: 'TakeLoan',
  since: 'fortCanning',
  pausesAtFortCanningHill: true,
  codec: struct<TakeLoan>({ vaultId: hash256, to: varBytes, amounts: balances }),
  reads: ({ vaultId }) => ({ vaults: [vaultId] }),
  apply(context, { vaultId, to, amounts }) {
    const { view } = context;
    requireShape(context);
    const vault = requireOpenVault(context, vaultId, 'take loan on vault');
    requireAuth(context, vault.owner, 'vault');
    if (!areVaultPricesValid(context, vaultId)) {
      throw new TxRejected("Cannot take loan while any of the asset's price in the vault is not live");
    }
    const collateral = collateralOf(view, vaultId);
    if (!collateral) throw new TxRejected(`Vault with id ${formatHash(vaultId)} has no collaterals`);
    lendAll(context, { vaultId, vault, to: to.length > 0 ? to : vault.owner }, amounts);
    const dollarId = dollarTokenId(view, context);
    const borrowsDollars = amounts.some(({ tokenId }) => tokenId === dollarId);
    const scheme = requireScheme(view, vault.scheme);
    for (const choice of [ACTIVE_PRICE, NEXT_PRICE]) {
      const assets = vaultAssets(context, vaultId, collateral, choice);
      requireRatio(assets, scheme);
      requireCoinShare(context, assets, scheme, borrowsDollars);
    }
  },
});

interface Borrower {
  readonly vaultId: Hash256;
  readonly vault: Vault;
  readonly to: Uint8Array;
}

function lendAll(context: TxContext, borrower: Borrower, amounts: Balances): void {
  const { view, accounts } = context;
  const before = loansOf(view, borrower.vaultId);
  const sums: { readonly active: TokenAmount[]; readonly next: TokenAmount[] } = { active: [], next: [] };
  for (const amount of amounts) {
    const token = requireLendable(context, amount);
    increaseLoan(context, borrower, amount, amountOf(before, amount.tokenId));
    const { active, next } = requireLivePrices(context, token);
    addValue(sums.active, amount, active);
    addValue(sums.next, amount, next);
    addMinted(view, amount);
    materialiseRewards(view, borrower.to, context);
    accounts.add(borrower.to, amount);
  }
}

/** @throws {TxRejected} */
function requireLendable({ view, height, params }: TxContext, { tokenId, amount }: TokenAmount): LoanToken {
  if (amount <= 0n && isActive(params, 'fortCanningGreatWorld', height)) {
    throw new TxRejected(`Valid loan amount required (input: ${amount}@${tokenId})`);
  }
  const token = getLoanToken(view, tokenId);
  if (!token) throw new TxRejected(`Loan token with id (${tokenId}) does not exist!`);
  if (!token.mintable) throw new TxRejected(`Loan cannot be taken on token with id (${tokenId}) as "mintable" is currently false`);
  return token;
}

/** Adds to the principal. Negative interest is subtracted from the new principal first, and the interest restarts at zero. */
function increaseLoan(context: TxContext, { vaultId, vault }: Borrower, { tokenId, amount }: TokenAmount, loan: bigint): void {
  const { view } = context;
  const key = { vaultId, tokenId };
  const rate = loan > 0n ? interestRate(view, key, context) : undefined;
  const interest = rate ? totalInterest(rate, context) : 0n;
  if (interest < 0n) countNegativeInterest(context, { tokenId, amount: loan > -interest ? -interest : loan });
  const change = interest >= 0n ? amount : loan > -interest ? amount + interest : amount - loan;
  const isDollar = tokenBySymbol(view, 'DUSD')?.id === tokenId;
  if (change > 0n) {
    if (isDollar) addEconomy(view, 'loans', { tokenId, amount: change });
    addLoan(view, vaultId, { tokenId, amount: change });
  } else {
    const less = { tokenId, amount: loan > -change ? -change : loan };
    if (isDollar) subEconomy(view, 'loans', less);
    subLoan(context, vaultId, less);
  }
  if (interest < 0n) resetInterest(context, key, vault.scheme);
  else increaseInterest(context, key, { scheme: vault.scheme, added: change });
}

/** @throws {TxRejected} */
function requireLivePrices({ view }: TxContext, { pair }: LoanToken): FixedPrice {
  const price = requireFixedPrice(view, pair);
  if (!isLive(view, price)) throw new TxRejected(`No live fixed prices for ${formatPair(pair)}`);
  return price;
}

/** @throws {TxRejected} if the sum of values of all loans of the message overflows */
function addValue(values: TokenAmount[], { tokenId, amount }: TokenAmount, price: bigint): void {
  values.push({ tokenId, amount: priceTimes(price, amount) });
  sumUnsigned(values, 'Exceed maximum loans');
}

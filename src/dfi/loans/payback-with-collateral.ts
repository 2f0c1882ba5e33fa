import type { Hash256 } from '../../primitives/hash.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import type { TxContext } from '../context/custom-tx.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { amountOf } from '../kernel/keyed-balances.js';
import { TxRejected } from '../kernel/rejected.js';
import { ACTIVE_PRICE } from '../oracles/fixed-prices.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { subMinted } from '../tokens/minted.js';
import { collateralOf, subCollateral, type Vault } from '../vaults/columns.js';
import { requireRatio, requireScheme } from './checks.js';
import { loansOf, subLoan } from './columns.js';
import { decreaseInterest, interestRate, resetInterest, totalInterest } from './interest.js';
import { areVaultPricesValid, vaultAssets } from './ratio.js';
import { countNegativeInterest, subEconomy } from './totals.js';

/**
 * Repays the DUSD loan of a vault with its DUSD collateral, as far as that suffices. Interest is paid first, and burnt.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 3.11
 */
export function payWithCollateral(context: TxContext, vaultId: Hash256, vault: Vault): void {
  const { view, accounts, params } = context;
  const debt = requireDollarDebt(context, vaultId);
  const { used, burnt } = debt.interest > debt.held ? payInterest(context, debt, vault) : payLoan(context, debt, vault);
  if (burnt > 0n) accounts.add(params.scripts.burn, { tokenId: debt.tokenId, amount: burnt });
  else countNegativeInterest(context, { tokenId: debt.tokenId, amount: -burnt });
  requireSound(context, vaultId, vault);
  if (used > 0n) subMinted(view, { tokenId: debt.tokenId, amount: used });
}

/** DUSD loan and collateral of a vault, amounts in satoshis. */
interface DollarDebt {
  readonly vaultId: Hash256;
  /** Token id of DUSD. */
  readonly tokenId: number;
  readonly held: bigint;
  readonly loan: bigint;
  /** Negative if interest is in the vault's favour. */
  readonly interest: bigint;
}

/** @throws {TxRejected} */
function requireDollarDebt(context: TxContext, vaultId: Hash256): DollarDebt {
  const { view } = context;
  const tokenId = tokenBySymbol(view, 'DUSD')?.id;
  if (tokenId === undefined) throw new TxRejected('Cannot find token DUSD');
  if (!valueAs(storedAttributes(view), attributeAt(`v0/token/${tokenId}/loan_payback_collateral`), 'bool')) {
    throw new TxRejected('Payback of DUSD loan with collateral is not currently active');
  }
  const collateral = collateralOf(view, vaultId);
  if (!collateral) throw new TxRejected('Vault has no collaterals');
  const held = amountOf(collateral, tokenId);
  if (held === 0n) throw new TxRejected('Vault does not have any DUSD collaterals');
  const loans = loansOf(view, vaultId);
  if (!loans) throw new TxRejected('Vault has no loans');
  const loan = amountOf(loans, tokenId);
  if (loan === 0n) throw new TxRejected('Vault does not have any DUSD loans');
  const rate = interestRate(view, { vaultId, tokenId }, context);
  if (!rate) throw new TxRejected('Cannot get interest rate for this token (DUSD)!');
  return { vaultId, tokenId, held, loan, interest: totalInterest(rate, context) };
}

interface Paid {
  /** Collateral that was spent. */
  readonly used: bigint;
  /** Interest part of it; negative if negative interest reduced the loan. */
  readonly burnt: bigint;
}

/** Case of a collateral that is smaller than the interest. */
function payInterest(context: TxContext, { vaultId, tokenId, held }: DollarDebt, { scheme }: Vault): Paid {
  subCollateral(context, vaultId, { tokenId, amount: held });
  decreaseInterest(context, { vaultId, tokenId }, { scheme, loan: 0n, interest: held });
  return { used: held, burnt: held };
}

function payLoan(context: TxContext, { vaultId, tokenId, held, loan, interest }: DollarDebt, { scheme }: Vault): Paid {
  const isEnough = loan + interest <= held;
  const paid: TokenAmount = { tokenId, amount: isEnough ? loan : held - interest };
  const used: TokenAmount = { tokenId, amount: isEnough ? loan + interest : held };
  if (paid.amount > 0n) {
    subEconomy(context.view, 'loans', paid);
    subLoan(context, vaultId, paid);
  }
  if (used.amount > 0n) subCollateral(context, vaultId, used);
  resetInterest(context, { vaultId, tokenId }, scheme);
  return { used: used.amount, burnt: interest };
}

/** Requires the remaining vault to satisfy its scheme, with valid prices. @throws {TxRejected} */
function requireSound(context: TxContext, vaultId: Hash256, vault: Vault): void {
  const { view } = context;
  const collateral = collateralOf(view, vaultId);
  if (loansOf(view, vaultId) && !collateral) throw new TxRejected('Vault cannot have loans without collaterals');
  const assets = vaultAssets(context, vaultId, collateral ?? [], ACTIVE_PRICE);
  if (!areVaultPricesValid(context, vaultId)) {
    throw new TxRejected("Cannot payback vault with non-DUSD assets while any of the asset's price is invalid");
  }
  requireRatio(assets, requireScheme(view, vault.scheme));
}

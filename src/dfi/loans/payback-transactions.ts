import { isActive } from '../../params/network.js';
import { type Codec, compactSize, struct, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { BalanceSum, type Balances, balances } from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { getLoanToken } from '../loan-tokens/columns.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { collateralOf, getVault, type Vault } from '../vaults/columns.js';
import { requireOpenVault } from './checks.js';
import { payWithCollateral } from './payback-with-collateral.js';
import { payBackLoan } from './payment.js';
import { areVaultPricesValid } from './ratio.js';

/** Amounts that are paid for the loans of one token. */
export interface LoanPayments {
  readonly loanToken: number;
  readonly paid: Balances;
}

/** Count, then token id as VARINT and amounts; ascending by token. Of equal tokens the first is used. */
const loanPayments: Codec<readonly LoanPayments[]> = {
  write(w, values) {
    compactSize.write(w, values.length);
    for (const { loanToken, paid } of values) {
      varInt32.write(w, loanToken);
      balances.write(w, paid);
    }
  },
  read(r) {
    const found = new Map<number, Balances>();
    for (let left = compactSize.read(r); left > 0; left--) {
      const loanToken = varInt32.read(r);
      const paid = balances.read(r);
      if (!found.has(loanToken)) found.set(loanToken, paid);
    }
    return inOrder(found);
  },
};

function inOrder(found: ReadonlyMap<number, Balances>): readonly LoanPayments[] {
  return [...found].sort(([a], [b]) => a - b).map(([loanToken, paid]) => ({ loanToken, paid }));
}

/** Script of the payer, and satoshis of each token that it pays with. */
export interface PaybackLoan {
  readonly vaultId: Hash256;
  readonly from: Uint8Array;
  readonly amounts: Balances;
}

const DFI = 0;

/** First version of a payback: a token pays for loans of itself, DFI for loans of DUSD. @see docs/protocol/defi.md 3.10 */
export const paybackLoan = customTx<PaybackLoan>({
  type: 'H',
  name: 'PaybackLoan',
  since: 'fortCanning',
  pausesAtFortCanningHill: true,
  codec: struct<PaybackLoan>({ vaultId: hash256, from: varBytes, amounts: balances }),
  reads: ({ vaultId, from, amounts }) => ({ vaults: [vaultId], balances: amounts.map(({ tokenId }) => ({ owner: from, tokenId })) }),
  apply(context, { vaultId, from, amounts }) {
    const sums = new Map<number, BalanceSum>();
    for (const amount of amounts) {
      const loanToken = amount.tokenId === DFI ? requireDollar(context) : amount.tokenId;
      const sum = sums.get(loanToken) ?? new BalanceSum();
      sums.set(loanToken, sum);
      sum.addOrZero(amount);
    }
    payBack(context, { vaultId, from, loans: inOrder(new Map([...sums].map(([id, sum]) => [id, sum.list()]))) });
  },
});

/** @throws {TxRejected} */
function requireDollar({ view }: TxContext): number {
  const dollar = tokenBySymbol(view, 'DUSD');
  if (!dollar) throw new TxRejected('Loan token DUSD does not exist!');
  return dollar.id;
}

/** Script of the payer, and the payments for each loan. */
export interface PaybackLoanV2 {
  readonly vaultId: Hash256;
  readonly from: Uint8Array;
  readonly loans: readonly LoanPayments[];
}

/** Second version of a payback: any token that an attribute permits pays for a loan. @see docs/protocol/defi.md 3.10 */
export const paybackLoanV2 = customTx<PaybackLoanV2>({
  type: 'k',
  name: 'PaybackLoan',
  since: 'fortCanningRoad',
  codec: struct<PaybackLoanV2>({ vaultId: hash256, from: varBytes, loans: loanPayments }),
  reads: ({ vaultId }) => ({ vaults: [vaultId] }),
  apply: payBack,
});

function payBack(context: TxContext, { vaultId, from, loans }: PaybackLoanV2): void {
  const { view, height, params } = context;
  requireShape(context);
  const vault = requireVaultOfLoans(context, vaultId);
  requireAuth(context, from, 'token');
  if (!isActive(params, 'fortCanningRoad', height) && !areVaultPricesValid(context, vaultId)) {
    throw new TxRejected("Cannot payback loan while any of the asset's price is invalid");
  }
  if (isActive(params, 'fortCanningEpilogue', height) && asksForCollateral(context, loans)) {
    payWithCollateral(context, vaultId, vault);
    return;
  }
  for (const { loanToken, paid } of loans) {
    if (!getLoanToken(view, loanToken)) throw new TxRejected(`Loan token with id (${loanToken}) does not exist!`);
    for (const payment of paid) payBackLoan(context, { vaultId, vault, from, loanToken }, payment);
  }
}

/** @throws {TxRejected} */
function requireVaultOfLoans({ view, vaultHistoryRecorder }: TxContext, vaultId: Hash256): Vault {
  if (vaultHistoryRecorder) vaultHistoryRecorder.vaultId = vaultId;
  const vault = getVault(view, vaultId);
  if (!vault) throw new TxRejected(`Cannot find existing vault with id ${formatHash(vaultId)}`);
  if (vault.isUnderLiquidation) throw new TxRejected('Cannot payback loan on vault under liquidation');
  if (!collateralOf(view, vaultId)) throw new TxRejected(`Vault with id ${formatHash(vaultId)} has no collaterals`);
  return vault;
}

/** Amount of DUSD that asks for payment with the vault's collateral. */
const PAY_WITH_COLLATERAL = 999_999_999_999_999_999n;

function asksForCollateral({ view }: TxContext, loans: readonly LoanPayments[]): boolean {
  const dollar = tokenBySymbol(view, 'DUSD')?.id;
  const [only, another] = loans;
  if (!only || another || only.loanToken !== dollar || only.paid.length !== 1) return false;
  return only.paid[0]?.tokenId === dollar && only.paid[0]?.amount === PAY_WITH_COLLATERAL;
}

export interface PaybackWithCollateral {
  readonly vaultId: Hash256;
}

/** Repays a vault's DUSD loan with its DUSD collateral. @see docs/protocol/defi.md 3.11 */
export const paybackWithCollateral = customTx<PaybackWithCollateral>({
  type: 'W',
  name: 'PaybackWithCollateral',
  since: 'fortCanningEpilogue',
  codec: struct<PaybackWithCollateral>({ vaultId: hash256 }),
  reads: ({ vaultId }) => ({ vaults: [vaultId] }),
  apply(context, { vaultId }) {
    requireShape(context);
    const vault = requireOpenVault(context, vaultId, "payback vault with collateral while vault's");
    requireAuth(context, vault.owner, 'token');
    payWithCollateral(context, vaultId, vault);
  },
});

/** Custom transactions that pay back loans. */
export const paybackTypes: readonly AnyCustomTx[] = [paybackLoan, paybackLoanV2, paybackWithCollateral];

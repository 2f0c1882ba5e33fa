import { isActive } from '../../params/network.js';
import { struct, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { ownerText } from '../../script/address.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { requireAuth } from '../context/auth.js';
import { customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { type TokenAmount, tokenAmount } from '../kernel/amounts.js';
import { mapRejection, TxRejected } from '../kernel/rejected.js';
import { loanAttributes } from '../loan-tokens/columns.js';
import { dollarTokenId, requireCoinShare, requireOpenVault, requireRatio, requireScheme } from '../loans/checks.js';
import { loansOf, subLoan } from '../loans/columns.js';
import { interestRate, resetInterest, totalInterest } from '../loans/interest.js';
import { areVaultPricesValid, vaultAssets } from '../loans/ratio.js';
import { countNegativeInterest, subEconomy } from '../loans/totals.js';
import { ACTIVE_PRICE, NEXT_PRICE } from '../oracles/fixed-prices.js';
import { materialiseRecordedRewards, materialiseRewards } from '../rewards/owner-rewards.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { addCollateral, collateralOf, subCollateral, type Vault } from './columns.js';

/** Script of the account to debit, and satoshis of the collateral token. */
export interface DepositToVault {
  readonly vaultId: Hash256;
  readonly from: Uint8Array;
  readonly amount: TokenAmount;
}

/** Moves tokens from an account to the collateral of a vault. @see docs/protocol/defi.md 3.8 */
export const depositToVault = customTx<DepositToVault>({
  type: 'S',
  name: 'DepositToVault',
  since: 'fortCanning',
  pausesAtFortCanningHill: true,
  codec: struct<DepositToVault>({ vaultId: hash256, from: varBytes, amount: tokenAmount }),
  reads: ({ vaultId, from, amount: { tokenId } }) => ({ vaults: [vaultId], balances: [{ owner: from, tokenId }] }),
  apply(context, { vaultId, from, amount }) {
    const { view } = context;
    requireShape(context);
    requireAuth(context, from, 'token');
    const vault = requireOpenVault(context, vaultId, 'deposit to vault');
    requireEnabled(context, amount.tokenId);
    materialiseRewards(view, from, context);
    debit(context, from, amount);
    addCollateral(context, vaultId, amount);
    const assets = vaultAssets(context, vaultId, collateralOf(view, vaultId) ?? [], { useNext: false, requireLive: false });
    requireRatio(assets, requireScheme(view, vault.scheme));
  },
});

/** After the conversion to attributes, a collateral token can be disabled for deposits. @throws {TxRejected} */
function requireEnabled({ view }: TxContext, tokenId: number): void {
  const keys = loanAttributes(tokenId);
  const source = storedAttributes(view);
  if (!source.get(keys.pair) || !source.get(keys.factor)) return;
  if (!valueAs(source, keys.collateralEnabled, 'bool')) throw new TxRejected(`Collateral token (${tokenId}) is disabled`);
}

function debit({ accounts, params }: TxContext, from: Uint8Array, amount: TokenAmount): void {
  mapRejection(
    () => accounts.sub(from, amount),
    ({ message }) => new TxRejected(`Insufficient funds: can't subtract balance of ${ownerText(from, params.address)}: ${message}\n`),
  );
}

/** Script of the account to credit, and satoshis of the collateral token. */
export interface WithdrawFromVault {
  readonly vaultId: Hash256;
  readonly to: Uint8Array;
  readonly amount: TokenAmount;
}

/** Moves collateral of a vault to an account. @see docs/protocol/defi.md 3.8 */
export const withdrawFromVault = customTx<WithdrawFromVault>({
  type: 'J',
  name: 'WithdrawFromVault',
  since: 'fortCanning',
  pausesAtFortCanningHill: true,
  codec: struct<WithdrawFromVault>({ vaultId: hash256, to: varBytes, amount: tokenAmount }),
  reads: ({ vaultId, to, amount: { tokenId } }) => ({ vaults: [vaultId], balances: [{ owner: to, tokenId }] }),
  apply(context, { vaultId, to, amount }) {
    const { view, accounts, height, params } = context;
    requireShape(context);
    const vault = requireOpenVault(context, vaultId, 'withdraw from vault');
    requireAuth(context, vault.owner, 'token');
    if (!areVaultPricesValid(context, vaultId)) {
      throw new TxRejected("Cannot withdraw from vault while any of the asset's price is invalid");
    }
    subCollateral(context, vaultId, amount);
    if (loansOf(view, vaultId)) requireRest(context, vaultId, vault);
    if (isActive(params, 'metachain', height)) materialiseRecordedRewards(accounts, to, context);
    accounts.add(to, amount);
  },
});

/** Requires the remaining collateral to cover the loans, after negative interest was subtracted from them. @throws {TxRejected} */
function requireRest(context: TxContext, vaultId: Hash256, vault: Vault): void {
  const { view } = context;
  const dollarId = dollarTokenId(view, context);
  const owesDollars = (loansOf(view, vaultId) ?? []).some(({ tokenId }) => tokenId === dollarId);
  useNegativeInterest(context, vaultId, vault);
  const collateral = collateralOf(view, vaultId);
  if (!collateral) throw new TxRejected('Cannot withdraw all collaterals as there are still active loans in this vault');
  const scheme = requireScheme(view, vault.scheme);
  for (const choice of [ACTIVE_PRICE, NEXT_PRICE]) {
    const assets = vaultAssets(context, vaultId, collateral, choice);
    requireRatio(assets, scheme);
    requireCoinShare(context, assets, scheme, owesDollars);
  }
}

/** Subtracts negative interest from the loans of a vault and restarts their interest. */
function useNegativeInterest(context: TxContext, vaultId: Hash256, vault: Vault): void {
  const { view } = context;
  for (const { tokenId, amount: loan } of loansOf(view, vaultId) ?? []) {
    const rate = interestRate(view, { vaultId, tokenId }, context);
    const interest = rate ? totalInterest(rate, context) : 0n;
    if (interest >= 0n) continue;
    const used = { tokenId, amount: loan > -interest ? -interest : loan };
    if (tokenBySymbol(view, 'DUSD')?.id === tokenId) subEconomy(view, 'loans', used);
    subLoan(context, vaultId, used);
    countNegativeInterest(context, used);
    resetInterest(context, { vaultId, tokenId }, vault.scheme);
  }
}

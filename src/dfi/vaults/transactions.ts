import { isActive } from '../../params/network.js';
import { formatAmount } from '../../primitives/amount.js';
import { struct, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { TxRejected } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';
import { requireOpenVault, requireRatio, requireScheme } from '../loans/checks.js';
import { deleteInterest, loansOf, subLoan } from '../loans/columns.js';
import { increaseInterest, interestRate, totalInterest } from '../loans/interest.js';
import { areVaultPricesValid, vaultAssets } from '../loans/ratio.js';
import { defaultScheme, endingSchemes } from '../loans/scheme-columns.js';
import { countNegativeInterest } from '../loans/totals.js';
import { ACTIVE_PRICE, NEXT_PRICE } from '../oracles/fixed-prices.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { depositToVault, withdrawFromVault } from './collateral-transactions.js';
import { collateralOf, deleteVault, putVault, vaultCreationFee, vaultFees } from './columns.js';

const DFI = 0;

/** Script of the owner, and id of the loan scheme. */
export interface CreateVault {
  readonly owner: Uint8Array;
  /** Empty for the default scheme. */
  readonly scheme: string;
}

/** Creates a vault for the named owner. Half of the fee is burnt, half refunded when the vault is closed. @see docs/protocol/defi.md 3.8 */
export const createVault = customTx<CreateVault>({
  type: 'V',
  name: 'Vault',
  since: 'fortCanning',
  codec: struct<CreateVault>({ owner: varBytes, scheme: byteString }),
  feeBurn: (value) => value / 2n,
  apply({ view, tx, height, params, vaultHistoryRecorder }, { owner, scheme: given }) {
    if (vaultHistoryRecorder) Object.assign(vaultHistoryRecorder, { vaultId: tx.txid, scheme: given });
    const fee = vaultCreationFee(view, params);
    const [paid] = tx.vout;
    if (paid?.value !== fee || paid.tokenId !== DFI) {
      throw new TxRejected(`Malformed tx vouts, creation vault fee is ${formatAmount(fee)} DFI`);
    }
    const scheme = given || defaultScheme(view);
    if (scheme === undefined) throw new TxRejected('There is no default loan scheme');
    requireScheme(view, scheme);
    requireLasting(view, given);
    if (isActive(params, 'df23', height)) view.put(vaultFees, tx.txid, fee);
    putVault(view, tx.txid, { owner, scheme, isUnderLiquidation: false });
  },
});

/** @throws {TxRejected} if the scheme is going to be destroyed */
function requireLasting(view: StateView, scheme: string): void {
  const end = view.get(endingSchemes, scheme);
  if (end !== undefined) throw new TxRejected(`Cannot set ${scheme} as loan scheme, set to be destroyed on block ${end}`);
}

export interface CloseVault {
  readonly vaultId: Hash256;
  /** Owner that receives the collateral and half of the fee. */
  readonly to: Uint8Array;
}

/** Closes a vault without debt. @see docs/protocol/defi.md 3.8 */
export const closeVault = customTx<CloseVault>({
  type: 'e',
  name: 'CloseVault',
  since: 'fortCanning',
  codec: struct<CloseVault>({ vaultId: hash256, to: varBytes }),
  apply(context, { vaultId, to }) {
    const { view, accounts, params } = context;
    requireShape(context);
    const vault = requireOpenVault(context, vaultId, 'close vault');
    requireAuth(context, vault.owner, 'token');
    endLoans(context, vaultId);
    materialiseRewards(view, to, context);
    accounts.addAll(to, collateralOf(view, vaultId) ?? []);
    deleteInterest(view, vaultId);
    const fee = view.get(vaultFees, vaultId) ?? params.vault.creationFee;
    accounts.add(to, { tokenId: DFI, amount: fee / 2n });
    deleteVault(view, vaultId);
  },
});

/** Deletes loans that negative interest covers. @throws {TxRejected} if another loan remains */
function endLoans(context: TxContext, vaultId: Hash256): void {
  const { view } = context;
  for (const { tokenId, amount } of loansOf(view, vaultId) ?? []) {
    const rate = interestRate(view, { vaultId, tokenId }, context);
    if (!rate) throw new TxRejected(`Cannot get interest rate for this token (${tokenId})`);
    if (amount + totalInterest(rate, context) > 0n) throw new TxRejected(`Vault <${formatHash(vaultId)}> has loans`);
    subLoan(context, vaultId, { tokenId, amount });
    countNegativeInterest(context, { tokenId, amount });
  }
}

/** A vault with its new owner and loan scheme, which may equal the present ones. */
export interface UpdateVault {
  readonly vaultId: Hash256;
  readonly owner: Uint8Array;
  readonly scheme: string;
}

/** Changes owner or scheme of a vault. @see docs/protocol/defi.md 3.8 */
export const updateVault = customTx<UpdateVault>({
  type: 'v',
  name: 'UpdateVault',
  since: 'fortCanning',
  pausesAtFortCanningHill: true,
  codec: struct<UpdateVault>({ vaultId: hash256, owner: varBytes, scheme: byteString }),
  apply(context, { vaultId, owner, scheme }) {
    const { view } = context;
    requireShape(context);
    const vault = requireOpenVault(context, vaultId, 'update vault');
    if (context.vaultHistoryRecorder) context.vaultHistoryRecorder.scheme = scheme;
    requireAuth(context, vault.owner, 'token');
    requireScheme(view, scheme);
    requireLasting(view, scheme);
    if (!areVaultPricesValid(context, vaultId)) throw new TxRejected("Cannot update vault while any of the asset's price is invalid");
    if (vault.scheme !== scheme) changeScheme(context, vaultId, scheme);
    putVault(view, vaultId, { ...vault, owner, scheme });
  },
});

/** Requires enough collateral for the new scheme. From Great World on its rate applies immediately. @throws {TxRejected} */
function changeScheme(context: TxContext, vaultId: Hash256, scheme: string): void {
  const { view, height, params } = context;
  const collateral = collateralOf(view, vaultId);
  for (const choice of collateral ? [ACTIVE_PRICE, NEXT_PRICE] : []) {
    requireRatio(vaultAssets(context, vaultId, collateral ?? [], choice), requireScheme(view, scheme));
  }
  if (!isActive(params, 'fortCanningGreatWorld', height)) return;
  for (const { tokenId } of loansOf(view, vaultId) ?? []) increaseInterest(context, { vaultId, tokenId }, { scheme, added: 0n });
}

/** Custom transactions on vaults. */
export const vaultTypes: readonly AnyCustomTx[] = [createVault, closeVault, updateVault, depositToVault, withdrawFromVault];

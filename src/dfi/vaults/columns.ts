import { isActive, type NetworkParams } from '../../params/network.js';
import { bool, encode, i64, struct, u8, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import { type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import type { WriteContext } from '../kernel/block-context.js';
import { addToBalances, subFromBalances } from '../kernel/keyed-balances.js';
import { byteString } from '../kernel/text.js';

/** Record of a vault, without collateral and loans. */
export interface Vault {
  /** Output script of the owner. */
  readonly owner: Uint8Array;
  /** Id of the loan scheme. */
  readonly scheme: string;
  /** True while the collateral is auctioned. */
  readonly isUnderLiquidation: boolean;
}

/** A vault and the script of its owner. */
export interface OwnedVault {
  readonly owner: Uint8Array;
  readonly vaultId: Hash256;
}

/** Vaults by the transaction that created them, in the order of its bytes: rules iterate in this order. */
export const vaults: Column<Hash256, Vault> = {
  name: 'dfi/vault',
  key: hash256,
  value: struct<Vault>({ owner: varBytes, scheme: byteString, isUnderLiquidation: bool }),
};

/** Vaults by owner, shorter scripts first. */
export const vaultOwners: Column<OwnedVault, number> = {
  name: 'dfi/vault-owner',
  key: struct<OwnedVault>({ owner: varBytes, vaultId: hash256 }),
  value: u8,
};

/** Collateral of vaults; a vault without collateral has no entry. Rules iterate in the order of vault ids. */
export const vaultCollaterals: Column<Hash256, Balances> = { name: 'dfi/vault-collateral', key: hash256, value: balances };

/** Creation fee of a vault in satoshis of DFI; stored for vaults created from DF23 on. */
export const vaultFees: Column<Hash256, bigint> = { name: 'dfi/vault-fee', key: hash256, value: i64 };

/** Columns of vaults, their owners, collateral and creation fees. */
export const vaultColumns: readonly AnyColumn[] = [vaults, vaultOwners, vaultCollaterals, vaultFees];

export function getVault(view: StateView, vaultId: Hash256): Vault | undefined {
  return view.get(vaults, vaultId);
}

/** Vaults in the order of their ids. */
export function* listVaults(view: StateView, from?: Hash256): Generator<readonly [vaultId: Hash256, vault: Vault]> {
  yield* view.entries(vaults, from ? { from } : {});
}

/** Vaults of one owner in the order of their ids. */
export function* vaultsOf(view: StateView, owner: Uint8Array, from?: Hash256): Generator<readonly [vaultId: Hash256, vault: Vault]> {
  const prefix = encode(varBytes, owner);
  for (const [{ vaultId }] of view.entries(vaultOwners, from ? { prefix, from: { owner, vaultId: from } } : { prefix })) {
    const vault = getVault(view, vaultId);
    if (vault) yield [vaultId, vault];
  }
}

/** Stores a new or changed vault and its index entry by owner. */
export function putVault(view: WritableView, vaultId: Hash256, vault: Vault): void {
  const before = getVault(view, vaultId);
  if (before) view.delete(vaultOwners, { owner: before.owner, vaultId });
  view.put(vaults, vaultId, vault);
  view.put(vaultOwners, { owner: vault.owner, vaultId }, 0);
}

/** Deletes a vault with its collateral and fee. */
export function deleteVault(view: WritableView, vaultId: Hash256): void {
  const vault = getVault(view, vaultId);
  if (vault) view.delete(vaultOwners, { owner: vault.owner, vaultId });
  view.delete(vaults, vaultId);
  view.delete(vaultCollaterals, vaultId);
  view.delete(vaultFees, vaultId);
}

/** Undefined for a vault without collateral. */
export function collateralOf(view: StateView, vaultId: Hash256): Balances | undefined {
  return view.get(vaultCollaterals, vaultId);
}

/** Receives each change of collateral, from which the vault history is written. `difference` is in satoshis, negative for debits. */
export interface CollateralRecorder {
  recordCollateral(vaultId: Hash256, tokenId: number, difference: bigint): void;
}

/** Context of a change of collateral. */
export interface CollateralChange extends WriteContext {
  /** Records the change for the history of vaults, as transactions do. */
  readonly vaultHistoryRecorder?: CollateralRecorder;
}

/** @throws {TxRejected} if the amount is negative or the sum overflows */
export function addCollateral({ view, vaultHistoryRecorder }: CollateralChange, vaultId: Hash256, amount: TokenAmount): void {
  addToBalances(view, vaultCollaterals, vaultId, amount);
  vaultHistoryRecorder?.recordCollateral(vaultId, amount.tokenId, amount.amount);
}

/** @throws {TxRejected} if the collateral is too small; before Metachain with the text for a vault without collateral */
export function subCollateral(
  { view, height, params, vaultHistoryRecorder }: CollateralChange,
  vaultId: Hash256,
  amount: TokenAmount,
): void {
  const absent = `Collateral for vault <${formatHash(vaultId)}> not found`;
  subFromBalances(view, vaultCollaterals, vaultId, amount, { absent, namesAmounts: isActive(params, 'metachain', height) });
  vaultHistoryRecorder?.recordCollateral(vaultId, amount.tokenId, -amount.amount);
}

const CREATION_FEE = attributeAt('v0/vaults/params/creation_fee');

/** Creation fee of a vault, in satoshis of DFI. */
export function vaultCreationFee(view: StateView, params: Pick<NetworkParams, 'vault'>): bigint {
  return valueAs(storedAttributes(view), CREATION_FEE, 'amount') ?? params.vault.creationFee;
}

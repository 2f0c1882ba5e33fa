import { isActive, type NetworkParams } from '../../params/network.js';
import { bool, encode, i64, struct, u8, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import { type Balances, balances, type TokenAmount } from '../kernel/amounts.js';
import { addToBalances, subFromBalances } from '../kernel/held-amounts.js';
import { byteString } from '../kernel/text.js';

export interface Vault {
  /** Script. */
  readonly owner: Uint8Array;
  /** Id of its loan scheme. */
  readonly scheme: string;
  /** Its collateral is being auctioned. */
  readonly isUnderLiquidation: boolean;
}

export interface OwnedVault {
  readonly owner: Uint8Array;
  readonly vaultId: Hash256;
}

/** Vaults by the transaction that made them, in the order of its bytes: rules go through them in it. */
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

/** What vaults hold; a vault that holds nothing has no entry. Rules go through them in the order of vault ids. */
export const vaultCollaterals: Column<Hash256, Balances> = { name: 'dfi/vault-collateral', key: hash256, value: balances };

/** What was paid for a vault, in satoshis of DFI: known of those made from DF23 on. */
export const vaultFees: Column<Hash256, bigint> = { name: 'dfi/vault-fee', key: hash256, value: i64 };

export const vaultColumns: readonly AnyColumn[] = [vaults, vaultOwners, vaultCollaterals, vaultFees];

export function getVault(view: StateView, vaultId: Hash256): Vault | undefined {
  return view.get(vaults, vaultId);
}

/** In the order of ids. */
export function* listVaults(view: StateView, from?: Hash256): Generator<readonly [vaultId: Hash256, vault: Vault]> {
  yield* view.entries(vaults, from ? { from } : {});
}

/** Of one owner, in the order of ids. */
export function* vaultsOf(view: StateView, owner: Uint8Array, from?: Hash256): Generator<readonly [vaultId: Hash256, vault: Vault]> {
  const prefix = encode(varBytes, owner);
  for (const [{ vaultId }] of view.entries(vaultOwners, from ? { prefix, from: { owner, vaultId: from } } : { prefix })) {
    const vault = getVault(view, vaultId);
    if (vault) yield [vaultId, vault];
  }
}

/** Stores a vault, new or changed. */
export function putVault(view: WritableView, vaultId: Hash256, vault: Vault): void {
  const before = getVault(view, vaultId);
  if (before) view.delete(vaultOwners, { owner: before.owner, vaultId });
  view.put(vaults, vaultId, vault);
  view.put(vaultOwners, { owner: vault.owner, vaultId }, 0);
}

/** Ends a vault and what it holds. */
export function deleteVault(view: WritableView, vaultId: Hash256): void {
  const vault = getVault(view, vaultId);
  if (vault) view.delete(vaultOwners, { owner: vault.owner, vaultId });
  view.delete(vaults, vaultId);
  view.delete(vaultCollaterals, vaultId);
  view.delete(vaultFees, vaultId);
}

/** Undefined for a vault that holds nothing. */
export function collateralOf(view: StateView, vaultId: Hash256): Balances | undefined {
  return view.get(vaultCollaterals, vaultId);
}

/** Told of what vaults get and lose, from which their history is written. */
export interface CollateralRecorder {
  noteCollateral(vaultId: Hash256, tokenId: number, difference: bigint): void;
}

/** Where collateral changes. */
export interface CollateralChange {
  readonly view: WritableView;
  readonly height: number;
  readonly params: NetworkParams;
  readonly collateralRecorder?: CollateralRecorder;
}

/** @throws {TxRejected} if the amount is negative or the sum too large */
export function addCollateral({ view, collateralRecorder }: CollateralChange, vaultId: Hash256, amount: TokenAmount): void {
  addToBalances(view, vaultCollaterals, vaultId, amount);
  collateralRecorder?.noteCollateral(vaultId, amount.tokenId, amount.amount);
}

/** @throws {TxRejected} if there is too little; before Metachain in words for a vault that holds nothing */
export function subCollateral({ view, height, params, collateralRecorder }: CollateralChange, vaultId: Hash256, amount: TokenAmount): void {
  const absent = `Collateral for vault <${formatHash(vaultId)}> not found`;
  subFromBalances(view, vaultCollaterals, vaultId, amount, { absent, isPrecise: isActive(params, 'metachain', height) });
  collateralRecorder?.noteCollateral(vaultId, amount.tokenId, -amount.amount);
}

const CREATION_FEE = attributeAt('v0/vaults/params/creation_fee');

/** Price of a new vault, in satoshis of DFI. */
export function vaultCreationFee(view: StateView, params: Pick<NetworkParams, 'vault'>): bigint {
  return valueAs(storedAttributes(view), CREATION_FEE, 'amount') ?? params.vault.creationFee;
}

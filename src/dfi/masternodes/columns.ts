import { isActive, type NetworkParams } from '../../params/network.js';
import { type Codec, i32, i64, struct, u8, u16, u32, u32be } from '../../primitives/codec.js';
import { type Hash160, type Hash256, hash160, hash256, isNullHash } from '../../primitives/hash.js';
import { scriptOf } from '../../script/address.js';
import type { Column, StateView, WritableView } from '../../storage/view.js';
import { EMPTY_BYTES } from '../../util/bytes.js';

/** Script type of an owner or operator key: 1 P2PKH, 4 P2WPKH, 0 none; for rewards also 2 P2SH. */
export type KeyType = number;
export const P2PKH: KeyType = 1;
export const P2SH: KeyType = 2;
export const P2WPKH: KeyType = 4;

/** Record of a masternode; heights are those of blocks. @see docs/protocol/chain.md 9.1 */
export interface Masternode {
  readonly mintedBlocks: number;
  readonly ownerKey: Hash160;
  readonly ownerType: KeyType;
  readonly operatorKey: Hash160;
  readonly operatorType: KeyType;
  readonly creationHeight: number;
  /** -1 unless it resigned. */
  readonly resignHeight: number;
  /** -1 if created before Fort Canning. */
  readonly version: number;
  readonly resignTx: Hash256;
  /** Transaction of the collateral output if the owner was updated; null hash otherwise. */
  readonly collateralTx: Hash256;
  readonly rewardKey: Hash160;
  readonly rewardType: KeyType;
}

const masternodeCodec: Codec<Masternode> = struct<Masternode>({
  mintedBlocks: u32,
  ownerKey: hash160,
  ownerType: u8,
  operatorKey: hash160,
  operatorType: u8,
  creationHeight: i32,
  resignHeight: i32,
  version: i32,
  resignTx: hash256,
  collateralTx: hash256,
  rewardKey: hash160,
  rewardType: u8,
});

/** Masternodes by id. Rules iterate them in the order of their key bytes. */
export const masternodes: Column<Hash256, Masternode> = { name: 'dfi/masternode', key: hash256, value: masternodeCodec };
/** Masternode by operator key id; an operator key belongs to one masternode at most. */
export const masternodeOperators: Column<Hash160, Hash256> = { name: 'dfi/masternode-operator', key: hash160, value: hash256 };
/** Masternode by owner key id. */
export const masternodeOwners: Column<Hash160, Hash256> = { name: 'dfi/masternode-owner', key: hash160, value: hash256 };
/** Weeks for which a collateral output is locked; no entry without a timelock. */
export const masternodeTimelocks: Column<Hash256, number> = { name: 'dfi/masternode-timelock', key: hash256, value: u16 };

/** Collateral output of an owner update: valid for this masternode from this height on. */
export interface NewCollateral {
  readonly height: number;
  readonly masternodeId: Hash256;
}
/** Collateral outputs of owner updates, by the updating transaction. */
export const newCollaterals: Column<Hash256, NewCollateral> = {
  name: 'dfi/masternode-collateral',
  key: hash256,
  value: struct<NewCollateral>({ height: u32, masternodeId: hash256 }),
};
/** Height at which a pending update of an owner's masternode takes effect, by owner key. */
export const pendingUpdates: Column<Hash160, number> = { name: 'dfi/masternode-pending', key: hash160, value: u32 };

/** Newest first: the height is stored inverted, so a search in ascending key order finds the last block at or below it. */
const descendingHeight: Codec<number> = { write: (w, v) => u32be.write(w, ~v >>> 0), read: (r) => ~u32be.read(r) >>> 0 };

/** A masternode and the height of a block that it minted. */
export interface StakerKey {
  readonly masternodeId: Hash256;
  readonly height: number;
}
/** Time of the last block of a masternode in seconds since 1970, from Dakota Crescent up to Eunos Paya. */
export const stakerTimes: Column<StakerKey, bigint> = {
  name: 'dfi/staker-time',
  key: struct<StakerKey>({ masternodeId: hash256, height: descendingHeight }),
  value: i64,
};

/** A sub-node (0 to 3) and the height of a block that it minted. */
export interface SubNodeKey {
  readonly masternodeId: Hash256;
  readonly subNode: number;
  readonly height: number;
}
/** Time of the last block of a sub-node in seconds since 1970, from Eunos Paya on. */
export const subNodeTimes: Column<SubNodeKey, bigint> = {
  name: 'dfi/subnode-time',
  key: struct<SubNodeKey>({ masternodeId: hash256, subNode: u8, height: descendingHeight }),
  value: i64,
};

/** States, with the names that `defid` prints. */
export type MasternodeState = 'PRE_ENABLED' | 'ENABLED' | 'PRE_RESIGNED' | 'RESIGNED' | 'TRANSFERRING' | 'UNKNOWN';

export interface IdentifiedMasternode {
  readonly id: Hash256;
  readonly node: Masternode;
}

export function getMasternode(view: StateView, id: Hash256): Masternode | undefined {
  return view.get(masternodes, id);
}

/** Masternode with this operator key. */
export function masternodeByOperator(view: StateView, operatorKey: Hash160): IdentifiedMasternode | undefined {
  const id = view.get(masternodeOperators, operatorKey);
  const node = id && view.get(masternodes, id);
  return id && node && { id, node };
}

/** The old delays apply before Eunos, and again on test networks from Fort Canning on. */
function usesOldDelays(height: number, params: NetworkParams): boolean {
  return !isActive(params, 'eunos', height) || (params.isTestnet && isActive(params, 'fortCanning', height));
}

/** Blocks from creation to the first block that may be minted. */
export function activationDelay(height: number, params: NetworkParams): number {
  return usesOldDelays(height, params) ? params.masternode.activationDelay : params.masternode.newActivationDelay;
}

/** Blocks from resignation to the release of the collateral. */
export function resignDelay(height: number, params: NetworkParams): number {
  return usesOldDelays(height, params) ? params.masternode.resignDelay : params.masternode.newResignDelay;
}

/** State of a masternode for a block at `height`. @see docs/protocol/chain.md 9.2 */
export function masternodeState(view: StateView, node: Masternode, height: number, params: NetworkParams): MasternodeState {
  if (height < node.creationHeight) return 'UNKNOWN';
  const collateral = isNullHash(node.collateralTx) ? undefined : view.get(newCollaterals, node.collateralTx);
  if (collateral) {
    if (height < collateral.height) return 'TRANSFERRING';
    if (height < collateral.height + activationDelay(collateral.height, params)) return 'PRE_ENABLED';
  }
  if (view.has(pendingUpdates, node.ownerKey)) return 'TRANSFERRING';
  const paya = isActive(params, 'eunosPaya', height);
  if (node.resignHeight === -1 || height < node.resignHeight) {
    const delay = activationDelay(paya ? node.creationHeight : height, params);
    return node.creationHeight === 0 || height >= node.creationHeight + delay ? 'ENABLED' : 'PRE_ENABLED';
  }
  const delay = resignDelay(paya ? node.resignHeight : height, params);
  return height < node.resignHeight + delay ? 'PRE_RESIGNED' : 'RESIGNED';
}

/** True if the masternode may mint the block at `height`. */
export function isActiveMasternode(view: StateView, node: Masternode, height: number, params: NetworkParams): boolean {
  const state = masternodeState(view, node, height, params);
  return state === 'ENABLED' || (state === 'PRE_RESIGNED' && !isActive(params, 'eunosPaya', height));
}

/** Stores a new masternode and its index entries by operator and owner key. */
export function putNewMasternode(view: WritableView, id: Hash256, node: Masternode): void {
  view.put(masternodes, id, node);
  view.put(masternodeOperators, node.operatorKey, id);
  view.put(masternodeOwners, node.ownerKey, id);
}

/** Transaction whose output 1 is the current collateral of the masternode. */
export function collateralOf(id: Hash256, { collateralTx }: Masternode): Hash256 {
  return isNullHash(collateralTx) ? id : collateralTx;
}

/** Collateral of a masternode created at `height`, in satoshis. */
export function masternodeCollateral(height: number, params: NetworkParams): bigint {
  const { collateral, collateralDakota } = params.masternode;
  return isActive(params, 'dakota', height) ? collateralDakota : collateral;
}

/** Masternode that this transaction created, or whose collateral output it holds since an update. */
export function masternodeOfCollateral(view: StateView, txid: Hash256): Masternode | undefined {
  const created = view.get(masternodes, txid);
  const moved = created ? undefined : view.get(newCollaterals, txid);
  return created ?? (moved && view.get(masternodes, moved.masternodeId));
}

/** Output script of the owner key. */
export function ownerScript({ ownerType, ownerKey }: Masternode): Uint8Array {
  return scriptOf({ type: ownerType === P2PKH ? 'pkh' : 'wpkh', hash: ownerKey });
}

/** Output script of a masternode's reward address; empty for a type that rewards cannot be paid to. */
export function rewardScript({ rewardType, rewardKey }: Masternode, allowsScriptHash: boolean): Uint8Array {
  if (rewardType === P2PKH) return scriptOf({ type: 'pkh', hash: rewardKey });
  if (rewardType === P2WPKH) return scriptOf({ type: 'wpkh', hash: rewardKey });
  return rewardType === P2SH && allowsScriptHash ? scriptOf({ type: 'sh', hash: rewardKey }) : EMPTY_BYTES;
}

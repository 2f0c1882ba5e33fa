import { isActive } from '../../params/network.js';
import { formatAmount } from '../../primitives/amount.js';
import { type Codec, list, struct, u8, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash160, type Hash256, hash256, isNullHash } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import { destinationOf } from '../../script/address.js';
import { customTxPayload } from '../../script/custom-tx.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { type Feature, isFeatureOn } from '../attributes/features.js';
import { COLLATERAL_OUTPUT, requireCollateralAuth } from '../context/auth.js';
import { customTx, decodeBody, type TxContext } from '../context/custom-tx.js';
import type { HeightContext } from '../kernel/block-context.js';
import { TxRejected } from '../kernel/rejected.js';
import {
  collateralOf,
  type KeyType,
  type Masternode,
  masternodeCollateral,
  masternodeOperators,
  masternodeOwners,
  masternodeState,
  masternodes,
  newCollaterals,
  P2PKH,
  P2SH,
  P2WPKH,
  pendingUpdates,
  resignDelay,
} from './columns.js';

/** Kinds of masternode updates. The address of an owner update is empty: output 1 holds the new owner. */
export const MasternodeUpdateType = { owner: 1, operator: 2, setReward: 3, removeReward: 4 } as const;

/** One change of a masternode, with the 20 bytes of the new address where it needs one. */
export interface MasternodeUpdate {
  /** A value of {@link MasternodeUpdateType}; the codec accepts any byte. */
  readonly updateType: number;
  readonly addressType: KeyType;
  readonly address: Uint8Array;
}

/** A masternode, by the txid of its creation, and its changes in the order in which they apply. */
export interface UpdateMasternode {
  readonly nodeId: Hash256;
  readonly updates: readonly MasternodeUpdate[];
}

const updateMasternodeBody: Codec<UpdateMasternode> = struct<UpdateMasternode>({
  nodeId: hash256,
  updates: list(struct<MasternodeUpdate>({ updateType: u8, addressType: u8, address: varBytes })),
});

const MAX_UPDATES = 3;
const KEY_SIZE = 20;

/** Changes owner, operator or reward address of a masternode. @see docs/protocol/chain.md 9.5 */
export const updateMasternode = customTx<UpdateMasternode>({
  type: 'm',
  name: 'UpdateMasternode',
  since: 'grandCentral',
  codec: updateMasternodeBody,
  apply(context, { nodeId, updates }) {
    const { view, height, params } = context;
    if (updates.length === 0) throw new TxRejected('No update arguments provided');
    if (updates.length > MAX_UPDATES) throw new TxRejected('Too many updates provided');
    const node = view.get(masternodes, nodeId);
    if (!node) throw new TxRejected(`masternode ${formatHash(nodeId)} does not exist`);
    requireCollateralAuth(context, collateralOf(nodeId, node));
    if (masternodeState(view, node, height, params) !== 'ENABLED') {
      throw new TxRejected(`Masternode ${formatHash(nodeId)} is not in 'ENABLED' state`);
    }
    const seen = new Set<string>();
    for (const update of updates) applyUpdate(context, nodeId, update, seen);
  },
});

interface Kind {
  readonly name: string;
  readonly feature: Feature;
  apply(context: TxContext, nodeId: Hash256, node: Masternode, update: MasternodeUpdate): void;
}

const REWARD = { name: 'reward address', feature: 'mn-setrewardaddress' } as const;
const KINDS: Readonly<Record<number, Kind>> = {
  [MasternodeUpdateType.owner]: { name: 'owner', feature: 'mn-setowneraddress', apply: changeOwner },
  [MasternodeUpdateType.operator]: { name: 'operator', feature: 'mn-setoperatoraddress', apply: changeOperator },
  [MasternodeUpdateType.setReward]: { ...REWARD, apply: setReward },
  [MasternodeUpdateType.removeReward]: { ...REWARD, apply: removeReward },
};

function applyUpdate(context: TxContext, nodeId: Hash256, update: MasternodeUpdate, seen: Set<string>): void {
  const kind = KINDS[update.updateType];
  if (!kind) throw new TxRejected('Unknown update type provided');
  const { name, feature } = kind;
  if (!isFeatureOn(context.view, feature)) {
    const what = name === 'reward address' ? name : `${name} address`;
    throw new TxRejected(`Updating masternode ${what} not currently enabled in attributes.`);
  }
  if (seen.has(name)) throw new TxRejected(`Multiple ${name} updates provided`);
  seen.add(name);
  kind.apply(context, nodeId, context.view.get(masternodes, nodeId) as Masternode, update);
}

function changeOwner(context: TxContext, nodeId: Hash256, node: Masternode): void {
  const { view, tx, height, params } = context;
  const before = collateralOf(nodeId, node);
  const spendsIt = tx.vin.some(({ prevout }) => prevout.vout === COLLATERAL_OUTPUT && equalBytes(prevout.txid, before));
  if (!spendsIt) throw new TxRejected('Missing previous collateral from transaction inputs');
  const output = tx.vout[COLLATERAL_OUTPUT];
  if (!output) throw new TxRejected('Missing new collateral output');
  const owner = destinationOf(output.scriptPubKey);
  const isKey = (owner?.type === 'pkh' || owner?.type === 'wpkh') && !(isActive(params, 'metachain', height) && isNullHash(owner.hash));
  if (!isKey) throw new TxRejected('Owner address must be P2PKH or P2WPKH type');
  const expected = masternodeCollateral(height, params);
  if (output.value !== expected) {
    const figures = `. Found: ${formatAmount(output.value)} Expected: ${formatAmount(expected)}`;
    throw new TxRejected(`Incorrect collateral amount${isActive(params, 'metachain', height) ? figures : ''}`);
  }
  if (isTaken(view, owner.hash)) throw new TxRejected('Masternode with collateral address as operator or owner already exists');
  requireNotPending(context, owner.hash);
  view.delete(newCollaterals, node.collateralTx);
  view.put(newCollaterals, tx.txid, { height: height + resignDelay(height, params), masternodeId: nodeId });
  view.put(masternodes, nodeId, { ...node, collateralTx: tx.txid });
}

function isTaken(view: StateView, key: Hash160): boolean {
  return view.has(masternodeOwners, key) || view.has(masternodeOperators, key);
}

function requireNotPending({ view, height, coin }: TxContext, key: Hash160): void {
  for (const [txid, pending] of view.entries(newCollaterals)) {
    if (height > pending.height) continue;
    const out = coin({ txid, vout: COLLATERAL_OUTPUT });
    const next = out && destinationOf(out.scriptPubKey);
    if ((next?.type === 'pkh' || next?.type === 'wpkh') && equalBytes(next.hash, key)) {
      throw new TxRejected('Masternode exist with that owner address pending already', { fatal: true });
    }
  }
}

function changeOperator(context: TxContext, nodeId: Hash256, node: Masternode, { addressType, address }: MasternodeUpdate): void {
  const { view } = context;
  if (addressType !== P2PKH && addressType !== P2WPKH) throw new TxRejected('Operator address must be P2PKH or P2WPKH type');
  if (address.length !== KEY_SIZE) throw new TxRejected('Updating masternode operator address is invalid');
  if (isTaken(view, address)) throw new TxRejected('Masternode with that operator address already exists');
  view.delete(masternodeOperators, node.operatorKey);
  view.put(masternodeOperators, address, nodeId);
  putPending(context, nodeId, { ...node, operatorKey: address, operatorType: addressType });
}

function setReward(context: TxContext, nodeId: Hash256, node: Masternode, { addressType, address }: MasternodeUpdate): void {
  const { params, height } = context;
  const late = isActive(params, 'metachain', height);
  const isKey = addressType === P2PKH || addressType === P2WPKH;
  if (!isKey && !(late && addressType === P2SH)) {
    throw new TxRejected(`Reward address must be ${late ? 'P2SH, P2PKH or P2WPKH' : 'P2PKH or P2WPKH'} type`);
  }
  if (address.length !== KEY_SIZE) throw new TxRejected('Updating masternode reward address is invalid');
  putPending(context, nodeId, { ...node, version: Math.max(node.version, 0), rewardKey: address, rewardType: addressType });
}

function removeReward(context: TxContext, nodeId: Hash256, node: Masternode): void {
  putPending(context, nodeId, { ...node, rewardKey: new Uint8Array(KEY_SIZE), rewardType: 0 });
}

/** Stores a masternode that cannot mint until the resign delay is over. */
function putPending({ view, height, params }: TxContext, nodeId: Hash256, node: Masternode): void {
  view.put(masternodes, nodeId, node);
  view.put(pendingUpdates, node.ownerKey, height + resignDelay(height, params));
}

/**
 * Transaction of the collateral output that an owner update in this transaction may spend although it is locked.
 * @throws {DecodeError} if the transaction is an update that cannot be decoded
 */
export function releasedByUpdate(view: StateView, tx: Transaction, { height, params }: HeightContext): Hash256 | undefined {
  // Before Grand Central such a message is rejected, which up to Dakota does not invalidate its transaction.
  const payload = isActive(params, 'grandCentral', height) ? customTxPayload(tx) : undefined;
  if (payload?.type !== 'm') return undefined;
  const { nodeId, updates } = decodeBody(updateMasternodeBody, payload.body);
  const node = updates.some(({ updateType }) => updateType === MasternodeUpdateType.owner) ? view.get(masternodes, nodeId) : undefined;
  return node && collateralOf(nodeId, node);
}

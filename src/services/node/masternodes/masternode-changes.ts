import type {
  CreateMasternodeRequest,
  CreateMasternodeResponse,
  MasternodeChanges,
  ResignMasternodeRequest,
  ResignMasternodeResponse,
  UpdateMasternodeRequest,
  UpdateMasternodeResponse,
} from '../../../../gen/ts/dfi/node/v1/masternodes.js';
import { COLLATERAL_OUTPUT } from '../../../dfi/context/auth.js';
import {
  collateralOf,
  getMasternode,
  type IdentifiedMasternode,
  type KeyType,
  type Masternode,
  masternodeCollateral,
  P2PKH,
  P2SH,
  P2WPKH,
} from '../../../dfi/masternodes/columns.js';
import { createMasternode as creation, resignMasternode as resignation } from '../../../dfi/masternodes/transactions.js';
import { type MasternodeUpdate, MasternodeUpdateType, updateMasternode as update } from '../../../dfi/masternodes/updates.js';
import { isActive } from '../../../params/network.js';
import { type Hash160, isNullHash } from '../../../primitives/hash.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { encodeDestination, scriptOf } from '../../../script/address.js';
import { EMPTY_BYTES } from '../../../util/bytes.js';
import { invalidParameter } from '../../../util/errors.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import { parseDestination } from '../../format/destination.js';
import { readInputs } from '../../format/inputs.js';
import { parseLooseHash } from '../../format/loose-hash.js';
import { keyDestination } from '../../format/masternode.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import type { NodeModules } from '../modules.js';

type Modules = Pick<NodeModules, 'wallets' | 'chain'>;

/** Timelocks in weeks, by name; any other name means no timelock. */
const TIMELOCKS: Readonly<Record<string, number>> = { FIVEYEARTIMELOCK: 260, TENYEARTIMELOCK: 520 };

/** @see docs/protocol/chain.md 9.3 */
export const createMasternode: Handler<Modules, CreateMasternodeRequest, CreateMasternodeResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'create Masternode');
  const { params, tip } = modules.chain;
  if (rawJson(request, 'owneraddress') === null) throw invalidParameter('Invalid parameters, at least argument 1 must be non-null');
  const { owneraddress: ownerText } = request;
  const operatorText = request.operatoraddress || ownerText;
  const owner = parseDestination(ownerText, modules.chain);
  const paya = isActive(params, 'eunosPaya', tip.height);
  const { timelock: name } = request;
  if (name !== undefined && !paya) throw invalidParameter('Timelock cannot be specified before EunosPaya hard fork');
  const operator = readKey(operatorText, modules);
  if (!operator) throw invalidParameter(`operatorAddress (${operatorText}) does not refer to a P2PKH or P2WPKH address`);
  const script = owner && scriptOf(owner);
  if (!script || wallet.ownershipOf(script) === Ownership.None) {
    throw invalidParameter(`Address (${owner ? encodeDestination(owner, params.address) : ''}) is not owned by the wallet`);
  }
  const timelock = paya ? (TIMELOCKS[name ?? ''] ?? 0) : undefined;
  return sendFor(wallet, call, {
    definition: creation,
    body: { operatorType: operator.type, operatorKey: operator.key, timelock },
    auths: [script],
    inputs: readInputs(request),
    burns: params.masternode.creationFee,
    outputs: [{ value: masternodeCollateral(tip.height + 1, params), scriptPubKey: script, tokenId: 0 }],
    change: owner,
  });
};

interface TypedKey {
  readonly type: KeyType;
  readonly key: Hash160;
}

/** Key that an address pays to; undefined unless it is a single key. @param orScript also accept a script hash */
function readKey(text: string, { chain }: Modules, orScript = false): TypedKey | undefined {
  const destination = parseDestination(text, chain);
  if (destination?.type === 'pkh') return { type: P2PKH, key: destination.hash };
  if (destination?.type === 'wpkh') return { type: P2WPKH, key: destination.hash };
  return orScript && destination?.type === 'sh' ? { type: P2SH, key: destination.hash } : undefined;
}

function requireMasternode(request: { readonly mnId: string }, { chain }: Modules): IdentifiedMasternode {
  // `defid` does not check the type of null here and reads it as an empty id.
  const text = rawJson(request, 'mnId') === null ? '' : request.mnId;
  const id = parseLooseHash(text);
  const node = getMasternode(chain.state, id);
  if (!node) throw invalidParameter(`The masternode ${text} does not exist`);
  return { id, node };
}

/** Destination of the owner, for payments and change. */
function ownerOf({ ownerType, ownerKey }: Masternode) {
  return keyDestination(ownerType, ownerKey);
}

/** @see docs/protocol/chain.md 9.4 */
export const resignMasternode: Handler<Modules, ResignMasternodeRequest, ResignMasternodeResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'resign Masternode');
  const { id, node } = requireMasternode(request, modules);
  const owner = ownerOf(node);
  const auths = [scriptOf(owner)];
  if (!isNullHash(node.collateralTx)) {
    const collateral = modules.chain.coin({ txid: node.collateralTx, vout: COLLATERAL_OUTPUT });
    if (!collateral) throw invalidParameter('Masternode collateral not available');
    auths.push(collateral.out.scriptPubKey);
  }
  return sendFor(wallet, call, { definition: resignation, body: { nodeId: id }, auths, inputs: readInputs(request), change: owner });
};

/** @see docs/protocol/chain.md 9.5 */
export const updateMasternode: Handler<Modules, UpdateMasternodeRequest, UpdateMasternodeResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'update Masternode');
  const { params, tip } = modules.chain;
  const { id, node } = requireMasternode(request, modules);
  const values = request.values ?? {};
  const newOwner = readOwner(values, modules);
  const updates = readUpdates(values, modules);
  const owner = ownerOf(node);
  const value = masternodeCollateral(tip.height + 1, params);
  return sendFor(wallet, call, {
    definition: update,
    body: { nodeId: id, updates },
    auths: [scriptOf(owner)],
    inputs: readInputs(request),
    // The collateral moves to the new owner.
    spends: newOwner ? [{ txid: collateralOf(id, node), vout: COLLATERAL_OUTPUT }] : [],
    outputs: newOwner ? [{ value, scriptPubKey: scriptOf(keyDestination(newOwner.type, newOwner.key)), tokenId: 0 }] : [],
    change: owner,
  });
};

function readOwner({ owneraddress: text }: MasternodeChanges, modules: Modules): TypedKey | undefined {
  if (text === undefined) return undefined;
  const key = readKey(text, modules);
  if (!key) throw invalidParameter(`ownerAddress (${text}) does not refer to a P2PKH or P2WPKH address`);
  return key;
}

function readUpdates({ owneraddress, operatoraddress, rewardaddress }: MasternodeChanges, modules: Modules): MasternodeUpdate[] {
  const updates: MasternodeUpdate[] = [];
  const add = (updateType: number, { type, key }: TypedKey) => updates.push({ updateType, addressType: type, address: key });
  const none = { type: 0, key: EMPTY_BYTES };
  if (owneraddress !== undefined) add(MasternodeUpdateType.owner, none);
  if (operatoraddress !== undefined) {
    const operator = readKey(operatoraddress, modules);
    if (!operator) throw invalidParameter(`operatorAddress (${operatoraddress}) does not refer to a P2PKH or P2WPKH address`);
    add(MasternodeUpdateType.operator, operator);
  }
  if (rewardaddress === '') add(MasternodeUpdateType.removeReward, none);
  else if (rewardaddress !== undefined) add(MasternodeUpdateType.setReward, requireReward(rewardaddress, modules));
  return updates;
}

function requireReward(text: string, modules: Modules): TypedKey {
  const { params, tip } = modules.chain;
  const isLate = isActive(params, 'metachain', tip.height + 1);
  const key = readKey(text, modules, isLate);
  if (!key) throw invalidParameter(`rewardAddress (${text}) does not refer to a ${isLate ? 'P2SH, ' : ''}P2PKH or P2WPKH address`);
  return key;
}

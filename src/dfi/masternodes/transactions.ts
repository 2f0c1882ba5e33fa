import { isActive, type NetworkParams } from '../../params/network.js';
import { type Codec, decode, struct, u8, u16 } from '../../primitives/codec.js';
import { formatHash, type Hash160, type Hash256, hash160, hash256, isNullHash, NULL_HASH } from '../../primitives/hash.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import { destinationOf } from '../../script/address.js';
import { customTxPayload } from '../../script/custom-tx.js';
import type { WritableView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { COLLATERAL_OUTPUT, hasAuth, requireCollateralAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { TxRejected } from '../kernel/rejected.js';
import { requireFeeAndCollateral } from '../tokens/collateral.js';
import {
  collateralOf,
  type KeyType,
  type Masternode,
  masternodeCollateral,
  masternodeOperators,
  masternodeOwners,
  masternodeState,
  masternodes,
  masternodeTimelocks,
  newCollaterals,
  P2PKH,
  P2WPKH,
  putNewMasternode,
} from './columns.js';
import { recordCreationTimes, timelockAt } from './staking.js';
import { updateMasternode } from './updates.js';

export interface CreateMasternode {
  readonly operatorType: KeyType;
  readonly operatorKey: Hash160;
  /** Weeks for which the collateral is locked; undefined in messages before Eunos Paya. */
  readonly timelock: number | undefined;
}

/** Type and key, then the weeks if any bytes are left. */
const createMasternodeBody: Codec<CreateMasternode> = {
  write(w, { operatorType, operatorKey, timelock }) {
    u8.write(w, operatorType);
    hash160.write(w, operatorKey);
    if (timelock !== undefined) u16.write(w, timelock);
  },
  read: (r) => ({ operatorType: u8.read(r), operatorKey: hash160.read(r), timelock: r.remaining > 0 ? u16.read(r) : undefined }),
};

/** Permitted timelocks in weeks: none, five years, ten years. */
const TIMELOCKS = [0, 260, 520];

/** Creates a masternode whose owner is the key of output 1. @see docs/protocol/chain.md 9.3 */
export const createMasternode = customTx<CreateMasternode>({
  type: 'C',
  name: 'CreateMasternode',
  since: 'genesis',
  codec: createMasternodeBody,
  feeBurn: (value) => value,
  apply(context, { operatorType, operatorKey, timelock = 0 }) {
    const { view, tx, params, height, time } = context;
    requireFeeAndCollateral(tx, params.masternode.creationFee, masternodeCollateral(height, params));
    const output = tx.vout[COLLATERAL_OUTPUT] as TxOut;
    if (isActive(params, 'eunos', height) && !hasAuth(context, output.scriptPubKey)) {
      throw new TxRejected('masternode creation needs owner auth');
    }
    checkTimelock(context, timelock);
    const owner = keyOf(output.scriptPubKey);
    requireNotPending(context, [owner.key, operatorKey]);
    requireFreeKeys(view, tx.txid, [owner, { type: operatorType, key: operatorKey }]);
    addMasternode(view, tx.txid, { owner, operator: { type: operatorType, key: operatorKey }, height, time }, params);
    if (timelock > 0) view.put(masternodeTimelocks, tx.txid, timelock);
  },
});

function checkTimelock({ params, height }: TxContext, timelock: number): void {
  if (isActive(params, 'eunosPaya', height)) {
    if (!TIMELOCKS.includes(timelock)) throw new TxRejected('Timelock must be set to either 0, 5 or 10 years');
  } else if (timelock !== 0) throw new TxRejected('collateral timelock cannot be set below EunosPaya');
}

interface TypedKey {
  readonly type: KeyType;
  readonly key: Hash160;
}

const NO_KEY: TypedKey = { type: 0, key: new Uint8Array(20) };

/** Key of an output script; {@link NO_KEY} for scripts other than P2PKH and P2WPKH. */
function keyOf(script: Uint8Array): TypedKey {
  const destination = destinationOf(script);
  if (destination?.type === 'pkh') return { type: P2PKH, key: destination.hash };
  return destination?.type === 'wpkh' ? { type: P2WPKH, key: destination.hash } : NO_KEY;
}

/** Requires that no owner update that is still to take effect names one of these keys. @throws {TxRejected} fatal */
function requireNotPending({ view, height, coin }: TxContext, keys: readonly Hash160[]): void {
  for (const [txid, pending] of view.entries(newCollaterals)) {
    if (height > pending.height) continue;
    const out = coin({ txid, vout: COLLATERAL_OUTPUT });
    const next = out && keyOf(out.scriptPubKey).key;
    if (next && keys.some((key) => equalBytes(key, next))) {
      throw new TxRejected('Masternode exist with that owner address pending', { fatal: true });
    }
  }
}

/** The id itself is taken only in the mempool: in the effects of transactions that follow the creation, while its block is disconnected. */
function requireFreeKeys(view: WritableView, id: Hash256, keys: readonly TypedKey[]): void {
  const isUsable = ({ type, key }: TypedKey) => (type === P2PKH || type === P2WPKH) && !isNullHash(key);
  const isTaken = ({ key }: TypedKey) => view.has(masternodeOwners, key) || view.has(masternodeOperators, key);
  if (view.has(masternodes, id) || keys.some((key) => !isUsable(key) || isTaken(key))) {
    throw new TxRejected('bad owner and|or operator address (should be P2PKH or P2WPKH only) or node with those addresses exists');
  }
}

interface NewMasternode {
  readonly owner: TypedKey;
  readonly operator: TypedKey;
  readonly height: number;
  /** Time of the block, seconds since 1970. */
  readonly time: number;
}

function addMasternode(view: WritableView, id: Hash256, { owner, operator, height, time }: NewMasternode, params: NetworkParams): void {
  putNewMasternode(view, id, {
    mintedBlocks: 0,
    ownerKey: owner.key,
    ownerType: owner.type,
    operatorKey: operator.key,
    operatorType: operator.type,
    creationHeight: height,
    resignHeight: -1,
    version: isActive(params, 'fortCanning', height) ? 0 : -1,
    resignTx: NULL_HASH,
    collateralTx: NULL_HASH,
    rewardKey: NO_KEY.key,
    rewardType: NO_KEY.type,
  });
  recordCreationTimes(view, { masternodeId: id, height, time }, params);
}

export interface ResignMasternode {
  readonly nodeId: Hash256;
}

/** Resigns a masternode, whose collateral is released after a delay. @see docs/protocol/chain.md 9.4 */
export const resignMasternode = customTx<ResignMasternode>({
  type: 'R',
  name: 'ResignMasternode',
  since: 'genesis',
  codec: struct<ResignMasternode>({ nodeId: hash256 }),
  apply(context, { nodeId }) {
    const { view, tx, height, params } = context;
    const node = view.get(masternodes, nodeId);
    if (!node) throw new TxRejected(`node ${formatHash(nodeId)} does not exists`);
    requireCollateralAuth(context, collateralOf(nodeId, node));
    requireResignable(context, nodeId, node);
    const weeks = timelockAt(view, { id: nodeId, node }, height, context.blockTime, params);
    if (weeks === undefined) throw new TxRejected('Failed to get timelock for masternode');
    if (weeks > 0) throw new TxRejected('Trying to resign masternode before timelock expiration.');
    view.put(masternodes, nodeId, { ...node, resignTx: tx.txid, resignHeight: height });
  },
});

/** Until Eunos Paya a masternode can also resign before it is enabled. */
function requireResignable({ view, height, params }: TxContext, nodeId: Hash256, node: Masternode): void {
  const state = masternodeState(view, node, height, params);
  const paya = isActive(params, 'eunosPaya', height);
  if (state === 'ENABLED' || (state === 'PRE_ENABLED' && !paya)) return;
  throw new TxRejected(`node ${formatHash(nodeId)} state is not ${paya ? "'ENABLED'" : "'PRE_ENABLED' or 'ENABLED'"}`);
}

/** Custom transactions on masternodes. */
export const masternodeTypes: readonly AnyCustomTx[] = [createMasternode, resignMasternode, updateMasternode];

/**
 * Creates the masternode of a transaction of the genesis block; ignores its other transactions.
 * @see docs/protocol/chain.md 1.8
 */
export function createGenesisMasternode(view: WritableView, tx: Transaction, params: NetworkParams): void {
  const payload = customTxPayload(tx);
  if (payload?.type !== 'C') return;
  const { operatorKey, operatorType } = decode(createMasternodeBody, payload.body);
  const owner = tx.vout[COLLATERAL_OUTPUT] ? keyOf(tx.vout[COLLATERAL_OUTPUT].scriptPubKey) : NO_KEY;
  if (owner.type === 0) throw new Error('a genesis masternode has no owner key');
  const operator = { type: operatorType, key: operatorKey };
  addMasternode(view, tx.txid, { owner, operator, height: 0, time: params.genesis.header.time }, params);
}

import { type Codec, decode, struct, u8 } from '../../primitives/codec.js';
import { type Hash160, hash160, NULL_HASH } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import { destinationOf } from '../../script/address.js';
import type { WritableView } from '../../storage/view.js';
import { type KeyType, putNewMasternode } from '../state/masternodes.js';
import { customTxPayload } from './payload.js';

/** Body of a masternode creation, without the time lock that later ones append. */
export interface CreateMasternode {
  readonly operatorType: KeyType;
  readonly operatorKey: Hash160;
}

export const createMasternode: Codec<CreateMasternode> = struct<CreateMasternode>({ operatorType: u8, operatorKey: hash160 });

const P2PKH: KeyType = 1;
const P2WPKH: KeyType = 4;

/**
 * Brings the masternodes of the genesis block to life; its other transactions are no masternodes.
 * @see spec: chain 1.8
 */
export function createGenesisMasternode(view: WritableView, tx: Transaction): void {
  const payload = customTxPayload(tx);
  if (payload?.type !== 'C') return;
  const { operatorKey, operatorType } = decode(createMasternode, payload.body);
  const owner = tx.vout[1] && destinationOf(tx.vout[1].scriptPubKey);
  if (owner?.type !== 'pkh' && owner?.type !== 'wpkh') throw new Error('a genesis masternode has no owner key');
  putNewMasternode(view, tx.txid, {
    mintedBlocks: 0,
    ownerKey: owner.hash,
    ownerType: owner.type === 'pkh' ? P2PKH : P2WPKH,
    operatorKey,
    operatorType,
    creationHeight: 0,
    resignHeight: -1,
    version: -1,
    resignTx: NULL_HASH,
    collateralTx: NULL_HASH,
    rewardKey: new Uint8Array(20),
    rewardType: 0,
  });
}

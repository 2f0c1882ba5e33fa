import { type Masternode, P2PKH } from '../src/dfi/masternodes/columns.js';
import { NULL_HASH } from '../src/primitives/hash.js';

/** A masternode that never minted and did not resign. */
export function masternodeOf(change: Partial<Masternode> = {}): Masternode {
  return {
    mintedBlocks: 0,
    ownerKey: new Uint8Array(20),
    ownerType: P2PKH,
    operatorKey: new Uint8Array(20),
    operatorType: P2PKH,
    creationHeight: 1,
    resignHeight: -1,
    version: -1,
    resignTx: NULL_HASH,
    collateralTx: NULL_HASH,
    rewardKey: new Uint8Array(20),
    rewardType: 0,
    ...change,
  };
}

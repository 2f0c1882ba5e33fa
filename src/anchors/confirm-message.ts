import { sha256d } from '../crypto/hash.js';
import { type Codec, encode, struct, u8, u32, varBytes } from '../primitives/codec.js';
import { type Hash160, type Hash256, hash160, hash256 } from '../primitives/hash.js';

/** A masternode's signature of the reward of an anchor (docs/protocol/chain.md 7.2). */
export interface AnchorConfirm {
  readonly btcTxHash: Hash256;
  readonly anchorHeight: number;
  readonly previousAnchorHeight: number;
  readonly rewardKeyId: Hash160;
  readonly rewardKeyType: number;
  readonly blockHash: Hash256;
  readonly btcTxHeight: number;
  /** 65-byte compact signature. */
  readonly signature: Uint8Array;
}

export const anchorconf: Codec<AnchorConfirm> = struct<AnchorConfirm>({
  btcTxHash: hash256,
  anchorHeight: u32,
  previousAnchorHeight: u32,
  rewardKeyId: hash160,
  rewardKeyType: u8,
  blockHash: hash256,
  btcTxHeight: u32,
  signature: varBytes,
});

/** Hash of the message in inventories. */
export function anchorConfirmHash(confirm: AnchorConfirm): Hash256 {
  return sha256d(encode(anchorconf, confirm));
}

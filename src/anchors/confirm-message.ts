import { sha256d } from '../crypto/hash.js';
import { anchorFields, type ConfirmedAnchor } from '../dfi/anchors/columns.js';
import { type Codec, encode, struct, u32, varBytes } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';

/** A masternode's signature of the reward of an anchor (docs/protocol/chain.md 7.2). */
export interface AnchorConfirm extends ConfirmedAnchor {
  /** 65-byte compact signature. */
  readonly signature: Uint8Array;
}

export const anchorconf: Codec<AnchorConfirm> = struct<AnchorConfirm>({
  ...anchorFields,
  blockHash: hash256,
  btcTxHeight: u32,
  signature: varBytes,
});

/** Hash of the message in inventories. */
export function anchorConfirmHash(confirm: AnchorConfirm): Hash256 {
  return sha256d(encode(anchorconf, confirm));
}

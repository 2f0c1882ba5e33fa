import { sha256d } from '../crypto/hash.js';
import { type Team, team } from '../dfi/anchors/columns.js';
import { type Codec, encode, struct, u32, varBytes } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';

/** Data that the auth team signs: a block to anchor, and the anchor to build on. */
export interface AnchorData {
  /** Bitcoin transaction of the previous anchor; zeros for the first. */
  readonly previousAnchor: Hash256;
  /** Height of the anchored block. */
  readonly height: number;
  readonly blockHash: Hash256;
  /** From Dakota on one pseudo key id that names the block at which the signing team was in force. @see team-data.ts */
  readonly nextTeam: Team;
}

/** A masternode's signature of the next anchor (docs/protocol/chain.md 7.2). */
export interface AnchorAuth extends AnchorData {
  /** 65-byte compact signature. */
  readonly signature: Uint8Array;
}

/** Codecs of the fields of {@link AnchorData}, in wire order. */
export const anchorDataFields = { previousAnchor: hash256, height: u32, blockHash: hash256, nextTeam: team };
const anchorData: Codec<AnchorData> = struct<AnchorData>(anchorDataFields);
export const anchorauth: Codec<AnchorAuth> = struct<AnchorAuth>({ ...anchorDataFields, signature: varBytes });

/** Hash that the auth team signs. */
export function anchorDataHash(data: AnchorData): Hash256 {
  return sha256d(encode(anchorData, data));
}

/** Hash of the message in inventories. */
export function anchorAuthHash(auth: AnchorAuth): Hash256 {
  return sha256d(encode(anchorauth, auth));
}

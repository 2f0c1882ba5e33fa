import type { Team } from '../dfi/anchors/columns.js';
import { countSigners } from '../dfi/anchors/reward.js';
import { type Codec, list, struct, u8, varBytes } from '../primitives/codec.js';
import { type Hash160, type Hash256, hash160 } from '../primitives/hash.js';
import { type AnchorData, anchorDataFields, anchorDataHash } from './auth-message.js';

/** An anchor as a Bitcoin transaction has it: signed data, and who gets the reward. */
export interface Anchor extends AnchorData {
  /** 65-byte compact signatures. */
  readonly signatures: readonly Uint8Array[];
  readonly rewardKeyId: Hash160;
  /** Address type of the reward, with the numbers of `Masternode`. */
  readonly rewardKeyType: number;
}

export const anchor: Codec<Anchor> = struct<Anchor>({
  ...anchorDataFields,
  signatures: list(varBytes),
  rewardKeyId: hash160,
  rewardKeyType: u8,
});

/** An anchor in the Bitcoin chain. */
export interface PlacedAnchor {
  readonly anchor: Anchor;
  readonly txid: Hash256;
  /** Height of its Bitcoin block. */
  readonly btcHeight: number;
}

/** True if enough different members of a team signed, and no other key did. */
export function isSignedBy(signed: Anchor, members: Team, quorum: number): boolean {
  const { signatures } = signed;
  return signatures.length >= quorum && countSigners(anchorDataHash(signed), signatures, members) >= quorum;
}

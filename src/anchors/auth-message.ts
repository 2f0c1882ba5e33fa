import { sha256d } from '../crypto/hash.js';
import { type Codec, encode, list, mapped, struct, u32, varBytes } from '../primitives/codec.js';
import { type Hash160, type Hash256, hash160, hash256 } from '../primitives/hash.js';
import { compareBytes } from '../util/bytes.js';

/** A masternode's signature of the next anchor (docs/protocol/chain.md 7.2). */
export interface AnchorAuth {
  /** Bitcoin transaction of the previous anchor. */
  readonly previousAnchor: Hash256;
  readonly height: number;
  readonly blockHash: Hash256;
  /** Key ids in ascending order, without duplicates. */
  readonly nextTeam: readonly Hash160[];
  /** 65-byte compact signature. */
  readonly signature: Uint8Array;
}

/** Set of key ids: read in any order, written in ascending order. */
const team: Codec<readonly Hash160[]> = mapped(list(hash160), ascending, ascending);

function ascending(ids: readonly Hash160[]): readonly Hash160[] {
  const sorted = [...ids].sort(compareBytes);
  return sorted.filter((id, i) => i === 0 || compareBytes(id, sorted[i - 1] as Hash160) !== 0);
}

export const anchorauth: Codec<AnchorAuth> = struct<AnchorAuth>({
  previousAnchor: hash256,
  height: u32,
  blockHash: hash256,
  nextTeam: team,
  signature: varBytes,
});

/** Hash of the message in inventories. */
export function anchorAuthHash(auth: AnchorAuth): Hash256 {
  return sha256d(encode(anchorauth, auth));
}

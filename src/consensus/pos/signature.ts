import { sha256d } from '../../crypto/hash.js';
import { recoverKeyId } from '../../crypto/key-id.js';
import type { Hash160, Hash256 } from '../../primitives/hash.js';
import { type BlockHeader, hashToSign } from '../../primitives/header.js';
import { concatBytes } from '../../util/bytes.js';

/** Cache of recovered minter keys, as several rules need them and recovery is expensive. */
const minters = new WeakMap<BlockHeader, { readonly key: Hash160 | undefined }>();

/**
 * Key id of the minter, recovered from the header's signature.
 * @returns undefined if the signature is not 65 bytes or recovers no key
 * @see docs/protocol/chain.md 2.3
 */
export function recoverMinter(header: BlockHeader): Hash160 | undefined {
  let minter = minters.get(header);
  if (!minter) {
    minter = { key: recoverKeyId(header.signature, hashToSign(header)) };
    minters.set(header, minter);
  }
  return minter.key;
}

/** Keeps the minter of a header that this node has just signed with the minter's key. */
export function keepMinter(header: BlockHeader, key: Hash160): void {
  minters.set(header, { key });
}

/** Stake modifier of a block by this minter, a hash chain over all minters since genesis. */
export function nextStakeModifier(parentModifier: Hash256, minter: Hash160): Hash256 {
  return sha256d(concatBytes(parentModifier, minter));
}

import { recoverCompact } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import type { Hash160, Hash256 } from '../primitives/hash.js';

/** Key id of the operator that signed a hash; undefined if the signature recovers no key. */
export function signerOf(signature: Uint8Array, hash: Hash256): Hash160 | undefined {
  const recovered = recoverCompact(signature, hash);
  return recovered && hash160(recovered.publicKey);
}

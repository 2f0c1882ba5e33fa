import { recoverCompact } from './ecdsa.js';
import { hash160 } from './hash.js';

/**
 * Id of the key that made a compact signature, as its form says: of the compressed or the uncompressed key.
 * @param hash 32 bytes
 * @returns 20 bytes; undefined if the signature recovers no key
 */
export function recoverKeyId(signature: Uint8Array, hash: Uint8Array): Uint8Array | undefined {
  const recovered = recoverCompact(signature, hash);
  return recovered && hash160(recovered.publicKey);
}

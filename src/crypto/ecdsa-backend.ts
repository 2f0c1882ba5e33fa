/**
 * Curve operations of a library. Arguments have the right lengths, but may otherwise be invalid.
 * `signature` is r and s, 32 bytes big-endian each.
 */
export interface EcdsaBackend {
  /** Accepts low-S and high-S signatures. `signature` may be normalised in place. */
  verify(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean;
  /** Recovers the public key; undefined if r or s is not a valid scalar or no key matches. */
  recover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, compressed: boolean): Uint8Array | undefined;
  /** Deterministic (RFC6979) and low-S. @param extraData 32 bytes of extra entropy (RFC6979 3.6), which change the signature */
  sign(hash: Uint8Array, secretKey: Uint8Array, extraData?: Uint8Array): { readonly signature: Uint8Array; readonly recoveryId: number };
  isSecretKey(secretKey: Uint8Array): boolean;
  publicKeyOf(secretKey: Uint8Array, compressed: boolean): Uint8Array;
  /** Secret plus scalar; undefined if the scalar is not below the order or the sum is zero. Does not change its arguments. */
  addToSecretKey(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  /** Point plus the scalar's point, 33 bytes; undefined if the key is invalid, the scalar not below the order, or the sum infinity. */
  addToPublicKey(publicKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  /** The key in the uncompressed form of 65 bytes; undefined if it is invalid. */
  uncompressed(publicKey: Uint8Array): Uint8Array | undefined;
  /** True for a point on the curve in 33 or 65 bytes, including the hybrid form. */
  isPublicKey(publicKey: Uint8Array): boolean;
}

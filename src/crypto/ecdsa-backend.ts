/**
 * The few curve operations that a library has to bring. Arguments have the right lengths; everything else about them may be wrong.
 * `signature` is r and s, 32 bytes big-endian each.
 */
export interface EcdsaBackend {
  /** Low-S and high-S signatures alike. `signature` may be normalised in place. */
  verify(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean;
  /** Undefined if r or s is no scalar or no key answers to them. */
  recover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, compressed: boolean): Uint8Array | undefined;
  /** Deterministic (RFC6979), low-S. Other extra data of 32 bytes (section 3.6 there) gives another signature. */
  sign(hash: Uint8Array, secretKey: Uint8Array, extraData?: Uint8Array): { readonly signature: Uint8Array; readonly recoveryId: number };
  isSecretKey(secretKey: Uint8Array): boolean;
  publicKeyOf(secretKey: Uint8Array, compressed: boolean): Uint8Array;
  /** Secret plus scalar; undefined if the scalar is not below the order or the sum is zero. Leaves its arguments alone. */
  addToSecretKey(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  /** Point plus the scalar's point, 33 bytes; undefined if the key is none, the scalar not below the order or the sum no point. */
  addToPublicKey(publicKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  /** The key in 65 bytes without the hybrid form; undefined if it is none. */
  uncompressed(publicKey: Uint8Array): Uint8Array | undefined;
  /** A point on the curve in 33 or 65 bytes, the hybrid form included. */
  isPublicKey(publicKey: Uint8Array): boolean;
}

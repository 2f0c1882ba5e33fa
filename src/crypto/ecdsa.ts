import { concatBytes } from '../util/bytes.js';
import { encodeDer, parseLaxDer } from './der.js';
import type { EcdsaBackend } from './ecdsa-backend.js';
import { nativeBackend } from './ecdsa-native.js';
import { nobleBackend } from './ecdsa-noble.js';

const COMPACT_SIZE = 65;
const HASH_SIZE = 32;
const UNCOMPRESSED_SIZE = 65;
const SECRET_SIZE = 32;
const COMPACT_BASE = 27;
const COMPACT_COMPRESSED = 4;

function load(): { readonly name: 'native' | 'noble'; readonly backend: EcdsaBackend } {
  try {
    return { name: 'native', backend: nativeBackend() };
  } catch {
    return { name: 'noble', backend: nobleBackend() };
  }
}

const { name, backend } = load();

/** Which library does the curve's arithmetic in this process. */
export const ecdsaBackend: 'native' | 'noble' = name;

export interface RecoveredKey {
  /** 33 bytes, or 65 where the signature says so. */
  readonly publicKey: Uint8Array;
  readonly compressed: boolean;
}

/**
 * Key that made a compact signature: 27 + recovery id (+ 4 for a compressed key), r, s. Only the low three bits count of what the
 * first byte is above 27, and a high s is fine (docs/protocol/chain.md 2.3).
 * @param hash 32 bytes
 * @returns undefined for any other length, r or s that are no scalars, and where no key fits
 */
export function recoverCompact(signature: Uint8Array, hash: Uint8Array): RecoveredKey | undefined {
  const header = signature[0];
  if (header === undefined || signature.length !== COMPACT_SIZE || hash.length !== HASH_SIZE) return undefined;
  const flags = header - COMPACT_BASE;
  const compressed = (flags & COMPACT_COMPRESSED) !== 0;
  const publicKey = backend.recover(signature.subarray(1), flags & 3, hash, compressed);
  return publicKey && { publicKey, compressed };
}

/** Compact signature of a 32-byte hash, deterministic and low-S. @returns 65 bytes @throws {RangeError} on a bad key or hash */
export function signCompact(hash: Uint8Array, secretKey: Uint8Array, compressed = true): Uint8Array {
  requireSize(hash, HASH_SIZE);
  requireSecret(secretKey);
  const { signature, recoveryId } = backend.sign(hash, secretKey);
  const compact = new Uint8Array(COMPACT_SIZE);
  compact[0] = COMPACT_BASE + recoveryId + (compressed ? COMPACT_COMPRESSED : 0);
  compact.set(signature, 1);
  return compact;
}

/**
 * DER signature of a 32-byte hash, deterministic, low-S, and with an r that needs no padding byte: a counter goes into the nonce
 * until r is that small. So it has at most 70 bytes, and the same key signs the same hash with the same bytes as the reference.
 * @throws {RangeError} on a bad key or hash
 */
export function signLowR(hash: Uint8Array, secretKey: Uint8Array): Uint8Array {
  requireSize(hash, HASH_SIZE);
  requireSecret(secretKey);
  let { signature } = backend.sign(hash, secretKey);
  const extraData = new Uint8Array(32);
  const counter = new DataView(extraData.buffer);
  for (let tries = 1; ((signature[0] as number) & 0x80) !== 0; tries++) {
    counter.setUint32(0, tries, true);
    signature = backend.sign(hash, secretKey, extraData).signature;
  }
  return encodeDer(signature);
}

/** 33 bytes, or 65 uncompressed. @throws {RangeError} if the secret is no scalar of the group */
export function publicKeyOf(secretKey: Uint8Array, compressed = true): Uint8Array {
  requireSecret(secretKey);
  return backend.publicKeyOf(secretKey, compressed);
}

/**
 * Secret plus scalar, by the group order: the secret of a derived key.
 * @param scalar 32 bytes
 * @returns undefined for a scalar that is not below the order, and for a sum of zero
 */
export function addToSecretKey(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined {
  requireSecret(secretKey);
  requireSize(scalar, SECRET_SIZE);
  return backend.addToSecretKey(secretKey, scalar);
}

/**
 * The public key of what `addToSecretKey` gives, without the secret.
 * @param scalar 32 bytes
 * @returns 33 bytes; undefined also where the key is no point of the curve
 */
export function addToPublicKey(publicKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined {
  requireSize(scalar, SECRET_SIZE);
  return hasPublicKeySize(publicKey) ? backend.addToPublicKey(publicKey, scalar) : undefined;
}

/** A public key in 65 bytes, whatever its form is; undefined if it is no point of the curve. */
export function uncompressed(publicKey: Uint8Array): Uint8Array | undefined {
  return hasPublicKeySize(publicKey) ? backend.uncompressed(publicKey) : undefined;
}

/** A public key in 33 bytes, whatever its form is; undefined if it is no point of the curve. */
export function compressed(publicKey: Uint8Array): Uint8Array | undefined {
  const point = uncompressed(publicKey);
  const isOdd = ((point?.[UNCOMPRESSED_SIZE - 1] ?? 0) & 1) === 1;
  return point && concatBytes(Uint8Array.of(isOdd ? 3 : 2), point.subarray(1, 33));
}

/** 32 bytes, not zero, below the group order. */
export function isSecretKey(secretKey: Uint8Array): boolean {
  return secretKey.length === SECRET_SIZE && backend.isSecretKey(secretKey);
}

/** True if the first byte and the length agree: 02 03 with 33 bytes, 04 06 07 with 65. The point is not looked at. */
export function hasPublicKeySize(publicKey: Uint8Array): boolean {
  const prefix = publicKey[0];
  if (prefix === 2 || prefix === 3) return publicKey.length === 33;
  return (prefix === 4 || prefix === 6 || prefix === 7) && publicKey.length === 65;
}

/** True for a point of the curve in one of its three forms. */
export function isPublicKey(publicKey: Uint8Array): boolean {
  return hasPublicKeySize(publicKey) && backend.isPublicKey(publicKey);
}

/**
 * Whether the key made the signature, which is read as leniently as the chain needs (`parseLaxDer`).
 * @param derSignature without the hash type byte
 * @param hash 32 bytes
 */
export function verify(publicKey: Uint8Array, derSignature: Uint8Array, hash: Uint8Array): boolean {
  if (!hasPublicKeySize(publicKey) || hash.length !== HASH_SIZE) return false;
  const signature = parseLaxDer(derSignature);
  return signature !== undefined && backend.verify(signature, hash, publicKey);
}

/**
 * Whether the key made the signature.
 * @param signature r and s, 32 bytes big-endian each; may be normalised in place
 * @param hash 32 bytes
 */
export function verifyCompact(publicKey: Uint8Array, signature: Uint8Array, hash: Uint8Array): boolean {
  return hasPublicKeySize(publicKey) && backend.verify(signature, hash, publicKey);
}

function requireSize(bytes: Uint8Array, size: number): void {
  if (bytes.length !== size) throw new RangeError(`${bytes.length} bytes where ${size} belong`);
}

function requireSecret(secretKey: Uint8Array): void {
  if (!isSecretKey(secretKey)) throw new RangeError('not a secret key');
}

import { concatBytes } from '../util/bytes.js';
import { encodeDer, parseLaxDer, SIGNATURE_SIZE } from './der.js';
import type { EcdsaBackend } from './ecdsa-backend.js';
import { nativeBackend } from './ecdsa-native.js';
import { nobleBackend } from './ecdsa-noble.js';
import { KnownPoints } from './known-points.js';

/** Bytes of a public key in compressed form: prefix and x. */
export const COMPRESSED_KEY_SIZE = 33;
/** Bytes of a public key in uncompressed form: prefix, x and y. */
export const UNCOMPRESSED_KEY_SIZE = 65;

const COMPACT_SIZE = 65;
const HASH_SIZE = 32;
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

const points = new KnownPoints((publicKey) => backend.uncompressed(publicKey));

/** Shared memory for the signature that is being verified: the memory of a new one would be moved out of the heap of V8 for the library. */
const parsed = new Uint8Array(new ArrayBuffer(SIGNATURE_SIZE));

/** Library for curve arithmetic in this process. */
export const ecdsaBackend: 'native' | 'noble' = name;

export interface RecoveredKey {
  /** 33 bytes, or 65 if the signature is by an uncompressed key. */
  readonly publicKey: Uint8Array;
  readonly compressed: boolean;
}

/**
 * Recovers the key of a compact signature: 27 + recovery id (+ 4 for a compressed key), r, s. Only the low three bits of the first
 * byte minus 27 are used, and a high s is accepted (docs/protocol/chain.md 2.3).
 * @param hash 32 bytes
 * @returns undefined for a wrong length, an r or s that is not a valid scalar, or if no key matches
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
 * DER signature of a 32-byte hash, deterministic, low-S and low-R: a counter is added to the nonce until r needs no padding byte. So
 * it has at most 70 bytes, and is identical to that of `defid` for the same key and hash.
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

/** Public key of a secret: 33 bytes, or 65 uncompressed. @throws {RangeError} if the secret is not a valid scalar */
export function publicKeyOf(secretKey: Uint8Array, compressed = true): Uint8Array {
  requireSecret(secretKey);
  return backend.publicKeyOf(secretKey, compressed);
}

/**
 * Secret plus scalar, modulo the group order: the secret of a derived key.
 * @param scalar 32 bytes
 * @returns undefined if the scalar is not below the order, or the sum is zero
 */
export function addToSecretKey(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined {
  requireSecret(secretKey);
  requireSize(scalar, SECRET_SIZE);
  return backend.addToSecretKey(secretKey, scalar);
}

/**
 * Public key of the result of `addToSecretKey`, computed without the secret.
 * @param scalar 32 bytes
 * @returns 33 bytes; undefined as for `addToSecretKey`, or if the key is not a point on the curve
 */
export function addToPublicKey(publicKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined {
  requireSize(scalar, SECRET_SIZE);
  return hasPublicKeySize(publicKey) ? backend.addToPublicKey(publicKey, scalar) : undefined;
}

/** Converts a public key of any form to 65 bytes; undefined if it is not a point on the curve. */
export function uncompressed(publicKey: Uint8Array): Uint8Array | undefined {
  return hasPublicKeySize(publicKey) ? backend.uncompressed(publicKey) : undefined;
}

/** Converts a public key of any form to 33 bytes; undefined if it is not a point on the curve. */
export function compressed(publicKey: Uint8Array): Uint8Array | undefined {
  const point = uncompressed(publicKey);
  const isOdd = ((point?.[UNCOMPRESSED_KEY_SIZE - 1] ?? 0) & 1) === 1;
  return point && concatBytes(Uint8Array.of(isOdd ? 3 : 2), point.subarray(1, COMPRESSED_KEY_SIZE));
}

/** True for 32 bytes that are not zero and below the group order. */
export function isSecretKey(secretKey: Uint8Array): boolean {
  return secretKey.length === SECRET_SIZE && backend.isSecretKey(secretKey);
}

/** True if prefix and length match: 02 03 with 33 bytes, 04 06 07 with 65. The point is not checked. */
export function hasPublicKeySize(publicKey: Uint8Array): boolean {
  const prefix = publicKey[0];
  if (prefix === 2 || prefix === 3) return publicKey.length === COMPRESSED_KEY_SIZE;
  return (prefix === 4 || prefix === 6 || prefix === 7) && publicKey.length === UNCOMPRESSED_KEY_SIZE;
}

/** True for a point on the curve in one of its three forms. */
export function isPublicKey(publicKey: Uint8Array): boolean {
  return hasPublicKeySize(publicKey) && backend.isPublicKey(publicKey);
}

/**
 * True if the signature is valid for the key. It is parsed as lax DER (`parseLaxDer`).
 * @param derSignature without the hash type byte
 * @param hash 32 bytes
 */
export function verify(publicKey: Uint8Array, derSignature: Uint8Array, hash: Uint8Array): boolean {
  if (!hasPublicKeySize(publicKey) || hash.length !== HASH_SIZE) return false;
  const signature = parseLaxDer(derSignature, parsed);
  if (!signature) return false;
  const key = publicKey.length === COMPRESSED_KEY_SIZE ? points.formOf(publicKey) : publicKey;
  return key !== undefined && backend.verify(signature, hash, key);
}

function requireSize(bytes: Uint8Array, size: number): void {
  if (bytes.length !== size) throw new RangeError(`${bytes.length} bytes where ${size} belong`);
}

function requireSecret(secretKey: Uint8Array): void {
  if (!isSecretKey(secretKey)) throw new RangeError('not a secret key');
}

import { isPublicKey } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import { type ByteReader, type ByteWriter, compactSize, DecodeError, varBytes } from '../primitives/codec.js';
import type { KeySignature, KnownKey } from '../script/signature-data.js';
import { concatBytes, toHex } from '../util/bytes.js';
import { sortedEntries } from './fields.js';
import type { KeyPaths, PartialSignatures } from './psbt.js';

/** Fields whose key ends in a public key: `type ‖ 33 or 65 bytes`. */

const KEY_SIZES: ReadonlySet<number> = new Set([34, 66]);
const FINGERPRINT_SIZE = 4;
const STEP_SIZE = 4;

/** Reads public keys. Remembers the valid ones, since a key usually occurs several times and the curve check is expensive. */
export class PublicKeyReader {
  readonly #checked = new Set<string>();

  /** @param name of the field in the error text for a wrong size */
  read(key: Uint8Array, name: string): Uint8Array {
    if (!KEY_SIZES.has(key.length)) throw new DecodeError(`Size of key was not the expected size for the type ${name}`);
    const publicKey = key.subarray(1);
    const hex = toHex(publicKey);
    if (!this.#checked.has(hex)) {
      if (!isPublicKey(publicKey)) throw new DecodeError('Invalid pubkey');
      this.#checked.add(hex);
    }
    return publicKey;
  }
}

/**
 * Reads the value of a signature field into `signatures`, by hex of the key id.
 * @throws {DecodeError} if the key already has a signature
 */
export function readPartialSignature(r: ByteReader, publicKey: Uint8Array, signatures: Map<string, KeySignature>): void {
  const id = toHex(hash160(publicKey));
  if (signatures.has(id)) throw new DecodeError('Duplicate Key, input partial signature for pubkey already provided');
  signatures.set(id, { publicKey, signature: varBytes.read(r) });
}

/** Writes signatures, sorted by key id. */
export function writePartialSignatures(w: ByteWriter, type: number, signatures: PartialSignatures): void {
  for (const [, { publicKey, signature }] of sortedEntries(signatures)) {
    varBytes.write(w, concatBytes(Uint8Array.of(type), publicKey));
    varBytes.write(w, signature);
  }
}

/** Reads the value of a key path: fingerprint of 4 bytes, then a little-endian u32 per step. @throws {DecodeError} */
export function readKeyPath(r: ByteReader, publicKey: Uint8Array, paths: Map<string, KnownKey>): void {
  const id = toHex(publicKey);
  if (paths.has(id)) throw new DecodeError('Duplicate Key, pubkey derivation path already provided');
  const size = compactSize.read(r);
  if (size === 0 || size % STEP_SIZE !== 0) throw new DecodeError('Invalid length for HD key path');
  const fingerprint = r.bytes(FINGERPRINT_SIZE);
  const path: number[] = [];
  for (let left = size - FINGERPRINT_SIZE; left > 0; left -= STEP_SIZE) path.push(r.u32());
  paths.set(id, { publicKey, origin: { fingerprint, path } });
}

/** Writes key paths, sorted by public key. */
export function writeKeyPaths(w: ByteWriter, type: number, paths: KeyPaths): void {
  for (const [, { publicKey, origin }] of sortedEntries(paths)) {
    varBytes.write(w, concatBytes(Uint8Array.of(type), publicKey));
    compactSize.write(w, FINGERPRINT_SIZE + STEP_SIZE * origin.path.length);
    w.bytes(origin.fingerprint);
    for (const step of origin.path) w.u32(step);
  }
}

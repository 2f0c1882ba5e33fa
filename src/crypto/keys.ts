import { concatBytes, fromHex, isHex } from '../util/bytes.js';
import { decodeBase58Check, encodeBase58Check } from './base58.js';
import { isSecretKey } from './ecdsa.js';

/** A secret scalar with the form of its public key. */
export interface PrivateKey {
  /** 32 bytes, a valid scalar of the group. */
  readonly secret: Uint8Array;
  readonly compressed: boolean;
}

/** Version byte of private keys in WIF; `NetworkParams.address` is one. */
export interface KeyPrefix {
  readonly secretKey: number;
}

const SECRET_SIZE = 32;

/** Formats a key in wallet import format: version, secret, and a byte 1 for a compressed key. */
export function formatWif(key: PrivateKey, prefix: KeyPrefix): string {
  const tail = key.compressed ? Uint8Array.of(1) : new Uint8Array(0);
  return encodeBase58Check(concatBytes(Uint8Array.of(prefix.secretKey), key.secret, tail));
}

/** Parses a secret in hex, as used by EVM programs. @returns undefined if it is not a valid scalar */
export function parseSecretHex(text: string): PrivateKey | undefined {
  const secret = isHex(text) ? fromHex(text) : undefined;
  return secret?.length === SECRET_SIZE && isSecretKey(secret) ? { secret, compressed: true } : undefined;
}

/** Parses WIF. @returns undefined if it is malformed, of another network, or not a valid scalar */
export function parseWif(text: string, prefix: KeyPrefix): PrivateKey | undefined {
  const payload = decodeBase58Check(text);
  if (payload === undefined || payload[0] !== prefix.secretKey) return undefined;
  const compressed = payload.length === SECRET_SIZE + 2 && payload[SECRET_SIZE + 1] === 1;
  if (!compressed && payload.length !== SECRET_SIZE + 1) return undefined;
  const secret = payload.subarray(1, SECRET_SIZE + 1);
  return isSecretKey(secret) ? { secret, compressed } : undefined;
}

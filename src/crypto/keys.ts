import { concatBytes, fromHex, isHex } from '../util/bytes.js';
import { decodeBase58Check, encodeBase58Check } from './base58.js';
import { isSecretKey } from './ecdsa.js';

/** A secret scalar, and which form of its public key it stands for. */
export interface PrivateKey {
  /** 32 bytes, a valid scalar of the group. */
  readonly secret: Uint8Array;
  readonly compressed: boolean;
}

/** Version byte of private keys as text; `NetworkParams.address` is one. */
export interface KeyPrefix {
  readonly secretKey: number;
}

const SECRET_SIZE = 32;

/** Wallet import format: version, secret, and a byte 1 for a compressed key. */
export function formatWif(key: PrivateKey, prefix: KeyPrefix): string {
  const tail = key.compressed ? Uint8Array.of(1) : new Uint8Array(0);
  return encodeBase58Check(concatBytes(Uint8Array.of(prefix.secretKey), key.secret, tail));
}

/** Key whose bare secret the text is in hex, as programs of the EVM write it. @returns undefined if it is no scalar of the group */
export function parseSecretHex(text: string): PrivateKey | undefined {
  const secret = isHex(text) ? fromHex(text) : undefined;
  return secret?.length === SECRET_SIZE && isSecretKey(secret) ? { secret, compressed: true } : undefined;
}

/** Key of the text. @returns undefined if it is malformed, of another network, or no scalar of the group */
export function parseWif(text: string, prefix: KeyPrefix): PrivateKey | undefined {
  const payload = decodeBase58Check(text);
  if (payload === undefined || payload[0] !== prefix.secretKey) return undefined;
  const compressed = payload.length === SECRET_SIZE + 2 && payload[SECRET_SIZE + 1] === 1;
  if (!compressed && payload.length !== SECRET_SIZE + 1) return undefined;
  const secret = payload.subarray(1, SECRET_SIZE + 1);
  return isSecretKey(secret) ? { secret, compressed } : undefined;
}

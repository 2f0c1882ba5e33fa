import { isPublicKey } from '../../crypto/ecdsa.js';
import { fromHex, isHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';

/** Hex digits of a compressed and an uncompressed key. */
const KEY_DIGITS: readonly number[] = [66, 130];

/** True for hex of the length of a public key. */
export function isPublicKeyHex(text: string): boolean {
  return isHex(text) && KEY_DIGITS.includes(text.length);
}

/**
 * Parses a public key in hex.
 * @param ending end of the error text if the length is wrong
 * @throws {NodeError} `invalid-address`
 */
export function parsePublicKey(text: string, ending = ''): Uint8Array {
  if (!isPublicKeyHex(text)) throw new NodeError('invalid-address', `Invalid public key: ${text}${ending}`);
  const key = fromHex(text);
  if (!isPublicKey(key)) throw new NodeError('invalid-address', `Invalid public key: ${text}`);
  return key;
}

import { type PrivateKey, parseSecretHex, parseWif } from '../../crypto/keys.js';
import { knowsEvm, type NetworkParams } from '../../params/network.js';

/**
 * Parses a private key in WIF, or on networks with an EVM a secret in hex, which makes an uncompressed key as in `defid` 4.2.5.
 * @returns undefined if it is neither
 */
export function parsePrivateKey(text: string, params: Pick<NetworkParams, 'address' | 'upgrades'>): PrivateKey | undefined {
  const key = knowsEvm(params) ? parseSecretHex(text) : undefined;
  return key ? { ...key, compressed: false } : parseWif(text, params.address);
}

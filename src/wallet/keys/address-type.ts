import { COMPRESSED_KEY_SIZE, uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { type Destination, scriptOf } from '../../script/address.js';
import { evmAddressOf } from '../../script/erc55.js';
import { ADDRESS_TYPES, type AddressType } from '../../script/multisig.js';

/** Ways in which a key has an address: those that outputs pay, and that of the EVM. */
export type KeyAddressType = AddressType | 'erc55';

/** Names that callers give to addresses of the EVM. */
export const EVM_ADDRESS_NAMES: readonly string[] = ['erc55', 'eth'];

/** @returns undefined if the text names no type of address that outputs pay */
export function parseAddressType(text: string): AddressType | undefined {
  return ADDRESS_TYPES.find((type) => type === text);
}

/** How a key is paid; an uncompressed one only in the legacy way. */
export function destinationOfKey(publicKey: Uint8Array, type: KeyAddressType): Destination {
  if (type === 'erc55') return evmDestination(publicKey);
  const hash = hash160(publicKey);
  if (type === 'legacy' || publicKey.length !== COMPRESSED_KEY_SIZE) return { type: 'pkh', hash };
  const witness: Destination = { type: 'wpkh', hash };
  return type === 'bech32' ? witness : { type: 'sh', hash: hash160(scriptOf(witness)) };
}

/** All ways in which a key is paid, in the order in which imports and dumps list them. @see docs/protocol/wallet.md 1.5, 5 */
export function destinationsOfKey(publicKey: Uint8Array): Destination[] {
  if (publicKey.length !== COMPRESSED_KEY_SIZE) return [destinationOfKey(publicKey, 'legacy')];
  return ADDRESS_TYPES.map((type) => destinationOfKey(publicKey, type));
}

function evmDestination(publicKey: Uint8Array): Destination {
  const hash = evmAddressOf(publicKey);
  if (!hash) throw new Error('a key of the wallet is no point of the curve');
  return { type: 'evm', hash };
}

/** Addresses of a key that get the name of a new one of it, from Metachain on. @see docs/protocol/wallet.md 1.9 */
export function namedWithKey(publicKey: Uint8Array): Destination[] {
  const long = uncompressed(publicKey) ?? publicKey;
  return [evmDestination(publicKey), destinationOfKey(long, 'legacy'), destinationOfKey(publicKey, 'bech32')];
}

import { hash160 } from '../crypto/hash.js';
import { type Destination, scriptOf } from '../script/address.js';
import { ADDRESS_TYPES, type AddressType } from '../script/multisig.js';

const COMPRESSED_SIZE = 33;

/** @returns undefined if the text names no type of address */
export function parseAddressType(text: string): AddressType | undefined {
  return ADDRESS_TYPES.find((type) => type === text);
}

/** How a key is paid; an uncompressed one only in the legacy way. */
export function destinationOfKey(publicKey: Uint8Array, type: AddressType): Destination {
  const hash = hash160(publicKey);
  if (type === 'legacy' || publicKey.length !== COMPRESSED_SIZE) return { type: 'pkh', hash };
  const witness: Destination = { type: 'wpkh', hash };
  return type === 'bech32' ? witness : { type: 'sh', hash: hash160(scriptOf(witness)) };
}

/** All ways in which a key is paid, in the order in which imports and dumps list them. @see spec: wallet 1.5, 5 */
export function destinationsOfKey(publicKey: Uint8Array): Destination[] {
  if (publicKey.length !== COMPRESSED_SIZE) return [destinationOfKey(publicKey, 'legacy')];
  return ADDRESS_TYPES.map((type) => destinationOfKey(publicKey, type));
}

import { COMPRESSED_KEY_SIZE, compressed, uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { type Destination, scriptOf } from '../../script/address.js';
import { evmAddressOf } from '../../script/erc55.js';
import { ADDRESS_TYPES, type AddressType } from '../../script/multisig.js';
import type { ClassifyOptions } from '../../script/standard.js';

/** Types of addresses of a key: those of transaction outputs, and the EVM address. */
export type KeyAddressType = AddressType | 'erc55';

/** Names of the EVM address type in requests. */
export const EVM_ADDRESS_NAMES: readonly string[] = ['erc55', 'eth'];

/** @returns undefined unless the text names an address type of transaction outputs */
export function parseAddressType(text: string): AddressType | undefined {
  return ADDRESS_TYPES.find((type) => type === text);
}

/** Destination that pays a key; always P2PKH for an uncompressed key, except for the EVM address. */
export function destinationOfKey(publicKey: Uint8Array, type: KeyAddressType): Destination {
  if (type === 'erc55') return evmDestination(publicKey);
  const hash = hash160(publicKey);
  if (type === 'legacy' || publicKey.length !== COMPRESSED_KEY_SIZE) return { type: 'pkh', hash };
  const witness: Destination = { type: 'wpkh', hash };
  return type === 'bech32' ? witness : { type: 'sh', hash: hash160(scriptOf(witness)) };
}

/**
 * All destinations of a key, in the order of imports and dumps.
 * @param options.metachain those of both forms of the key and of its EVM address, as in `defid` from 4.0 on
 * @see docs/protocol/wallet.md 1.5, 5
 */
export function destinationsOfKey(publicKey: Uint8Array, { metachain = false }: ClassifyOptions): Destination[] {
  if (metachain) {
    const short = compressed(publicKey) ?? publicKey;
    return [...destinationsOfKey(short, {}), evmDestination(short), destinationOfKey(uncompressed(short) ?? short, 'legacy')];
  }
  if (publicKey.length !== COMPRESSED_KEY_SIZE) return [destinationOfKey(publicKey, 'legacy')];
  return ADDRESS_TYPES.map((type) => destinationOfKey(publicKey, type));
}

function evmDestination(publicKey: Uint8Array): Destination {
  const hash = evmAddressOf(publicKey);
  if (!hash) throw new Error('a public key of the wallet is not on the curve');
  return { type: 'evm', hash };
}

/** Further addresses of a new key that get its label, where EVM addresses are known. @see docs/protocol/wallet.md 1.9 */
export function namedWithKey(publicKey: Uint8Array): Destination[] {
  const long = uncompressed(publicKey) ?? publicKey;
  return [evmDestination(publicKey), destinationOfKey(long, 'legacy'), destinationOfKey(publicKey, 'bech32')];
}

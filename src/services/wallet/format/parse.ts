import { COMPRESSED_KEY_SIZE } from '../../../crypto/ecdsa.js';
import { knowsEvm } from '../../../params/network.js';
import type { Destination } from '../../../script/address.js';
import type { AddressType } from '../../../script/multisig.js';
import { NodeError } from '../../../util/errors.js';
import { EVM_ADDRESS_NAMES, type KeyAddressType, parseAddressType } from '../../../wallet/keys/address-type.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { type AddressChain, parseDestination } from '../../format/destination.js';

/** Label argument. @throws {NodeError} for `*`, which stands for all labels */
export function requireLabel(label: string): string {
  if (label === '*') throw new NodeError('invalid-label', 'Invalid label name');
  return label;
}

/** Type of address for a key; undefined if the text names none. */
export function parseKeyAddressType(text: string, chain: AddressChain): KeyAddressType | undefined {
  return knowsEvm(chain.params) && EVM_ADDRESS_NAMES.includes(text) ? 'erc55' : parseAddressType(text);
}

/** Type of address for a key. @throws {NodeError} */
export function requireKeyAddressType(text: string, chain: AddressChain): KeyAddressType {
  const type = parseKeyAddressType(text, chain);
  if (!type) throw unknownType(text);
  return type;
}

/**
 * Type of address for a multisig script. That of EVM addresses stands for P2SH if a key is not compressed, as every other type does.
 * @throws {NodeError} also where `defid` ends itself: there is no EVM address of a script
 */
export function requireMultisigType(text: string, keys: readonly Uint8Array[], chain: AddressChain): AddressType {
  const type = requireKeyAddressType(text, chain);
  if (type !== 'erc55') return type;
  if (keys.every((key) => key.length === COMPRESSED_KEY_SIZE)) throw unknownType(text);
  return 'legacy';
}

function unknownType(text: string): NodeError {
  return new NodeError('invalid-address', `Unknown address type '${text}'`);
}

/** Destination of an address argument. @param message error text @throws {NodeError} `invalid-address` */
export function requireAddress(text: string, chain: AddressChain, message = 'Invalid Defi address'): Destination {
  const destination = parseDestination(text, chain);
  if (!destination) throw new NodeError('invalid-address', message);
  return destination;
}

/** True if watch-only addresses count; by default only in wallets without private keys. */
export function includesWatched(wallet: Wallet, given: boolean | undefined): boolean {
  return given ?? wallet.privateKeysDisabled;
}

/** True if coins of reused addresses are excluded. @throws {NodeError} */
export function avoidsReuse(wallet: Wallet, given: boolean | undefined): boolean {
  if (given === true && !wallet.avoidsReuse) {
    throw new NodeError('wallet', 'wallet does not have the "avoid reuse" feature enabled');
  }
  return given ?? wallet.avoidsReuse;
}

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

/** Address type of an argument. @throws {NodeError} */
export function requireAddressType(text: string): AddressType {
  const type = parseAddressType(text);
  if (!type) throw new NodeError('invalid-address', `Unknown address type '${text}'`);
  return type;
}

/** Type of address for a key. */
export function requireKeyAddressType(text: string, chain: AddressChain): KeyAddressType {
  return knowsEvm(chain.params) && EVM_ADDRESS_NAMES.includes(text) ? 'erc55' : requireAddressType(text);
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

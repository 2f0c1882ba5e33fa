import type { Destination } from '../../script/address.js';
import type { AddressType } from '../../script/multisig.js';
import { NodeError } from '../../util/errors.js';
import { EVM_ADDRESS_NAMES, type KeyAddressType, parseAddressType } from '../../wallet/address-type.js';
import type { Wallet } from '../../wallet/wallet.js';
import { type AddressChain, knowsEvm, parseDestination } from '../format/destination.js';

/** A label as callers give it. @throws {NodeError} for the one that stands for all */
export function requireLabel(label: string): string {
  if (label === '*') throw new NodeError('invalid-label', 'Invalid label name');
  return label;
}

export function requireAddressType(text: string): AddressType {
  const type = parseAddressType(text);
  if (!type) throw new NodeError('invalid-address', `Unknown address type '${text}'`);
  return type;
}

/** How a key is to have an address. */
export function requireKeyAddressType(text: string, chain: AddressChain): KeyAddressType {
  return knowsEvm(chain) && EVM_ADDRESS_NAMES.includes(text) ? 'erc55' : requireAddressType(text);
}

export function requireAddress(text: string, chain: AddressChain, message = 'Invalid Defi address'): Destination {
  const destination = parseDestination(text, chain);
  if (!destination) throw new NodeError('invalid-address', message);
  return destination;
}

/** Whether what is only watched counts; wallets without private keys have nothing else. */
export function includesWatched(wallet: Wallet, given: boolean | undefined): boolean {
  return given ?? wallet.privateKeysDisabled;
}

/** Whether what used addresses hold is left out. @throws {NodeError} */
export function avoidsReuse(wallet: Wallet, given: boolean | undefined): boolean {
  if (given === true && !wallet.avoidsReuse) {
    throw new NodeError('wallet', 'wallet does not have the "avoid reuse" feature enabled');
  }
  return given ?? wallet.avoidsReuse;
}

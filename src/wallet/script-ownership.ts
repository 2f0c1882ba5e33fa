import { knowsEvm } from '../params/network.js';
import { type Destination, destinationOf } from '../script/address.js';
import type { Ownership } from './keys/ownership.js';
import type { Wallet } from './wallet.js';

/** Destination of an output script or account: that of an EVM address too, if the network knows them. */
export function destinationIn({ deps }: Pick<Wallet, 'deps'>, script: Uint8Array): Destination | undefined {
  return destinationOf(script, { metachain: knowsEvm(deps.chain.params) });
}

/** Ownership of an output script or account. That of an EVM address is decided by its key, although the wallet cannot spend its outputs. */
export function ownershipByAddress(wallet: Pick<Wallet, 'deps' | 'ownershipOf' | 'ownershipOfAddress'>, script: Uint8Array): Ownership {
  const destination = destinationIn(wallet, script);
  return destination?.type === 'evm' ? wallet.ownershipOfAddress(destination) : wallet.ownershipOf(script);
}

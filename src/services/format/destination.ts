import { knowsEvm, type NetworkParams } from '../../params/network.js';
import { type Destination, decodeDestination } from '../../script/address.js';

/** The chain that addresses belong to. */
export interface AddressChain {
  readonly params: Pick<NetworkParams, 'address' | 'upgrades'>;
}

/** Destination of a DVM or EVM address. @returns undefined if the text is no address */
export function parseDestination(text: string, chain: AddressChain): Destination | undefined {
  return decodeDestination(text, chain.params.address, { metachain: knowsEvm(chain.params) });
}

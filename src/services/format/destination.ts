import { isActive, type NetworkParams } from '../../params/network.js';
import { type Destination, decodeDestination } from '../../script/address.js';

/** The chain that addresses belong to. */
export interface AddressChain {
  readonly params: Pick<NetworkParams, 'address' | 'upgrades'>;
  readonly tip: { readonly height: number };
}

/** Whether the next block is one of Metachain, and `0x` texts are addresses. Before, scripts of the EVM are witness programs like others. */
export function knowsEvm({ params, tip }: AddressChain): boolean {
  return isActive(params, 'metachain', tip.height + 1);
}

/** Destination of address text, of either machine. @returns undefined if it is no address */
export function parseDestination(text: string, chain: AddressChain): Destination | undefined {
  return decodeDestination(text, chain.params.address, { metachain: knowsEvm(chain) });
}

import { isActive, type NetworkParams } from '../../params/network.js';
import { type Destination, decodeDestination } from '../../script/address.js';

/** Parameters and tip of the chain that addresses belong to. */
export interface AddressChain {
  readonly params: Pick<NetworkParams, 'address' | 'upgrades'>;
  readonly tip: { readonly height: number };
}

/** True if the next block is at Metachain or later, so that `0x` texts are addresses. Before, EVM scripts are unknown witness programs. */
export function knowsEvm({ params, tip }: AddressChain): boolean {
  return isActive(params, 'metachain', tip.height + 1);
}

/** Destination of a DVM or EVM address. @returns undefined if the text is no address */
export function parseDestination(text: string, chain: AddressChain): Destination | undefined {
  return decodeDestination(text, chain.params.address, { metachain: knowsEvm(chain) });
}

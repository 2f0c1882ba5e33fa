import { knowsEvm } from '../params/network.js';
import { type Destination, destinationOf } from '../script/address.js';
import type { Wallet } from './wallet.js';

/** Destination of an output script or account: that of an EVM address too, if the network knows them. */
export function destinationIn({ deps }: Pick<Wallet, 'deps'>, script: Uint8Array): Destination | undefined {
  return destinationOf(script, { metachain: knowsEvm(deps.chain.params) });
}

import type { MintingConfig } from '../config/config.js';
import type { NetworkParams } from '../params/network.js';
import type { Hash160 } from '../primitives/hash.js';
import { decodeDestination, scriptOf } from '../script/address.js';

/** Addresses of the options of minting, decoded. */
export interface MintingAddresses {
  /** Key ids of -masternode_operator, each once. */
  readonly operators: readonly Hash160[];
  /** Script of -rewardaddress; undefined without one. */
  readonly rewardScript: Uint8Array | undefined;
}

/** @throws {Error} with the text for the operator, for an address of another network or kind */
export function mintingAddresses(
  { operators, rewardAddress }: Pick<MintingConfig, 'operators' | 'rewardAddress'>,
  { address: format }: Pick<NetworkParams, 'address'>,
): MintingAddresses {
  return {
    // The configuration file and the command line may contain the same operator.
    operators: [...new Set(operators)].map((address) => requireKeyId(address, format)),
    rewardScript: rewardAddress === undefined ? undefined : rewardScriptOf(rewardAddress, format),
  };
}

function requireKeyId(address: string, format: NetworkParams['address']): Hash160 {
  const destination = decodeDestination(address, format);
  if (destination?.type === 'pkh' || destination?.type === 'wpkh') return destination.hash;
  throw new Error(`Invalid -masternode_operator address: ${address}`);
}

function rewardScriptOf(address: string, format: NetworkParams['address']): Uint8Array {
  const destination = decodeDestination(address, format);
  if (!destination) throw new Error(`Invalid -rewardaddress: ${address}`);
  return scriptOf(destination);
}

import { isStandardScript } from '../../mempool/policy.js';
import { knowsEvm, type NetworkParams } from '../../params/network.js';
import { destinationOf, encodeDestination, ownerText, scriptOf } from '../../script/address.js';
import { erc55Of } from '../../script/erc55.js';
import { fromHex, isHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { type AddressChain, parseDestination } from './destination.js';

/** Largest data script that is relayed, in bytes. */
export const MAX_DATA_SCRIPT = 65_536;

/**
 * Script of an owner: from an address, or from the hex of a standard script. EVM scripts in hex are refused.
 * @throws {NodeError} `invalid-address`
 * @see docs/protocol/accounts.md 7.1
 */
export function parseOwner(text: string, chain: AddressChain): Uint8Array {
  if (isHex(text)) {
    const script = fromHex(text);
    if (!isStandardScript(script, MAX_DATA_SCRIPT) || (knowsEvm(chain.params) && erc55Of(script))) {
      throw new NodeError('invalid-address', `recipient script (${text}) does not solvable/non-standard`);
    }
    return script;
  }
  const destination = parseDestination(text, chain);
  if (!destination) throw new NodeError('invalid-address', `recipient (${text}) does not refer to any valid address`);
  return scriptOf(destination);
}

/**
 * Refuses EVM owners: their balances move by `transferdomain` only.
 * @throws {NodeError} `invalid-address`
 * @see docs/protocol/accounts.md 6.3
 */
export function refuseEvmOwners(chain: AddressChain, owners: readonly Uint8Array[]): void {
  if (!knowsEvm(chain.params)) return;
  if (owners.some((owner) => erc55Of(owner) !== undefined)) throw new NodeError('invalid-address', 'ERC55 addresses not supported');
}

/** Script of a DVM owner. @throws {NodeError} `invalid-address`, as {@link parseOwner} and {@link refuseEvmOwners} do */
export function parseNativeOwner(text: string, chain: AddressChain): Uint8Array {
  const owner = parseOwner(text, chain);
  refuseEvmOwners(chain, [owner]);
  return owner;
}

/** Address of a script, or its hex if it has none. Networks with Metachain show EVM addresses at any height. */
export function formatOwner(script: Uint8Array, params: Pick<NetworkParams, 'address' | 'upgrades'>): string {
  return ownerText(script, params.address, { metachain: knowsEvm(params) });
}

/** Address of an account; undefined for scripts that have none, such as bare multisig. */
export function addressOf(script: Uint8Array, params: Pick<NetworkParams, 'address' | 'upgrades'>): string | undefined {
  const destination = destinationOf(script, { metachain: knowsEvm(params) });
  return destination && encodeDestination(destination, params.address);
}

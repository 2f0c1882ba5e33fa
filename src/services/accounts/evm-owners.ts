import type { Chain } from '../../chain/chain.js';
import { isActive } from '../../params/network.js';
import { destinationOf } from '../../script/address.js';
import { NodeError } from '../../util/errors.js';

/** Witness version and program size of the scripts that stand for addresses of the EVM. */
const EVM_VERSION = 16;
const EVM_SIZE = 20;

/**
 * Accounts of the EVM move by `transferdomain` alone. Before Metachain their scripts were witness programs like others.
 * @throws {NodeError} `invalid-address`
 * @see spec: accounts 6.3
 */
export function refuseEvmOwners({ params, tip }: Pick<Chain, 'params' | 'tip'>, owners: readonly Uint8Array[]): void {
  if (!isActive(params, 'metachain', tip.height + 1)) return;
  if (owners.some(isEvmOwner)) throw new NodeError('invalid-address', 'ERC55 addresses not supported');
}

function isEvmOwner(script: Uint8Array): boolean {
  const destination = destinationOf(script);
  return destination?.type === 'wunknown' && destination.version === EVM_VERSION && destination.program.length === EVM_SIZE;
}

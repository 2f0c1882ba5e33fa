import type { Chain } from '../../chain/chain.js';
import { isActive } from '../../params/network.js';
import { erc55Of } from '../../script/erc55.js';
import { NodeError } from '../../util/errors.js';

/**
 * Accounts of the EVM move by `transferdomain` alone. Before Metachain their scripts were witness programs like others.
 * @throws {NodeError} `invalid-address`
 * @see spec: accounts 6.3
 */
export function refuseEvmOwners({ params, tip }: Pick<Chain, 'params' | 'tip'>, owners: readonly Uint8Array[]): void {
  if (!isActive(params, 'metachain', tip.height + 1)) return;
  if (owners.some((owner) => erc55Of(owner) !== undefined)) throw new NodeError('invalid-address', 'ERC55 addresses not supported');
}

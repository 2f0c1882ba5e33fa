import type { Chain } from '../../chain/chain.js';
import { stakeWeight, subNodeCount } from '../../consensus/pos/kernel.js';
import type { Anchor } from '../../dfi/anchors/columns.js';
import { type IdentifiedMasternode, type KeyType, P2PKH, P2SH, P2WPKH } from '../../dfi/masternodes/columns.js';
import { lastBlockTimes, timelockAt } from '../../dfi/masternodes/staking.js';
import type { AddressParams } from '../../params/network.js';
import type { Hash160 } from '../../primitives/hash.js';
import { type Destination, encodeDestination } from '../../script/address.js';

type MasternodeChain = Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state'>;

/** Address of a masternode's owner, operator or reward; empty if there is none. */
export function keyAddress(type: KeyType, key: Hash160, address: AddressParams): string {
  return type === 0 ? '' : encodeDestination(keyDestination(type, key), address);
}

/** Address of the reward of an anchor. `defid` shows a script as a witness-key address too, although scripts are paid from Metachain on. */
export function rewardAddress(
  { rewardKeyId, rewardKeyType }: Pick<Anchor, 'rewardKeyId' | 'rewardKeyType'>,
  address: AddressParams,
): string {
  return keyAddress(rewardKeyType === P2PKH ? P2PKH : P2WPKH, rewardKeyId, address);
}

/** Destination of a masternode's key. */
export function keyDestination(type: KeyType, key: Hash160): Destination {
  return { type: type === P2PKH ? 'pkh' : type === P2SH ? 'sh' : 'wpkh', hash: key };
}

/** Timelock in weeks, in force for the newest block; 0 for masternodes without one. A resignation is bound by that of the next block. */
export function timelockOf(identified: IdentifiedMasternode, chain: MasternodeChain): number {
  return timelockAt(chain.state, identified, chain.tip.height, (at) => chain.entryAt(at)?.time, chain.params) ?? 0;
}

/** Display name of a timelock; undefined for other lengths, such as 0. */
export function timelockName(weeks: number): string | undefined {
  return weeks === 260 ? '5 years' : weeks === 520 ? '10 years' : undefined;
}

/**
 * Factor by which each sub-node's target is raised, by the time since its last block.
 * @param now seconds since 1970
 * @param upTo blocks at or above this height are ignored
 */
export function targetMultipliers(identified: IdentifiedMasternode, chain: MasternodeChain, now: number, upTo: number): number[] {
  const timelock = timelockOf(identified, chain);
  const times = lastBlockTimes(chain.state, identified, { upTo, timelock, blockTime: (at) => chain.entryAt(at)?.time }, chain.params);
  return times.slice(0, subNodeCount(timelock, upTo, chain.params)).map((time) => Number(stakeWeight(now, time, chain.params)));
}

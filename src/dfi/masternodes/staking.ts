import { type Stake, subNodeCount } from '../../consensus/pos/kernel.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import type { BlockTimeAt } from '../kernel/block-context.js';
import { type IdentifiedMasternode, masternodeTimelocks, resignDelay, stakerTimes, subNodeTimes } from './columns.js';

const SUB_NODES = 4;
const SECONDS_PER_WEEK = 604_800;

/**
 * Timelock of a masternode's collateral in a block at `height`, in weeks; 0 if it has none or it is over.
 * @returns undefined if a block that the average needs is missing
 * @see docs/protocol/chain.md 3.3
 */
export function timelockAt(
  view: StateView,
  { id, node }: IdentifiedMasternode,
  height: number,
  blockTime: BlockTimeAt,
  params: NetworkParams,
): number | undefined {
  const weeks = view.get(masternodeTimelocks, id);
  if (!weeks) return 0;
  const delay = resignDelay(height, params);
  if (height - 1 < delay) return weeks;
  const created = blockTime(node.creationHeight);
  if (created === undefined) return undefined;
  let sum = 0;
  for (let at = height - delay; at < height; at++) {
    const time = blockTime(at);
    if (time === undefined) return undefined;
    sum += time;
  }
  return Math.trunc(sum / delay) < created + weeks * SECONDS_PER_WEEK ? weeks : 0;
}

/**
 * Times of the last blocks of the four sub-nodes, in seconds since 1970; 0 for a sub-node without one.
 * @param upTo records at or above this height are ignored, except for 0
 * @see docs/protocol/chain.md 3.3
 */
export function lastBlockTimes(
  view: StateView,
  { id, node }: IdentifiedMasternode,
  { upTo, timelock, blockTime }: { readonly upTo: number; readonly timelock: number; readonly blockTime: BlockTimeAt },
  params: NetworkParams,
): number[] {
  // At 0 the subtraction in `defid` wraps around, so the newest record of all is the last one.
  const height = upTo === 0 ? 0xffffffff : upTo - 1;
  const staker = newestStakerTime(view, id, height);
  const times: number[] = [];
  for (let subNode = 0; subNode < SUB_NODES; subNode++)
    times.push(newestSubNodeTime(view, id, subNode, height, isActive(params, 'fortCanning', upTo)));
  if (staker && times[0] === 0) times[0] = staker;
  const payaTime = blockTime(params.upgrades.eunosPaya);
  if (payaTime === undefined) return times;
  const crescentTime = blockTime(params.upgrades.dakotaCrescent);
  if (!isActive(params, 'dakotaCrescent', node.creationHeight) && !staker && times[0] === 0 && crescentTime !== undefined)
    times[0] = crescentTime;
  for (let i = 0; i < subNodeCount(timelock, upTo, params); i++) times[i] ||= payaTime;
  return times;
}

/** Seconds since 1970; 0 if there is no record at or below the height. */
function newestStakerTime(view: StateView, masternodeId: Hash256, height: number): number {
  for (const [key, time] of view.entries(stakerTimes, { from: { masternodeId, height } })) {
    return equalBytes(key.masternodeId, masternodeId) ? Number(time) : 0;
  }
  return 0;
}

/** Before Fort Canning a search without a result for its sub-node returns the newest record of the next sub-node. */
function newestSubNodeTime(view: StateView, masternodeId: Hash256, subNode: number, height: number, exact: boolean): number {
  for (const [key, time] of view.entries(subNodeTimes, { from: { masternodeId, subNode, height } })) {
    return equalBytes(key.masternodeId, masternodeId) && (!exact || key.subNode === subNode) ? Number(time) : 0;
  }
  return 0;
}

/**
 * Stake of a masternode in a block that is validated.
 * @returns undefined if its timelock cannot be computed
 */
export function stakeOf(
  view: StateView,
  identified: IdentifiedMasternode,
  height: number,
  blockTime: BlockTimeAt,
  params: NetworkParams,
): Stake | undefined {
  const timelock = isActive(params, 'eunosPaya', height) ? timelockAt(view, identified, height, blockTime, params) : 0;
  if (timelock === undefined) return undefined;
  const { creationHeight } = identified.node;
  // Up to Eunos the search starts at the creation height, so only genesis masternodes find a record.
  const upTo = height > params.upgrades.eunos ? height : creationHeight;
  const weighted = isActive(params, 'dakotaCrescent', height) || isActive(params, 'eunosPaya', height);
  const times = weighted ? lastBlockTimes(view, identified, { upTo, timelock, blockTime }, params) : [0, 0, 0, 0];
  return { masternodeId: identified.id, creationHeight, timelock, lastBlockTimes: times };
}

/** Records that a sub-node minted the block at `height`. @param at time is in seconds since 1970 */
export function recordBlockTime(
  view: WritableView,
  at: { readonly masternodeId: Hash256; readonly subNode: number; readonly height: number; readonly time: number },
  params: NetworkParams,
): void {
  const { masternodeId, subNode, height } = at;
  if (isActive(params, 'eunosPaya', height)) view.put(subNodeTimes, { masternodeId, subNode, height }, BigInt(at.time));
  else if (isActive(params, 'dakotaCrescent', height)) view.put(stakerTimes, { masternodeId, height }, BigInt(at.time));
}

/** Starts the block times of a new masternode with the time of its creation. @see docs/protocol/chain.md 3.3 */
export function recordCreationTimes(
  view: WritableView,
  at: { readonly masternodeId: Hash256; readonly height: number; readonly time: number },
  params: NetworkParams,
): void {
  const subNodes = isActive(params, 'eunosPaya', at.height) ? SUB_NODES : 1;
  for (let subNode = 0; subNode < subNodes; subNode++) recordBlockTime(view, { ...at, subNode }, params);
}

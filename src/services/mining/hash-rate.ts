import type { GetNetworkHashPsRequest, GetNetworkHashPsResponse } from '../../../gen/ts/dfi/mining/v1/mining.js';
import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { NetworkParams } from '../../params/network.js';
import type { Handler } from '../../rpc/handler.js';
import { finish, inSlices, type Steps, UnitCount, withValue } from '../../util/slicer.js';
import type { MiningModules } from './modules.js';

type Modules = { readonly chain: Pick<MiningModules['chain'], 'params' | 'tip' | 'entryAt'> };

/** Default number of blocks for the estimate. */
export const DEFAULT_LOOKUP = 120;

/** @see docs/protocol/rpc-chain.md 3.2.1 */
export const getNetworkHashPs: Handler<Modules, GetNetworkHashPsRequest, GetNetworkHashPsResponse> = ({ chain }, request, call) => {
  // `defid` converts the height first.
  const { height = -1, nblocks = DEFAULT_LOOKUP } = request;
  const at = height >= 0 && height < chain.tip.height ? chain.entryAt(height) : undefined;
  return withValue(inSlices(hashRateSteps(at ?? chain.tip, nblocks, chain.params), call), (hashesPerSecond) => ({ hashesPerSecond }));
};

/** A block of the index, as far as the estimate needs it. */
interface Worked extends Pick<BlockIndexEntry, 'height' | 'time' | 'chainWork'> {
  readonly parent: Worked | undefined;
}

/** {@link hashRateSteps} at once, for few blocks. */
export function hashRate(end: Worked, lookup: number, params: Pick<NetworkParams, 'pos'>): number {
  return finish(hashRateSteps(end, lookup, params));
}

/**
 * Estimated hashes per second of the network, from the blocks up to `end`. The caller chooses their number, up to the whole chain.
 * @param lookup number of blocks; 0 or less for those since the last difficulty change
 */
function* hashRateSteps(end: Worked, lookup: number, params: Pick<NetworkParams, 'pos'>): Steps<number> {
  const interval = Math.trunc(params.pos.targetTimespan / params.pos.targetSpacing);
  const blocks = Math.min(lookup <= 0 ? (end.height % interval) + 1 : lookup, end.height);
  const units = new UnitCount();
  let first = end;
  let earliest = end.time;
  let latest = end.time;
  for (let i = 0; i < blocks && first.parent; i++) {
    first = first.parent;
    earliest = Math.min(earliest, first.time);
    latest = Math.max(latest, first.time);
    if (units.add()) yield;
  }
  return latest === earliest ? 0 : toDouble(end.chainWork - first.chainWork) / (latest - earliest);
}

const WORD_BITS = 32n;
const WORD_MASK = (1n << WORD_BITS) - 1n;
const WORD_VALUES = 2 ** 32;

/** Work as a double. `defid` adds its 32-bit words, the lowest first, and rounds each sum, which differs from rounding once. */
function toDouble(work: bigint): number {
  let sum = 0;
  let unit = 1;
  for (let rest = work; rest > 0n; rest >>= WORD_BITS) {
    sum += unit * Number(rest & WORD_MASK);
    unit *= WORD_VALUES;
  }
  return sum;
}

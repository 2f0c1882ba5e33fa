import { isActive, type NetworkParams } from '../../params/network.js';
import type { Ancestor } from '../ancestry.js';
import { decodeCompact, encodeCompact } from './target.js';

/**
 * Required bits of the child of `parent`. The target is scaled by the duration of the last interval, by at most a factor of four.
 * @see docs/protocol/chain.md 3.5
 */
export function nextBits(parent: Ancestor, params: NetworkParams): number {
  const { pos } = params;
  if (pos.noRetargeting) return parent.bits;
  if (pos.fixedBits !== undefined) return pos.fixedBits;
  const height = parent.height + 1;
  const second = height > params.upgrades.eunos && !(params.isTestnet && isActive(params, 'fortCanning', height));
  const timespan = second ? pos.targetTimespanV2 : pos.targetTimespan;
  const interval = Math.trunc(timespan / pos.targetSpacing);
  const since = second ? height - params.upgrades.eunos : height;
  if (since % interval !== 0) return parent.bits;
  // One block fewer than the interval: the off-by-one error of Bitcoin, kept by consensus.
  const first = parent.ancestor(parent.height - (interval - 1));
  if (!first) return parent.bits;
  const span = Math.min(Math.max(parent.time - first.time, Math.trunc(timespan / 4)), timespan * 4);
  const target = (decodeCompact(parent.bits) * BigInt(span)) / BigInt(timespan);
  return encodeCompact(target < pos.diffLimit ? target : pos.diffLimit);
}

import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';
import type { BlockIndexEntry } from './block-index.js';
import type { ChainQueries } from './reader.js';

/** A block is vouched for only if about two weeks of blocks stand above it. */
const TRUST_DEPTH_SEC = 14 * 86_400;

/** Scripts of blocks below the one that the network's parameters vouch for are not run, once its chain is known to be long. */
export function isAssumedValid(parent: BlockIndexEntry, chain: Pick<ChainQueries, 'params' | 'entry' | 'bestHeader'>): boolean {
  const { assumeValid, minimumChainWork, pos } = chain.params;
  const trusted = assumeValid && chain.entry(assumeValid);
  if (!trusted || trusted.height <= parent.height || trusted.ancestor(parent.height) !== parent) return false;
  const { bestHeader } = chain;
  if (bestHeader.ancestor(trusted.height) !== trusted || bestHeader.chainWork < minimumChainWork) return false;
  return (bestHeader.height - parent.height) * pos.targetSpacing > TRUST_DEPTH_SEC;
}

/** The network's parameters name the block, so it and all blocks below it are the network's. */
export function isCheckpointed(hash: Hash256, { assumeValid, checkpoints }: Pick<NetworkParams, 'assumeValid' | 'checkpoints'>): boolean {
  return (
    (assumeValid !== undefined && equalBytes(assumeValid, hash)) || checkpoints.some((checkpoint) => equalBytes(checkpoint.hash, hash))
  );
}

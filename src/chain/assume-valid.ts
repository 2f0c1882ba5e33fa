import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';
import type { BlockIndexEntry } from './block-index.js';
import type { ChainQueries } from './reader.js';

/** Work above a block that makes it assumed valid, as seconds of blocks at the target spacing: about two weeks. */
const MIN_DEPTH_SEC = 14 * 86_400;

/**
 * True if the child of `parent` is assumed valid, so that its scripts are not run: it is an ancestor of the assumed-valid block of the
 * parameters or that block itself, and the best header is far above it.
 */
export function isAssumedValid(parent: BlockIndexEntry, chain: Pick<ChainQueries, 'params' | 'entry' | 'bestHeader'>): boolean {
  const { assumeValid, minimumChainWork, pos } = chain.params;
  const assumed = assumeValid && chain.entry(assumeValid);
  if (!assumed || assumed.height <= parent.height || assumed.ancestor(parent.height) !== parent) return false;
  const { bestHeader } = chain;
  if (bestHeader.ancestor(assumed.height) !== assumed || bestHeader.chainWork < minimumChainWork) return false;
  return (bestHeader.height - parent.height) * pos.targetSpacing > MIN_DEPTH_SEC;
}

/** True if the parameters name the block: as a checkpoint, or as the block that is assumed valid. */
export function isCheckpointed(hash: Hash256, { assumeValid, checkpoints }: Pick<NetworkParams, 'assumeValid' | 'checkpoints'>): boolean {
  return (
    (assumeValid !== undefined && equalBytes(assumeValid, hash)) || checkpoints.some((checkpoint) => equalBytes(checkpoint.hash, hash))
  );
}

import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';
import type { BlockIndexEntry } from './block-index.js';
import type { ChainQueries } from './reader.js';

/** Work above a block that makes it assumed valid, as seconds of blocks at the target spacing: about two weeks. */
const MIN_DEPTH_SEC = 14 * 86_400;

/**
 * True if the child of `parent` is assumed valid, so that its scripts are not run: it is an ancestor of the assumed-valid block of the
 * parameters or that block itself, and the best header is far above it. As long as the header of that block is not downloaded, a checkpoint
 * above the child stands for it.
 */
export function isAssumedValid(parent: BlockIndexEntry, chain: Pick<ChainQueries, 'params' | 'entry' | 'bestHeader'>): boolean {
  const { assumeValid, minimumChainWork, pos } = chain.params;
  if (assumeValid === undefined) return false;
  const { bestHeader } = chain;
  const named = chain.entry(assumeValid);
  if (named && bestHeader.chainWork < minimumChainWork) return false;
  const assumed = named ?? checkpointAbove(parent, chain);
  if (!assumed || assumed.height <= parent.height || assumed.ancestor(parent.height) !== parent) return false;
  return bestHeader.ancestor(assumed.height) === assumed && (bestHeader.height - parent.height) * pos.targetSpacing > MIN_DEPTH_SEC;
}

function checkpointAbove({ height }: BlockIndexEntry, chain: Pick<ChainQueries, 'params' | 'entry'>): BlockIndexEntry | undefined {
  const next = chain.params.checkpoints.find((checkpoint) => checkpoint.height > height);
  return next && chain.entry(next.hash);
}

/** True if the parameters name the block: as a checkpoint, or as the block that is assumed valid. */
export function isCheckpointed(hash: Hash256, { assumeValid, checkpoints }: Pick<NetworkParams, 'assumeValid' | 'checkpoints'>): boolean {
  return (
    (assumeValid !== undefined && equalBytes(assumeValid, hash)) || checkpoints.some((checkpoint) => equalBytes(checkpoint.hash, hash))
  );
}

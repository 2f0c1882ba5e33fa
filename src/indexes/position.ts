import type { BlockIndexEntry } from '../chain/block-index.js';
import { list, varString } from '../primitives/codec.js';
import { type Hash256, hash256 } from '../primitives/hash.js';
import type { Column } from '../storage/view.js';

/**
 * Position of each index: hashes of its last block and of those 1, 2, 4, ... below, down to genesis. After an unclean shutdown the chain
 * may have lost its last blocks but not the index, so that only an older hash is known.
 */
export const indexPositions: Column<string, readonly Hash256[]> = { name: 'index/position', key: varString, value: list(hash256) };

/** Hashes of the position of an index whose last block this is. */
export function locatorOf(entry: BlockIndexEntry): Hash256[] {
  const hashes = [entry.hash];
  for (let step = 1; step <= entry.height; step *= 2) {
    const below = entry.ancestor(entry.height - step);
    if (below) hashes.push(below.hash);
  }
  return hashes;
}

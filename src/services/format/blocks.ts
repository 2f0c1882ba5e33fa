import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { ChainQueries } from '../../chain/reader.js';
import type { Block } from '../../primitives/block.js';
import type { Hash256 } from '../../primitives/hash.js';
import { NodeError } from '../../util/errors.js';

/** Index entry with this hash. @throws {NodeError} `block-not-found` */
export function requireBlockEntry(chain: Pick<ChainQueries, 'entry'>, hash: Hash256): BlockIndexEntry {
  const entry = chain.entry(hash);
  if (!entry) throw new NodeError('block-not-found', 'Block not found');
  return entry;
}

/** Block of an entry. @throws {NodeError} `misc` if only the header is known, or the block was pruned */
export function requireBlock(chain: Pick<ChainQueries, 'block'>, entry: BlockIndexEntry): Block {
  return requireStored(entry, chain.block(entry));
}

/** Returns a stored part of a block. @throws {NodeError} as {@link requireBlock} if it was not found */
export function requireStored<T>(entry: BlockIndexEntry, found: T | undefined): T {
  if (found !== undefined) return found;
  throw new NodeError('misc', entry.isPruned ? 'Block not available (pruned data)' : 'Block not found on disk');
}

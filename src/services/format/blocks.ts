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
  if (entry.isPruned) throw new NodeError('misc', 'Block not available (pruned data)');
  const block = chain.block(entry);
  if (!block) throw new NodeError('misc', 'Block not found on disk');
  return block;
}

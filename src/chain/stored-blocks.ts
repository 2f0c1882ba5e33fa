import { type CheckedBlock, checkBlock, checkBlockContext } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import type { NetworkParams } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import { StoreDamaged } from '../storage/errors.js';
import { toHex } from '../util/bytes.js';
import type { BlockIndexEntry, BlockTree } from './block-index.js';
import type { BlockFile, BlockPosition } from './block-store.js';
import type { ChainReader } from './reader.js';

const REPAIR = 'start with -reindex to build the database again';

/**
 * Looks whether the files are there that known blocks stand in.
 * @throws {StoreDamaged} if one is gone
 */
export function checkStoredBlocks(tree: Pick<BlockTree, 'all'>, blockFiles: readonly BlockFile[], prunes: boolean): void {
  const files = new Set(blockFiles.map(({ file }) => file));
  for (const { position, isPruned } of tree.all()) {
    if (position && !files.has(position.file)) throw new StoreDamaged(`block file ${position.file} is missing; ${REPAIR}`);
    if (isPruned && !prunes) {
      throw new Error(
        'You need to rebuild the database using -reindex to go back to unpruned mode.  This will redownload the entire blockchain',
      );
    }
  }
}

/** Stored blocks that may lack witness data which the rules ask for by now, and all stored ones above them. */
export function blocksLackingWitness(
  tree: Pick<BlockTree, 'all' | 'descendants'>,
  { buried: { segwit } }: Pick<NetworkParams, 'buried'>,
): ReadonlySet<BlockIndexEntry> {
  const found = new Set<BlockIndexEntry>();
  for (const entry of tree.all()) {
    if (!entry.lacksWitness || entry.height < segwit || found.has(entry)) continue;
    for (const above of tree.descendants(entry)) if (above.nTx > 0) found.add(above);
  }
  return found;
}

/** Where the block stands that came last of those the tree knows. */
export function lastKnownPosition(tree: Pick<BlockTree, 'all'>): BlockPosition | undefined {
  let last: BlockPosition | undefined;
  for (const { position } of tree.all()) {
    if (position && (!last || position.file > last.file || (position.file === last.file && position.offset > last.offset))) last = position;
  }
  return last;
}

/** Blocks that are to be connected, as what came or as what the disk gives back. */
export class CheckedBlocks {
  readonly #chain: Pick<ChainReader, 'params' | 'block'>;
  /** Those whose form was checked in this process, and that nobody can have changed since. */
  readonly #checked = new WeakSet<Block>();

  constructor(chain: Pick<ChainReader, 'params' | 'block'>) {
    this.#chain = chain;
  }

  note(block: CheckedBlock): void {
    this.#checked.add(block);
  }

  /**
   * A stored block. It was checked when it came; one that is read back is checked again, because a mistake of the disk must not be
   * taken for one of the block.
   * @throws {StoreDamaged} if it is not there, or not what was stored
   * @throws {BlockInvalid} if it breaks a rule after all, as where the rules are others by now
   */
  require(entry: BlockIndexEntry): CheckedBlock {
    const block = this.#chain.block(entry);
    if (!block) throw new StoreDamaged(`block ${toHex(entry.hash)} is not stored; ${REPAIR}`);
    return this.#checked.has(block) ? (block as CheckedBlock) : this.#check(block, entry);
  }

  #check(block: Block, { hash, height, parent }: BlockIndexEntry): CheckedBlock {
    const { params } = this.#chain;
    try {
      const checked = checkBlock(block, height, params);
      if (parent) checkBlockContext(checked, parent, params);
      this.note(checked);
      return checked;
    } catch (error) {
      if (!(error instanceof BlockInvalid) || error.kind !== 'mutated') throw error;
      throw new StoreDamaged(`the stored block ${toHex(hash)} at height ${height} is damaged (${error.message}); ${REPAIR}`, {
        cause: error,
      });
    }
  }
}

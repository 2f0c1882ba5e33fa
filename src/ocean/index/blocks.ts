import type { BlockIndexEntry } from '../../chain/block-index.js';
import { type Block, type BlockSizes, blockSizes } from '../../primitives/block.js';
import { i64, struct, u32, u32be } from '../../primitives/codec.js';
import { varInt } from '../../primitives/var-int.js';
import type { Column } from '../../storage/view.js';
import type { AddRows } from './rows.js';

/** Facts of a block that cannot be read from its header alone. */
export interface BlockFacts extends Pick<BlockSizes, 'size' | 'strippedSize'> {
  /** Satoshis of the first output of the coinbase. */
  readonly reward: bigint;
  /** Median time, seconds since 1970. Without the index the chain would read eleven blocks for it far below the tip. */
  readonly medianTime: number;
}

/** Facts of each block by height, so that lists of blocks need not read them. */
export const blockFacts: Column<number, BlockFacts> = {
  name: 'ocean/block',
  key: u32be,
  value: struct<BlockFacts>({ size: varInt, strippedSize: varInt, reward: i64, medianTime: u32 }),
};

export function factsOf(block: Block, entry: Pick<BlockIndexEntry, 'medianTimePast'>): BlockFacts {
  const { size, strippedSize } = blockSizes(block);
  return { size, strippedSize, reward: block.transactions[0]?.vout[0]?.value ?? 0n, medianTime: entry.medianTimePast() };
}

/** Adds the facts of a block. */
export const addBlockFacts: AddRows = (view, { block, entry }) => {
  view.putNew(blockFacts, entry.height, factsOf(block, entry));
};

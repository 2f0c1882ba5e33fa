import type { BlockIndexEntry } from '../chain/block-index.js';
import type { ChainEvent } from '../chain/chain.js';
import { struct, varBytes } from '../primitives/codec.js';
import { type Hash256, hash256, NULL_HASH } from '../primitives/hash.js';
import type { Column, WritableView } from '../storage/view.js';
import { basicFilter, filterElements, filterHeader } from './filter/basic-filter.js';
import { Follower, type FollowerDeps } from './follower.js';

export interface BlockFilter {
  /** BIP158 basic filter. */
  readonly filter: Uint8Array;
  /** Filter header (BIP157), which commits to this filter and all before it. */
  readonly header: Hash256;
}

/** Filter of each block that was ever connected, by block hash. */
export const blockFilters: Column<Hash256, BlockFilter> = {
  name: 'index/block-filter',
  key: hash256,
  value: struct<BlockFilter>({ filter: varBytes, header: hash256 }),
};

/** Compact filters of blocks. @see BIP157, BIP158 and docs/protocol/chain.md 8 */
export class BlockFilterIndex extends Follower {
  constructor(deps: FollowerDeps) {
    super({ name: 'block-filter', add: addFilter }, deps);
  }

  /** Filter of a block; undefined if the block was never connected, or is not indexed yet. */
  filter({ hash }: Pick<BlockIndexEntry, 'hash'>): BlockFilter | undefined {
    return this.view.get(blockFilters, hash);
  }
}

function addFilter(view: WritableView, { block, entry, spent }: ChainEvent): undefined {
  const previous = entry.parent ? view.get(blockFilters, entry.parent.hash)?.header : NULL_HASH;
  if (!previous) throw new Error(`no filter of the block below ${entry.height}`);
  const scripts: Uint8Array[] = [];
  for (const coins of spent) for (const { out } of coins) scripts.push(out.scriptPubKey);
  const filter = basicFilter(entry.hash, filterElements(block, scripts));
  view.put(blockFilters, entry.hash, { filter, header: filterHeader(filter, previous) });
}

import type { BlockIndexEntry } from '../../chain/block-index.js';
import { formatHash } from '../../primitives/hash.js';
import { blockFacts } from '../index/blocks.js';
import type { OceanRows } from '../index/rows.js';
import type { OceanChain } from '../modules.js';

/** Block of a transaction or a record, as answers name it. */
export interface BlockRef {
  readonly hash: string;
  readonly height: number;
  /** Seconds since 1970, of the header. */
  readonly time: number;
  /** Median of the times of the last 11 headers, this one included. */
  readonly medianTime: number;
  readonly [name: string]: string | number;
}

export function blockRef(entry: BlockIndexEntry): BlockRef {
  return refOf(entry, entry.medianTimePast());
}

/** Modules that blocks are looked up in. The index has the median times, for which the chain reads eleven blocks far below its tip. */
export interface BlockSource {
  readonly chain: Pick<OceanChain, 'entryAt'>;
  readonly rows: Pick<OceanRows, 'view'>;
}

/** Block of the active chain at a height that the index has. @throws {Error} if the chain has none */
export function blockRefAt({ chain, rows }: BlockSource, height: number): BlockRef {
  const entry = chain.entryAt(height);
  if (!entry) throw new Error(`the index has rows of height ${height}, which the chain does not have`);
  return refOf(entry, rows.view.get(blockFacts, height)?.medianTime ?? entry.medianTimePast());
}

function refOf({ hash, height, time }: BlockIndexEntry, medianTime: number): BlockRef {
  return { hash: formatHash(hash), height, time, medianTime };
}

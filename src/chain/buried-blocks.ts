import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import { StoreDamaged } from '../storage/errors.js';
import { equalBytes } from '../util/bytes.js';
import { Lru } from '../util/lru.js';
import { type ActiveChain, BlockIndexEntry } from './block-index.js';
import { type ActiveBlock, restoreEntry } from './records.js';

/** Entries that a walk along the chain reads at once: first and at most. */
const FIRST_PAGE = 8;
const LARGEST_PAGE = 128;

/** Stored blocks of the active chain. */
export interface StoredActiveChain {
  /** Blocks from one height to another, both included, ascending. */
  activeBlocks(from: number, to: number): Iterable<ActiveBlock>;
  /** Height of a stored header; undefined if it is unknown. */
  heightOf(hash: Hash256): number | undefined;
}

/**
 * Entries of the active chain far below the tip, read from the store. An entry in use anywhere is found again as the same object, because
 * entries are compared by identity; others are forgotten.
 */
export class BuriedBlocks {
  /** Recently used entries, which stay in memory. */
  readonly #recent: Lru<number, BlockIndexEntry>;
  /** Entries that were not collected as garbage yet, by height. */
  readonly #alive = new Map<number, WeakRef<BlockIndexEntry>>();
  readonly #collected = new FinalizationRegistry<number>((height) => {
    if (!this.#alive.get(height)?.deref()) this.#alive.delete(height);
  });
  /** Entries that have state that is not stored. */
  readonly #pinned = new Map<number, BlockIndexEntry>();
  /** The last read: its far end in the direction of the walk, and its size. */
  #lastRead = { end: -1, size: 1 };

  constructor(
    private readonly store: StoredActiveChain,
    private readonly chain: ActiveChain,
    private readonly params: NetworkParams,
    maxRecent: number,
  ) {
    this.#recent = new Lru(maxRecent);
  }

  /**
   * @param end lowest height that is not buried
   * @throws {StoreDamaged} if there is no such block
   */
  at(height: number, end: number): BlockIndexEntry {
    const known = this.#recent.get(height);
    if (known) return known;
    const alive = this.#alive.get(height)?.deref();
    if (alive) {
      this.#recent.set(height, alive);
      return alive;
    }
    return this.#read(height, end);
  }

  /** @param end lowest height that is not buried */
  find(hash: Hash256, end: number): BlockIndexEntry | undefined {
    const height = this.store.heightOf(hash);
    if (height === undefined || height >= end) return undefined;
    const entry = this.at(height, end);
    return equalBytes(entry.hash, hash) ? entry : undefined;
  }

  /** Adds an entry that was in memory. @param pinned true if it has state that is not stored */
  add(entry: BlockIndexEntry, pinned: boolean): void {
    this.#track(entry);
    if (pinned) this.#pinned.set(entry.height, entry);
  }

  /** Removes an entry that is in memory from now on. */
  delete({ height }: BlockIndexEntry): void {
    this.#recent.delete(height);
    this.#alive.delete(height);
    this.#pinned.delete(height);
  }

  /** Reads a block; along a walk, also the next ones in its direction. */
  #read(height: number, end: number): BlockIndexEntry {
    const { end: last, size } = this.#lastRead;
    const walks = Math.abs(height - last) === 1;
    const page = walks ? Math.min(Math.max(2 * size, FIRST_PAGE), LARGEST_PAGE) : 1;
    const from = walks && height < last ? Math.max(height - page + 1, 0) : height;
    const to = walks && height > last ? Math.min(height + page, end) - 1 : height;
    this.#lastRead = { end: height < last ? from : to, size: page };
    let found: BlockIndexEntry | undefined;
    let next = from;
    for (const row of this.store.activeBlocks(from, to)) {
      const entry = this.#alive.get(next)?.deref() ?? this.#restore(next, row);
      this.#recent.set(next, entry);
      if (next === height) found = entry;
      next += 1;
    }
    if (!found || next !== to + 1) throw new StoreDamaged(`block ${height} of the active chain is missing in the block index`);
    return found;
  }

  #restore(height: number, row: ActiveBlock): BlockIndexEntry {
    const entry = entryOf(height, row, this.chain, this.params);
    this.#track(entry);
    return entry;
  }

  #track(entry: BlockIndexEntry): void {
    this.#alive.set(entry.height, new WeakRef(entry));
    this.#collected.register(entry, entry.height);
  }
}

/** Entry of a stored block of the active chain. */
export function entryOf(height: number, row: ActiveBlock, chain: ActiveChain, params: NetworkParams): BlockIndexEntry {
  const { chainWork, maxTime } = row;
  const entry = new BlockIndexEntry(row.hash, row, { height, chainWork, maxTime }, params);
  restoreEntry(entry, row);
  entry.chainTx = row.chainTx;
  entry.join(chain);
  return entry;
}

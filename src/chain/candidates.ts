import type { BlockIndexEntry, BlockTree } from './block-index.js';

/**
 * Blocks that could become the tip: their whole chain is stored, none of it is known to be invalid, and they have at least the
 * tip's work.
 */
export class Candidates {
  readonly #entries = new Set<BlockIndexEntry>();

  constructor(private readonly tree: BlockTree) {}

  /** Takes the entry if it qualifies. */
  consider(entry: BlockIndexEntry): void {
    if (entry.chainTx > 0 && entry.hasData && !entry.failed && !worse(entry, this.tree.tip)) this.#entries.add(entry);
  }

  /** The one to activate: most work, then first seen. */
  best(): BlockIndexEntry {
    let best = this.tree.tip;
    for (const entry of this.#entries) {
      if (entry.failed || !entry.hasData || worse(entry, this.tree.tip)) this.#entries.delete(entry);
      else if (worse(best, entry)) best = entry;
    }
    return best;
  }

  /** Leaves the entry out until it is considered again. */
  drop(entry: BlockIndexEntry): void {
    this.#entries.delete(entry);
  }

  /** Looks at every known block anew, after some were marked invalid or cleared. */
  reset(): void {
    this.#entries.clear();
    for (const entry of this.tree.all()) this.consider(entry);
  }
}

/** Less work, or as much and seen later. */
function worse(a: BlockIndexEntry, b: BlockIndexEntry): boolean {
  return a.chainWork !== b.chainWork ? a.chainWork < b.chainWork : a.sequence > b.sequence;
}

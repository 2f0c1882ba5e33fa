import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';

/**
 * Blocks that could become the tip: their whole chain is stored, none of it is known to be invalid, and they have at least the
 * tip's work.
 */
export class Candidates {
  readonly #entries = new Set<BlockIndexEntry>();

  constructor(private readonly tree: BlockTree) {}

  /** Adds the entry if it qualifies. */
  consider(entry: BlockIndexEntry): void {
    if (entry.chainTx > 0 && entry.hasData && !entry.failed && !worse(entry, this.tree.tip)) this.#entries.add(entry);
  }

  /** Candidate with the most work, and among equals the first received; the tip if there is none better. */
  best(): BlockIndexEntry {
    let best = this.tree.tip;
    for (const entry of this.#entries) {
      if (entry.failed || !entry.hasData || worse(entry, this.tree.tip)) this.#entries.delete(entry);
      else if (worse(best, entry)) best = entry;
    }
    return best;
  }

  /** Removes the entry until it is considered again. */
  drop(entry: BlockIndexEntry): void {
    this.#entries.delete(entry);
  }

  /** Considers every known block again, after some were marked invalid or cleared. */
  reset(): void {
    this.#entries.clear();
    for (const entry of this.tree.all()) this.consider(entry);
  }
}

/** True if `a` has less work than `b`, or the same and was received later. */
function worse(a: BlockIndexEntry, b: BlockIndexEntry): boolean {
  return a.chainWork !== b.chainWork ? a.chainWork < b.chainWork : a.sequence > b.sequence;
}

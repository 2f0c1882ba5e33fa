import type { BlockIndexEntry } from './block-index.js';

/** Stored blocks with a missing ancestor. Blocks are numbered in the order in which their chains become complete. */
export class UnlinkedBlocks {
  /** Waiting blocks, by the missing block. */
  readonly #waiting = new Map<BlockIndexEntry, BlockIndexEntry[]>();
  #sequence = 1;

  /**
   * Adds a stored block. If its ancestors are stored, computes `chainTx` and `sequence` for it and for the blocks that waited for it.
   * @returns the blocks whose records changed: itself, and those whose ancestors are all stored now
   */
  link(stored: BlockIndexEntry): readonly BlockIndexEntry[] {
    const { parent } = stored;
    if (parent && parent.chainTx === 0) {
      this.waitFor(parent, stored);
      return [stored];
    }
    const linked: BlockIndexEntry[] = [];
    const ready = [stored];
    for (let entry = ready.shift(); entry; entry = ready.shift()) {
      entry.chainTx = (entry.parent?.chainTx ?? 0) + entry.nTx;
      entry.sequence = this.#sequence++;
      linked.push(entry);
      ready.push(...(this.#waiting.get(entry) ?? []));
      this.#waiting.delete(entry);
    }
    return linked;
  }

  waitForParent(entry: BlockIndexEntry): void {
    if (entry.parent) this.waitFor(entry.parent, entry);
  }

  /** Holds `entry` back until `missing` is stored. */
  waitFor(missing: BlockIndexEntry, entry: BlockIndexEntry): void {
    const waiting = this.#waiting.get(missing);
    if (!waiting) this.#waiting.set(missing, [entry]);
    else if (!waiting.includes(entry)) waiting.push(entry);
  }
}

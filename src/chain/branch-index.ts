import type { WritableView } from '../storage/view.js';
import type { BlockIndexEntry } from './block-index.js';
import { branches } from './records.js';

/**
 * List of the stored entries off the active chain, so that a start can read them without all others. Most entries are on a branch only for
 * the moment before they are connected, so the list is updated before each write of the database.
 */
export class BranchIndex {
  readonly #listed = new Set<BlockIndexEntry>();
  /** Entries that were stored, or that joined or left the active chain, since the last write. */
  readonly #touched = new Set<BlockIndexEntry>();

  /** Records an entry that is in the stored list. */
  restore(entry: BlockIndexEntry): void {
    this.#listed.add(entry);
  }

  note(entry: BlockIndexEntry): void {
    this.#touched.add(entry);
  }

  save(view: WritableView): void {
    for (const entry of this.#touched) {
      if (entry.isActive === !this.#listed.has(entry)) continue;
      if (entry.isActive) {
        this.#listed.delete(entry);
        view.delete(branches, entry.hash);
      } else {
        this.#listed.add(entry);
        view.put(branches, entry.hash, true);
      }
    }
    this.#touched.clear();
  }
}

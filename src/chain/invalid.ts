import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';

/** Storage of entries. */
interface Entries {
  /** @param options.blockless true to store an entry whose block is missing */
  saveEntry(entry: BlockIndexEntry, header?: undefined, options?: { readonly blockless: boolean }): void;
}

/** Headers above an invalid block that are stored without their blocks: enough for the warning of a large branch after a restart. */
const STORED_ABOVE = 288;

/** Marks a block as invalid, and all above it as descendants of an invalid block. */
export function markInvalid(tree: BlockTree, entries: Entries, entry: BlockIndexEntry): void {
  for (const at of tree.descendants(entry)) {
    if (at === entry) at.invalid = true;
    else at.invalidAncestor = true;
    entries.saveEntry(at, undefined, { blockless: at !== entry && at.height <= entry.height + STORED_ABOVE });
  }
  tree.resetBestHeader();
}

/** Clears the invalid marks of a block, its ancestors and its descendants. */
export function clearInvalid(tree: BlockTree, entries: Entries, entry: BlockIndexEntry): void {
  const clear = (at: BlockIndexEntry) => {
    if (!at.failed) return;
    at.invalid = false;
    at.invalidAncestor = false;
    entries.saveEntry(at);
  };
  // Blocks of the active chain are not marked.
  for (let at: BlockIndexEntry | undefined = entry; at && !at.isActive; at = at.parent) clear(at);
  for (const at of tree.descendants(entry)) clear(at);
  tree.resetBestHeader();
}

import type { BlockIndexEntry, BlockTree } from './block-index.js';

/** Where entries are kept. */
interface Entries {
  saveEntry(entry: BlockIndexEntry): void;
}

/** Marks a block as invalid, and all above it for its sake. */
export function markInvalid(tree: BlockTree, entries: Entries, entry: BlockIndexEntry): void {
  for (const at of tree.descendants(entry)) {
    if (at === entry) at.invalid = true;
    else at.invalidAncestor = true;
    entries.saveEntry(at);
  }
  tree.resetBestHeader();
}

/** Forgets that a block, what is below it and what is above it was found invalid. */
export function clearInvalid(tree: BlockTree, entries: Entries, entry: BlockIndexEntry): void {
  const clear = (at: BlockIndexEntry) => {
    if (!at.failed) return;
    at.invalid = false;
    at.invalidAncestor = false;
    entries.saveEntry(at);
  };
  for (let at: BlockIndexEntry | undefined = entry; at; at = at.parent) clear(at);
  for (const at of tree.descendants(entry)) clear(at);
  tree.resetBestHeader();
}

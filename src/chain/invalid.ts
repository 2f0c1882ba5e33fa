import type { BlockIndexEntry, BlockTree } from './block-index.js';

/** Where entries are kept. */
interface Entries {
  /** @param options.blockless store an entry whose block is missing too */
  saveEntry(entry: BlockIndexEntry, header?: undefined, options?: { readonly blockless: boolean }): void;
}

/** Headers above a refused block that are stored without their blocks: enough for the warning of a large branch after a restart. */
const STORED_ABOVE = 288;

/** Marks a block as invalid, and all above it for its sake. */
export function markInvalid(tree: BlockTree, entries: Entries, entry: BlockIndexEntry): void {
  for (const at of tree.descendants(entry)) {
    if (at === entry) at.invalid = true;
    else at.invalidAncestor = true;
    entries.saveEntry(at, undefined, { blockless: at !== entry && at.height <= entry.height + STORED_ABOVE });
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

import type { NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import type { StateView, WritableView } from '../storage/view.js';
import { isCheckpointed } from './assume-valid.js';
import type { BlockIndexEntry } from './block-index.js';
import type { BlockTree } from './block-tree.js';
import { branches, type HeaderRecord, headers, isFailedRecord, restoreEntry } from './records.js';

/**
 * List of the stored entries off the active chain, so that a start can read them without all others. Most entries are on a branch only for
 * the moment before they are connected, so the list is updated before each write of the database.
 */
export class BranchIndex {
  readonly #listed = new Set<BlockIndexEntry>();
  /** Entries that were stored, or that joined or left the active chain, since the last write. */
  readonly #touched = new Set<BlockIndexEntry>();

  /**
   * Restores the headers off the active chain, parents first. Those without a stored block above them are dropped: earlier versions stored
   * them, or their blocks were dropped.
   * @param view collects the changes of `store`
   * @returns true if some were dropped from `view`
   */
  load(tree: BlockTree, store: StateView, view: WritableView, params: Pick<NetworkParams, 'assumeValid' | 'checkpoints'>): boolean {
    const records: [Hash256, HeaderRecord][] = [];
    for (const [hash] of store.entries(branches)) records.push([hash, store.get(headers, hash) as HeaderRecord]);
    records.sort(([, a], [, b]) => a.height - b.height);
    for (const [hash, record] of records) restoreBranch(tree, hash, record);
    let hasDropped = false;
    for (const [hash, record] of records.reverse()) {
      const entry = tree.get(hash);
      if (entry && (record.nTx > 0 || isFailedRecord(record) || isCheckpointed(hash, params) || tree.children(entry).length > 0)) {
        this.#listed.add(entry);
        continue;
      }
      if (entry) tree.remove(entry);
      view.delete(headers, hash);
      view.delete(branches, hash);
      hasDropped = true;
    }
    return hasDropped;
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

function restoreBranch(tree: BlockTree, hash: Hash256, record: HeaderRecord): void {
  const parent = tree.get(record.header.prevHash);
  // Headers below a checkpoint are stored from the top down; an unclean shutdown may have come before their ancestors were stored.
  if (!parent && record.nTx === 0) return;
  const entry = tree.add(hash, record.header, parent);
  restoreEntry(entry, record);
  const below = entry.parent?.chainTx ?? 0;
  if (entry.nTx > 0 && below > 0) entry.chainTx = below + entry.nTx;
  tree.noteHeader(entry);
}

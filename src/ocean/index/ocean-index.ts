import type { ChainEvent } from '../../chain/chain.js';
import { Follower, type FollowerDeps } from '../../indexes/follower.js';
import type { NetworkParams } from '../../params/network.js';
import { type Hash256, NULL_HASH } from '../../primitives/hash.js';
import { Overlay } from '../../storage/overlay.js';
import type { AnyColumn, StateView, Store } from '../../storage/view.js';
import { firstOf } from '../../util/first-of.js';
import type { Steps } from '../../util/slicer.js';
import { addBids, bids } from './bids.js';
import { addBlockFacts, blockFacts } from './blocks.js';
import { indexedBlock } from './indexed-block.js';
import { addPriceRows, priceColumns } from './price-rows.js';
import type { AddRows, OceanRows } from './rows.js';
import { addSwaps, swapColumns } from './swaps.js';
import { oceanUndos } from './undo.js';
/** Columns of the index, with which the database is opened even without -oceanarchive. */
export const oceanColumns: readonly AnyColumn[] = [oceanUndos, ...priceColumns, bids, ...swapColumns, blockFacts, ...scriptColumns];
/** Parts of the index, in the order in which they see a block. */
const parts: readonly AddRows[] = [addPriceRows, addBids, addSwaps, addBlockFacts, addScripts];

import { scriptColumns } from './script-columns.js';
import { addScripts } from './scripts.js';

/** Undo records that are kept. After a deeper reorganisation the index is built from genesis. */
const KEPT_UNDOS = 2_000;
/** Rows that are deleted in one batch. */
const DELETED_AT_ONCE = 1_000;

/** Parts of the node that the index uses. */
export interface OceanIndexDeps extends FollowerDeps {
  /** State of the tip. */
  readonly state: () => StateView;
  readonly params: NetworkParams;
}

/** Index of the active chain for the HTTP API of light wallets. @see docs/protocol/ocean.md 4 */
export class OceanIndex extends Follower implements OceanRows {
  /** @param added parts of the index; all by default */
  constructor(deps: OceanIndexDeps, added: readonly AddRows[] = parts) {
    const { chain, params, state } = deps;
    const addTo = function* (view: Overlay, event: ChainEvent): Steps<void> {
      const block = indexedBlock(event, state(), params);
      for (const part of added) {
        const steps = part(view, block);
        if (steps) yield* steps;
        yield;
      }
    };
    const add = (view: Overlay, event: ChainEvent): Steps<void> =>
      event.entry.height <= chain.tip.height - KEPT_UNDOS ? addTo(view, event) : addWithUndo(view, event, addTo);
    super({ name: 'ocean', add, reversal: { remove, clear } }, deps);
  }

  override get view(): StateView {
    return super.view;
  }
}

function* addWithUndo(view: Overlay, event: ChainEvent, add: (changes: Overlay, event: ChainEvent) => Steps<void>): Steps<void> {
  const { entry } = event;
  const changes = new Overlay(view);
  yield* add(changes, event);
  const log = changes.undo();
  changes.commit();
  view.put(oceanUndos, entry.hash, { parent: entry.parent?.hash ?? NULL_HASH, log });
  const old = entry.ancestor(entry.height - KEPT_UNDOS);
  if (old) view.delete(oceanUndos, old.hash);
}

function remove(view: Overlay, block: Hash256): Hash256 | undefined {
  const undo = view.get(oceanUndos, block);
  if (!undo) return undefined;
  view.restore(undo.log);
  view.delete(oceanUndos, block);
  return undo.parent;
}

/** Deletes all rows. */
function* clear(store: Store): Steps<void> {
  for (const column of oceanColumns) {
    for (;;) {
      const batch = new Overlay(store);
      for (const [key] of firstOf(store.entries(column), DELETED_AT_ONCE)) batch.delete(column, key);
      if (batch.size === 0) break;
      store.writeRows(batch.rowChanges());
      yield;
    }
  }
}

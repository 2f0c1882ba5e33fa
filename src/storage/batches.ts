import { setImmediate } from 'node:timers/promises';
import { Overlay } from './overlay.js';
import type { Store } from './view.js';

/** Rows that are written at once; the event loop runs between two writes. */
const BATCH = 5_000;

/** Change of the store. */
export type Change = (batch: Overlay) => void;

/** Makes changes of a store, many in each write. */
export async function inBatches(store: Store, changes: Iterable<Change>): Promise<void> {
  let batch = new Overlay(store);
  let count = 0;
  for (const change of changes) {
    change(batch);
    if (++count % BATCH !== 0) continue;
    store.write(batch.changes());
    batch = new Overlay(store);
    await setImmediate();
  }
  store.write(batch.changes());
}

import { encode } from '../primitives/codec.js';
import type { Store } from '../storage/view.js';
import { targetCursors } from './columns.js';

/** Cursors of receivers that the node sends events to. */
export class TargetCursors {
  constructor(private readonly store: Pick<Store, 'get' | 'write'>) {}

  get(target: string): string | undefined {
    return this.store.get(targetCursors, target);
  }

  /** @throws the error of the storage */
  put(target: string, cursor: string): void {
    if (this.get(target) === cursor) return;
    this.store.write([{ column: targetCursors.name, key: encode(targetCursors.key, target), value: encode(targetCursors.value, cursor) }]);
  }
}

import { accountHistory, type HistoryEntry, historyOwners } from '../../../dfi/accounts/history-queries.js';
import { compareOwners } from '../../../dfi/kernel/amounts.js';
import type { StateView } from '../../../storage/view.js';
import { Heap, type HeapItem } from '../../../util/heap.js';
import { UNBOUNDED } from '../../format/page.js';

interface Source extends HeapItem {
  readonly rest: Iterator<HistoryEntry>;
  head: HistoryEntry;
}

/**
 * Merged histories of the selected owners, in the order of the whole history: newest block first, then by owner, then the last
 * transaction first. Records of other owners are not read; undefined for each owner that is looked at.
 */
export function* ownHistory(view: StateView, isOwn: (owner: Uint8Array) => boolean, highest: number): Generator<HistoryEntry | undefined> {
  const sources = new Heap<Source>((a, b) => compare(a.head, b.head) < 0);
  for (const owner of historyOwners(view)) {
    yield undefined;
    if (!isOwn(owner)) continue;
    const rest = accountHistory(view, owner, { height: highest, txn: UNBOUNDED });
    const first = rest.next();
    if (!first.done) sources.push({ rest, head: first.value, heapIndex: -1 });
  }
  for (let best = sources.peek(); best; best = sources.peek()) {
    yield best.head;
    const next = best.rest.next();
    if (next.done) sources.delete(best);
    else {
      best.head = next.value;
      sources.update(best);
    }
  }
}

function compare({ key: a }: HistoryEntry, { key: b }: HistoryEntry): number {
  return b.height - a.height || compareOwners(a.owner, b.owner) || b.txn - a.txn;
}

import { headers, type Mark, marks, TIP_KEY, tips } from '../chain/records.js';
import { Overlay } from '../storage/overlay.js';
import type { Store } from '../storage/view.js';
import type { Logger } from '../util/logger.js';

/** Options of histories, with the mark of the height up to which blocks were connected without each. */
const GAPS = { acindex: 'acindexGap', vaultindex: 'vaultindexGap' } as const satisfies Record<string, Mark>;

/** Mark of a gap that still grows: above all heights. */
const OPEN = 0xffffffff;

/**
 * Records during which blocks the histories of accounts and vaults are not kept, and warns of one that lacks some: `defid` answers from it
 * without a hint. To be called before blocks are connected.
 * @param kept options of histories that this run keeps
 */
export function noteHistoryGaps(store: Store, kept: Readonly<Record<keyof typeof GAPS, boolean>>, log: Pick<Logger, 'warn'>): void {
  const changes = new Overlay(store);
  const tip = store.get(tips, TIP_KEY);
  const height = (tip && store.get(headers, tip)?.height) ?? 0;
  for (const option of ['acindex', 'vaultindex'] as const) {
    const mark = GAPS[option];
    const known = store.get(marks, mark);
    if (!kept[option]) {
      if (known !== OPEN) changes.put(marks, mark, OPEN);
      continue;
    }
    const end = known === OPEN ? height : known;
    if (end === undefined) continue;
    if (end === 0) changes.delete(marks, mark);
    else {
      if (known === OPEN) changes.put(marks, mark, end);
      log.warn(`the history of -${option} lacks blocks that were connected without it; -reindex-chainstate adds them`, { height: end });
    }
  }
  if (changes.size > 0) store.writeRows(changes.rowChanges(), { sync: true });
}

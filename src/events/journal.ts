import { randomBytes } from 'node:crypto';
import type { BlockJournal, JournalBlock } from '../chain/events.js';
import { encode } from '../primitives/codec.js';
import { NULL_HASH } from '../primitives/hash.js';
import { rowName } from '../storage/undo.js';
import type { Column, RowDifference, StateView, WritableView } from '../storage/view.js';
import { equalBytes } from '../util/bytes.js';
import { blockRows, LOG_ID_SIZE, LOG_KEY, type LogState, logStates } from './columns.js';

/**
 * Log of the last connected and disconnected blocks, with the changes of the state that each made. It is written in the batch of each
 * block, so a killed node has the events of the blocks that it has, and no others. Blocks far below the best header are not logged: the
 * log begins again once the chain has caught up.
 */
export class EventJournal implements BlockJournal {
  /**
   * @param retention number of blocks to keep
   * @param columns names of the columns whose changes are kept
   * @param companions columns, by those of `columns`, whose row of the same key is kept with a change, although it did not change
   */
  constructor(
    readonly retention: number,
    readonly columns: readonly string[],
    readonly companions: ReadonlyMap<string, Column<Uint8Array, unknown>> = new Map(),
  ) {}

  connected(block: JournalBlock, view: WritableView): void {
    if (block.entry.height + this.retention > block.bestHeight) this.#append(block, false, view);
  }

  disconnected(block: JournalBlock, view: WritableView): void {
    // A log that does not end with this block does not have it either.
    if (endsWith(view, block.entry.hash)) this.#append(block, true, view);
  }

  /** Begins the log again, because the changes of the blocks so far do not lead to the state. */
  amended(view: WritableView): void {
    if (view.get(logStates, LOG_KEY)) view.put(logStates, LOG_KEY, { ...emptied(view), tip: NULL_HASH });
  }

  #append({ entry, block, differences }: JournalBlock, isUndone: boolean, view: WritableView): void {
    const { hash, header, transactions } = block;
    const { prevHash, time } = header;
    const state = isUndone || endsWith(view, prevHash) ? (view.get(logStates, LOG_KEY) as LogState) : emptied(view);
    const { height } = entry;
    view.put(blockRows, state.next, {
      ...{ isUndone, height, hash, prevHash, time },
      transactions: transactions.length,
      differences: this.#withCompanions(differences(this.columns), view),
    });
    const next = state.next + 1;
    const first = Math.max(state.first, next - this.retention);
    for (let number = state.first; number < first; number++) view.delete(blockRows, number);
    view.put(logStates, LOG_KEY, { id: state.id, first, next, tip: isUndone ? prevHash : hash });
  }

  #withCompanions(differences: readonly RowDifference[], view: StateView): readonly RowDifference[] {
    if (!differences.some(({ column }) => this.companions.has(column))) return differences;
    const found: RowDifference[] = [];
    const seen = new Set(differences.map(rowName));
    for (const { column, key } of differences) {
      const companion = this.companions.get(column);
      const name = companion && rowName({ column: companion.name, key });
      if (!companion || name === undefined || seen.has(name)) continue;
      seen.add(name);
      const value = view.get(companion, key);
      if (value === undefined) continue;
      const bytes = encode(companion.value, value);
      found.push({ column: companion.name, key, before: bytes, after: bytes });
    }
    return [...differences, ...found];
  }
}

/** True if the last block of the log left this tip. */
function endsWith(view: StateView, tip: Uint8Array): boolean {
  const state = view.get(logStates, LOG_KEY);
  return state !== undefined && equalBytes(state.tip, tip);
}

/** A log without blocks; those of the former one, which end elsewhere, are dropped. */
function emptied(view: WritableView): LogState {
  const state = view.get(logStates, LOG_KEY);
  if (!state) return { id: randomBytes(LOG_ID_SIZE), first: 0, next: 0, tip: new Uint8Array(0) };
  for (let number = state.first; number < state.next; number++) view.delete(blockRows, number);
  return { ...state, first: state.next };
}

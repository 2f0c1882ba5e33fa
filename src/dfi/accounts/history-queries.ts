import { encode, varBytes } from '../../primitives/codec.js';
import type { StateView } from '../../storage/view.js';
import { EMPTY_BYTES, equalBytes } from '../../util/bytes.js';
import {
  burnHistory,
  descending,
  type HistoryCountKey,
  type HistoryKey,
  type HistoryRecord,
  historyByHeight,
  historyByOwner,
  historyCountPrefix,
  historyCounts,
} from './history-columns.js';

export interface HistoryEntry {
  readonly key: HistoryKey;
  readonly record: HistoryRecord;
}

/** Condition on history entries; both parts must match. */
export interface HistoryFilter {
  /** Type bytes; undefined for any type. */
  readonly categories: ReadonlySet<number> | undefined;
  /** Undefined for any token, or none. {@link NO_TOKEN} matches no entry. */
  readonly tokenId: number | undefined;
}

/** Id of a token that does not exist: no entry contains it. */
export const NO_TOKEN = -1;

/** True if an entry has one of the categories and a difference in the token. */
export function passesFilter({ categories, tokenId }: HistoryFilter, { record }: HistoryEntry): boolean {
  if (categories && !categories.has(record.category)) return false;
  return tokenId === undefined || record.differences.some((each) => each.tokenId === tokenId);
}

type From = Pick<HistoryKey, 'height' | 'txn'>;

/** History of one owner, newest first. */
export function* accountHistory(view: StateView, owner: Uint8Array, from: From): Generator<HistoryEntry> {
  const range = { from: { owner, ...from }, prefix: encode(varBytes, owner) };
  for (const [key, record] of view.entries(historyByOwner, range)) yield { key, record };
}

/** Keys of {@link wholeHistory}. */
export function* wholeHistoryKeys(view: StateView, from: From): Generator<HistoryKey> {
  for (const [key] of view.entries(historyByHeight, { from: { owner: EMPTY_BYTES, ...from } })) yield key;
}

/** History of all owners: newest block first, then by owner, then the last transaction first. */
export function* wholeHistory(view: StateView, from: From): Generator<HistoryEntry> {
  for (const key of wholeHistoryKeys(view, from)) {
    const record = view.get(historyByOwner, key);
    if (record) yield { key, record };
  }
}

/** Owners with history, shorter scripts first. */
export function* historyOwners(view: StateView): Generator<Uint8Array> {
  let last: Uint8Array = EMPTY_BYTES;
  for (;;) {
    // The counts of the next owner follow all counts of the last one.
    const next = firstCount(view, { owner: last, tokenId: undefined, category: 0xff })?.owner;
    if (!next || equalBytes(next, last)) return;
    yield next;
    last = next;
  }
}

function firstCount(view: StateView, from: HistoryCountKey): HistoryCountKey | undefined {
  for (const [key] of view.entries(historyCounts, { from })) return key;
  return undefined;
}

/** Records of a block, by owner, last transaction first. */
export function* blockHistory(view: StateView, height: number): Generator<HistoryEntry> {
  for (const [key] of view.entries(historyByHeight, { prefix: encode(descending, height) })) {
    const record = view.get(historyByOwner, key);
    if (record) yield { key, record };
  }
}

/** Burn records from a height downwards, in the order of {@link wholeHistory}. */
export function* burns(view: StateView, height: number): Generator<HistoryEntry> {
  const from = { owner: EMPTY_BYTES, height, txn: 0xffffffff };
  for (const [key, record] of view.entries(burnHistory, { from })) yield { key, record };
}

/** Number of entries that pass a filter, from stored counts. @param owner undefined for all owners */
export function countHistory(view: StateView, owner: Uint8Array | undefined, { categories, tokenId }: HistoryFilter): number {
  if (tokenId === NO_TOKEN) return 0;
  let count = 0;
  for (const [key, part] of view.entries(historyCounts, { prefix: historyCountPrefix(owner, tokenId) })) {
    if (!categories || categories.has(key.category)) count += part;
  }
  return count;
}

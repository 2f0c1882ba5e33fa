import type { Log } from '../../evm/state/transaction-state.js';
import { WordSet, type Words } from '../../evm/word-map.js';
import type { StateView, WritableView } from '../../storage/view.js';
import type { Steps } from '../../util/slicer.js';
import { evmReceiptLists, type StoredReceipt } from './block-columns.js';
import { BUCKET_BLOCKS, evmLogBlocks } from './log-columns.js';

/** Properties of logs by which blocks are found. */
const LogKind = {
  /** Emitted by an address. */
  address: 0,
  /** Topic at position 1 to 3: the kind is the position. */
  later: (position: number) => position,
  /** First topic of a log with a number of topics. A log with fewer topics than a filter matches it, so the number matters. */
  first: (count: number) => 16 + count,
  /** Any log with a number of topics. */
  count: (count: number) => 32 + count,
} as const;

const MAX_TOPICS = 4;
/** Values of a criterion up to which the index is asked for each; beyond that, blocks are found by the other criteria. */
const MAX_INDEXED_VALUES = 64;

const ANY: Words = new WordSet();

/** Logs to find. */
export interface LogFilter {
  /** Addresses that emit them; empty for any. */
  readonly addresses: Words;
  /** Values by position; an empty set matches any. A position that a log does not have matches too, as in `defid`. */
  readonly topics: readonly Words[];
}

/** Filter, and blocks to search, first and last. */
export interface LogQuery extends LogFilter {
  readonly from: number;
  readonly to: number;
}

/** Log with its place. */
export interface FoundLog {
  readonly log: Log;
  readonly blockNumber: number;
  /** Index of its entry in the block. */
  readonly entry: number;
  /** Index of the log in the block. */
  readonly index: number;
}

/** True if a log passes a filter. @see docs/protocol/evm-engine.md 10.7 */
function matchesLog({ address, topics }: Log, filter: LogFilter): boolean {
  if (filter.addresses.size > 0 && !filter.addresses.has(address)) return false;
  return filter.topics.every((values, i) => {
    const topic = topics[i];
    return values.size === 0 || topic === undefined || values.has(topic);
  });
}

/** Logs of a block that pass a filter, in their order. */
export function logsOfBlock(receipts: readonly Pick<StoredReceipt, 'logs'>[], blockNumber: number, filter: LogFilter): FoundLog[] {
  const found: FoundLog[] = [];
  let index = 0;
  for (const [entry, { logs }] of receipts.entries()) {
    for (const log of logs) {
      if (matchesLog(log, filter)) found.push({ log, blockNumber, entry, index });
      index += 1;
    }
  }
  return found;
}

/** Notes the logs of a block in the index. */
export function indexLogs(view: WritableView, number: number, receipts: readonly Pick<StoredReceipt, 'logs'>[]): void {
  const properties = new Map<number, WordSet>();
  const note = (kind: number, item: bigint): void => {
    const items = properties.get(kind);
    if (items) items.add(item);
    else properties.set(kind, new WordSet([item]));
  };
  for (const { logs } of receipts) {
    for (const { address, topics } of logs) {
      note(LogKind.address, address);
      note(LogKind.count(topics.length), 0n);
      for (const [position, topic] of topics.entries()) {
        note(position === 0 ? LogKind.first(topics.length) : LogKind.later(position), topic);
      }
    }
  }
  const bucket = Math.floor(number / BUCKET_BLOCKS);
  for (const [kind, items] of properties) for (const item of items) setBit(view, { kind, item, bucket }, number % BUCKET_BLOCKS);
}

function setBit(view: WritableView, key: { kind: number; item: bigint; bucket: number }, bit: number): void {
  const bits = Uint8Array.from(view.get(evmLogBlocks, key) ?? new Uint8Array(BUCKET_BLOCKS / 8));
  bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
  view.put(evmLogBlocks, key, bits);
}

/** Finds logs by block and index, up to the end of the block in which `limit` is reached. Stops between blocks. */
export function* findLogs(view: StateView, query: LogQuery, limit: number): Steps<FoundLog[]> {
  const found: FoundLog[] = [];
  for (let bucket = Math.floor(query.from / BUCKET_BLOCKS); bucket * BUCKET_BLOCKS <= query.to; bucket++) {
    const bits = candidates(view, query, bucket);
    yield;
    for (let bit = 0; bit < BUCKET_BLOCKS; bit++) {
      const number = bucket * BUCKET_BLOCKS + bit;
      if (!hasBit(bits, bit) || number < query.from || number > query.to) continue;
      // One by one: a block may have more logs than a call has arguments.
      for (const log of logsOfBlock(view.get(evmReceiptLists, number) ?? [], number, query)) found.push(log);
      if (found.length >= limit) return found;
      yield;
    }
  }
  return found;
}

/** Blocks of a bucket that may contain matches. */
function candidates(view: StateView, { addresses, topics }: LogFilter, bucket: number): Uint8Array {
  const any = (kinds: readonly number[], items: Iterable<bigint>): Uint8Array => {
    const keys = [...items].flatMap((item) => kinds.map((kind) => ({ kind, item, bucket })));
    return union(view.getMany(evmLogBlocks, keys));
  };
  const withCount = (from: number, to: number): Uint8Array => any(range(from, to).map(LogKind.count), [0n]);
  const withFirst = (first: Words, most: number): Uint8Array => any(range(1, most).map(LogKind.first), first);
  const bits = withCount(0, MAX_TOPICS);
  if (isIndexed(addresses)) intersect(bits, any([LogKind.address], addresses));
  const [first = ANY] = topics;
  if (isIndexed(first)) intersect(bits, union([withFirst(first, MAX_TOPICS), withCount(0, 0)]));
  for (const [position, values] of topics.entries()) {
    if (position === 0 || !isIndexed(values)) continue;
    const short = isIndexed(first) ? [withFirst(first, position), withCount(0, 0)] : [withCount(0, position)];
    intersect(bits, union([any([LogKind.later(position)], values), ...short]));
  }
  return bits;
}

function isIndexed(values: Words): boolean {
  return values.size > 0 && values.size <= MAX_INDEXED_VALUES;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function union(rows: readonly (Uint8Array | undefined)[]): Uint8Array {
  const bits = new Uint8Array(BUCKET_BLOCKS / 8);
  for (const row of rows) if (row) for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) | (row[i] as number);
  return bits;
}

function intersect(bits: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & (other[i] as number);
}

function hasBit(bits: Uint8Array, bit: number): boolean {
  return ((bits[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
}

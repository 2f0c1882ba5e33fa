import { type Codec, encode, struct, u8, u32be } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';

/** Members that all entries of the order book share. Heights and sums of heights wrap around at 32 bits. */
export interface BookEntry {
  readonly creationTx: Hash256;
  readonly creationHeight: number;
}

interface IndexKey<Parent> {
  readonly parent: Parent;
  readonly txid: Hash256;
}

interface DueKey {
  readonly height: number;
  readonly txid: Hash256;
}

/** Height at which an open entry gets a status. */
export type Deadline = readonly [height: number, status: number];

/** Status of an entry that is not closed. */
const OPEN = 0;

/** Storage of one kind of entries. */
interface BookDefinition<Parent, Entry extends BookEntry> {
  readonly name: string;
  readonly parent: Codec<Parent>;
  readonly entry: Codec<Entry>;
  /** Key by which entries are listed. */
  parentOf(entry: Entry): Parent;
  deadlines(entry: Entry): readonly Deadline[];
}

/** Entries of one kind: orders, offers, or the HTLCs of one chain. */
export interface Book<Parent, Entry extends BookEntry> extends BookDefinition<Parent, Entry> {
  readonly entries: Column<Hash256, Entry>;
  /** By parent, then by id: lists iterate in this order, and rules that expect one entry use the first. */
  readonly open: Column<IndexKey<Parent>, number>;
  /** Same keys, with the final status. */
  readonly closed: Column<IndexKey<Parent>, number>;
  /** By height, then by id: entries expire in this order. */
  readonly due: Column<DueKey, number>;
}

const dueKey: Codec<DueKey> = struct<DueKey>({ height: u32be, txid: hash256 });

export function defineBook<Parent, Entry extends BookEntry>(definition: BookDefinition<Parent, Entry>): Book<Parent, Entry> {
  const { name, parent, entry } = definition;
  const indexKey = struct<IndexKey<Parent>>({ parent, txid: hash256 });
  return {
    ...definition,
    entries: { name: `dfi/icx-${name}`, key: hash256, value: entry },
    open: { name: `dfi/icx-${name}-open`, key: indexKey, value: u8 },
    closed: { name: `dfi/icx-${name}-closed`, key: indexKey, value: u8 },
    due: { name: `dfi/icx-${name}-due`, key: dueKey, value: u8 },
  };
}

/** Columns of a book. */
export function columnsOf<Parent, Entry extends BookEntry>({ entries, open, closed, due }: Book<Parent, Entry>): readonly AnyColumn[] {
  return [entries, open, closed, due];
}

export function getEntry<Parent, Entry extends BookEntry>(view: StateView, book: Book<Parent, Entry>, txid: Hash256): Entry | undefined {
  return view.get(book.entries, txid);
}

function keyOf<Parent, Entry extends BookEntry>(book: Book<Parent, Entry>, entry: Entry): IndexKey<Parent> {
  return { parent: book.parentOf(entry), txid: entry.creationTx };
}

/** Adds a new entry and its deadlines. */
export function openEntry<Parent, Entry extends BookEntry>(view: WritableView, book: Book<Parent, Entry>, entry: Entry): void {
  saveEntry(view, book, entry);
  view.put(book.open, keyOf(book, entry), OPEN);
  for (const [height, status] of book.deadlines(entry)) view.put(book.due, { height, txid: entry.creationTx }, status);
}

/** Replaces an entry; its parent and its deadlines must stay the same. */
export function saveEntry<Parent, Entry extends BookEntry>(view: WritableView, book: Book<Parent, Entry>, entry: Entry): void {
  view.put(book.entries, entry.creationTx, entry);
}

/** Stores and closes an entry; one that is closed already gets the new status. */
export function closeEntry<Parent, Entry extends BookEntry>(
  view: WritableView,
  book: Book<Parent, Entry>,
  entry: Entry,
  status: number,
): void {
  saveEntry(view, book, entry);
  view.delete(book.open, keyOf(book, entry));
  view.put(book.closed, keyOf(book, entry), status);
  for (const [height] of book.deadlines(entry)) view.delete(book.due, { height, txid: entry.creationTx });
}

export function isOpen<Parent, Entry extends BookEntry>(view: StateView, book: Book<Parent, Entry>, entry: Entry): boolean {
  return view.has(book.open, keyOf(book, entry));
}

/** Status of an open or closed entry. */
export function statusOf<Parent, Entry extends BookEntry>(view: StateView, book: Book<Parent, Entry>, entry: Entry): number {
  return view.get(book.open, keyOf(book, entry)) ?? view.get(book.closed, keyOf(book, entry)) ?? OPEN;
}

/** Open or closed entries with their statuses, of one parent or of all. */
export function* listEntries<Parent, Entry extends BookEntry>(
  view: StateView,
  book: Book<Parent, Entry>,
  which: 'open' | 'closed',
  parent?: Parent,
): Generator<readonly [entry: Entry, status: number]> {
  const range = parent === undefined ? {} : { prefix: encode(book.parent, parent) };
  for (const [{ txid }, status] of view.entries(book[which], range)) {
    const entry = getEntry(view, book, txid);
    if (entry) yield [entry, status];
  }
}

/** First open entry of a parent. */
export function firstOpen<Parent, Entry extends BookEntry>(view: StateView, book: Book<Parent, Entry>, parent: Parent): Entry | undefined {
  for (const [entry] of listEntries(view, book, 'open', parent)) return entry;
  return undefined;
}

/** True if a parent has any open, or any closed, entry. */
export function hasEntries<Parent, Entry extends BookEntry>(
  view: StateView,
  book: Book<Parent, Entry>,
  which: 'open' | 'closed',
  parent: Parent,
): boolean {
  for (const _ of listEntries(view, book, which, parent)) return true;
  return false;
}

/** Open entries with a deadline at this height, with the status that they get. */
export function entriesDueAt<Parent, Entry extends BookEntry>(
  view: StateView,
  book: Book<Parent, Entry>,
  height: number,
): (readonly [entry: Entry, status: number])[] {
  const due = [...view.entries(book.due, { prefix: encode(u32be, height) })];
  return due.flatMap(([{ txid }, status]) => {
    const entry = getEntry(view, book, txid);
    return entry ? [[entry, status] as const] : [];
  });
}

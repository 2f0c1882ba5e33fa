import type { Pages } from '../../gen/ts/dfi/rpc/v1/options.js';
import { sortInSlices } from '../util/sliced-sort.js';
import { Slicer } from '../util/slicer.js';
import type { Operation } from './catalogue.js';
import type { CallContext } from './handler.js';
import { propertyName } from './names.js';
import { formatCursor, type PageCursor, parseCursor } from './page-cursor.js';
import { compareParts, type Entry, findList, type KeyPart, keyPart, memberOf, sizeOf } from './page-list.js';
import { forElements, forPage } from './page-range.js';
import { withField } from './request-field.js';

/** In the shape of gen/ts. */
type Message = Readonly<Record<string, unknown>>;

type Run = (request: never, call: CallContext) => unknown;

/** Elements of a page if the request does not say. */
const DEFAULT_COUNT = 100;
/** Maximum number of elements of a page. */
const MAX_COUNT = 10_000;
/** Elements of a page end before this size, of which stock clients of gRPC accept 4 MiB. A single element may be longer. */
const MAX_BYTES = 3 * 1024 * 1024;
/** A limit that no list reaches, in the range of all types of limits. */
const NO_LIMIT = 0x7fff_ffff;
/** Factor by which a range grows when it is read again, because it ended among elements with equal places. */
const GROWTH = 4;

interface Keyed {
  readonly entry: Entry;
  readonly key: readonly KeyPart[];
  /** Position of the element's place among the places of the list. */
  readonly place: number;
}

/** Pages of the list of one operation. */
export class Paging {
  readonly options: Pages;
  readonly #limit: string;
  readonly #paths: readonly string[];
  readonly #directions: readonly number[];

  /** @throws {Error} for an operation that declares no pages */
  constructor(readonly op: Operation) {
    const { pages } = op.declared;
    if (!pages) throw new Error(`${op.name} has no pages`);
    this.options = pages;
    this.#limit = pages.limit || 'limit';
    this.#directions = pages.key.map((path) => (path.startsWith('-') ? -1 : 1));
    this.#paths = pages.key.map((path) => path.replace(/^-/, '').split('.').map(camelCase).join('.'));
  }

  /**
   * Answers with a page.
   * @param request with a `page`: a cursor, or empty for the first page
   * @param run the operation, which returns all of the list or a range of it
   * @throws {NodeError} for a cursor that does not belong to this call
   */
  async answer(request: object, call: CallContext, run: Run): Promise<object> {
    const { page, ...given } = request as { readonly page?: string };
    const id = this.#callId(given, call);
    const cursor = page ? parseCursor(id, page) : undefined;
    const slicer = new Slicer(call);
    const count = this.#countOf(given);
    const places = this.#readsWhole(given) ? 0 : this.options.start.length;
    const wanted = count + (cursor?.count ?? 0) + 1;
    let limit = places === 0 ? NO_LIMIT : wanted;
    for (;;) {
      const range = this.#rangeOf(given, places > 0, cursor, limit);
      const request = places > 0 ? range : forElements(range, { after: cursor?.key, count: wanted });
      const answer = (await run(request as never, call)) as object;
      const list = findList(answer, this.options.list.map(camelCase));
      if (!list) return { ...answer, next: '' };
      const isWhole = places === 0 || list.entries.length < limit;
      const found = await this.#inOrder(list.entries, places, isWhole, slicer);
      const rest = cursor ? found.slice(this.#seen(found, places, cursor)) : found;
      if (rest.length === 0 && !isWhole) {
        limit = Math.min(limit * GROWTH, NO_LIMIT);
        continue;
      }
      const taken = await takePage(rest, count, slicer);
      const hasMore = taken.length < rest.length || !isWhole;
      const next = hasMore ? formatCursor(id, lastOf(taken, cursor)) : '';
      return { ...list.withEntries(taken.map(({ entry }) => entry)), next };
    }
  }

  /** Operation, caller's wallet and arguments, in one text for all transports. */
  #callId(request: Message, call: CallContext): string {
    const arguments_ = this.op.params
      .filter(({ name }) => name !== this.#limit.split('.')[0])
      .map(({ property, field }) => (field.oneof ? propertyName(field.oneof) : property));
    const values = [...new Set(arguments_)].map((property) => request[property]);
    return `${this.op.name} ${call.wallet ?? ''} ${JSON.stringify(values, plain)}`;
  }

  #countOf(request: Message): number {
    const asked = memberAt(request, this.#limit);
    if (asked === undefined) return DEFAULT_COUNT;
    const count = Number(asked);
    return count > 0 && count < MAX_COUNT ? count : MAX_COUNT;
  }

  /** True if, for these arguments, the whole list is read for each page. */
  #readsWhole(request: Message): boolean {
    const holds = (condition: string): boolean => {
      const [path = '', values] = condition.split('=');
      const value = memberAt(request, path);
      return values === undefined ? value !== undefined : values.split('|').includes(String(value ?? ''));
    };
    return this.options.whole.some((conditions) => conditions.split(' ').every(holds));
  }

  /** The request of a range that begins with the place of the cursor; of the whole list if it has no places. */
  #rangeOf(request: Message, hasPlaces: boolean, cursor: PageCursor | undefined, limit: number): Message {
    const { op, options } = this;
    let range = request;
    const set = (path: string, text: string): void => {
      range = withField(op.input, range, path, text);
    };
    if (op.params.some(({ name }) => name === this.#limit.split('.')[0])) set(this.#limit, String(limit));
    if (!hasPlaces) return range;
    if (!cursor) return forPage(range);
    options.start.forEach((path, i) => {
      set(path, cursor.key[i] ?? '');
    });
    const marked = forPage(range);
    return op.params.some(({ property }) => property === 'includingStart') ? { ...marked, includingStart: true } : marked;
  }

  /** Elements in the order of pages. @param isWhole false to leave the last place out, of which the range may have a part only */
  async #inOrder(entries: readonly Entry[], places: number, isWhole: boolean, slicer: Slicer): Promise<Keyed[]> {
    const keyed: Keyed[] = [];
    let place = 0;
    for (const entry of entries) {
      const key = this.#paths.map((path) => keyPart(entry, path));
      const before = keyed.at(-1)?.key;
      if (before && key.slice(0, places).some((part, i) => part !== before[i])) place += 1;
      keyed.push({ entry, key, place });
      const paused = slicer.pause();
      if (paused) await paused;
    }
    const last = keyed.at(-1)?.place;
    // If the place is the whole key, a place has one element, so none of its elements can be missing.
    const isOne = places === this.#paths.length;
    const complete = isWhole || isOne ? keyed : keyed.filter((each) => each.place !== last);
    if (isOne) return complete;
    return sortInSlices(complete, (a, b) => a.place < b.place || (a.place === b.place && this.#compare(a.key, b.key) < 0), slicer);
  }

  /** Number of elements that the client has already: those up to the cursor, in the place of the cursor. */
  #seen(found: readonly Keyed[], places: number, { key, count }: PageCursor): number {
    let same = 0;
    const next = found.findIndex((each) => {
      if (key.slice(0, places).some((part, i) => part !== each.key[i])) return true;
      const order = this.#compare(each.key, key);
      if (order === 0) same += 1;
      return order > 0 || (order === 0 && same > count);
    });
    return next < 0 ? found.length : next;
  }

  #compare(a: readonly KeyPart[], b: readonly KeyPart[]): number {
    for (const [i, direction] of this.#directions.entries()) {
      const order = compareParts(a[i] ?? '', b[i] ?? '') * direction;
      if (order !== 0) return order;
    }
    return 0;
  }
}

async function takePage(rest: readonly Keyed[], count: number, slicer: Slicer): Promise<Keyed[]> {
  const taken: Keyed[] = [];
  let bytes = 0;
  for (const each of rest) {
    bytes += sizeOf(each.entry.name) + sizeOf(each.entry.value);
    if (taken.length === count || (taken.length > 0 && bytes > MAX_BYTES)) break;
    taken.push(each);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return taken;
}

/** Cursor behind the last of the elements of a page. */
function lastOf(taken: readonly Keyed[], before: PageCursor | undefined): PageCursor {
  const key = taken.at(-1)?.key ?? [];
  const isSame = (other: readonly KeyPart[]): boolean => other.length === key.length && other.every((part, i) => part === key[i]);
  const count = taken.filter((each) => isSame(each.key)).length;
  return { key, count: count + (before && isSame(before.key) ? before.count : 0) };
}

function memberAt(message: Message, path: string): unknown {
  return path.split('.').map(camelCase).reduce<unknown>(memberOf, message);
}

/** Property of gen/ts for the name of a field in a proto file. */
function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Numbers of 64 bits have no JSON. */
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

import type { JsonObject } from '../util/json.js';
import { Lru } from '../util/lru.js';
import type { Operation } from './catalogue.js';

/** A call as the cache of answers knows it. */
export interface CachedCall {
  readonly op: Operation;
  readonly key: string;
}

/** Facts that decide the form of a reply. */
export interface Envelope {
  /** JSON-RPC 2.0, which the client asks for by the member `jsonrpc`. */
  readonly isVersion2: boolean;
  /** JSON of the `id`; `null` if there is none. */
  readonly id: string;
}

/** A call of a known request, with the form of its reply. */
export interface KnownCall extends CachedCall, Envelope {}

/** Longer requests are not remembered, characters. */
const MAX_TEXT = 16 * 1024;
/** Estimated memory of a request and of each of its calls besides their texts, bytes. */
const ENTRY_BYTES = 200;

/** An `id` whose JSON is written as it was read: short text without special characters, a whole number, or null. */
const ID = '("[ !#-\\[\\]-~]{0,64}"|0|[1-9]\\d{0,14}|null)';
/** Start of a request up to an `id` that comes first, with or without a version before it. */
const LEADING_ID = new RegExp(`\\{ ?("jsonrpc": ?"[\\d.]{1,3}", ?)?"id": ?${ID},`, 'y');
/** End of a request from an `id` that comes last. */
const TRAILING_ID = new RegExp(`"id": ?${ID}\\}[ \\n\\r\\t]*$`, 'y');

/** A request divided into the JSON of its `id` and everything else that its answer depends on. */
interface Divided {
  readonly id: string;
  readonly rest: string;
  /** True if the `id` comes last. */
  readonly isLast: boolean;
}

interface Entry {
  readonly call: (CachedCall & Pick<Envelope, 'isVersion2'>) | undefined;
  readonly batch: readonly KnownCall[] | undefined;
  readonly bytes: number;
}

/**
 * JSON-RPC requests that were answered from the cache of answers before, by their text. They are neither parsed nor bound again. A single
 * call is known whatever its `id`, a batch with all of it. Nothing here goes stale: a text always means the same calls.
 */
export class KnownRequests {
  readonly #entries = new Lru<string, Entry>(Number.POSITIVE_INFINITY);
  #bytes = 0;

  constructor(readonly maxBytes: number) {}

  /** Estimated memory, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The call of a known request that is no batch. */
  call(text: string): KnownCall | undefined {
    const divided = text.length > MAX_TEXT ? undefined : divide(text);
    const call = divided && this.#entries.get(divided.rest)?.call;
    return call && { op: call.op, key: call.key, isVersion2: call.isVersion2, id: divided.id };
  }

  /** The calls of a known batch, in order. */
  batch(text: string): readonly KnownCall[] | undefined {
    return text.length > MAX_TEXT ? undefined : this.#entries.get(text)?.batch;
  }

  /** Remembers a single call. Nothing happens if its `id` cannot be separated from the text. */
  note(text: string, { entries }: JsonObject, call: CachedCall & Pick<Envelope, 'isVersion2'>): void {
    if (text.length > MAX_TEXT || entries.filter(([name]) => name === 'id').length !== 1) return;
    const divided = divide(text);
    // An `id` that does not come first has to come last: the text before it could end in a backslash.
    if (divided && (!divided.isLast || entries.at(-1)?.[0] === 'id'))
      this.#set(divided.rest, { call, batch: undefined, bytes: ENTRY_BYTES + 2 * text.length + call.key.length });
  }

  /** Remembers a batch whose calls were all answered from the cache. */
  noteBatch(text: string, batch: readonly KnownCall[]): void {
    if (text.length > MAX_TEXT || !text.startsWith('[')) return;
    const keys = batch.reduce((sum, { key, id }) => sum + ENTRY_BYTES + key.length + id.length, 0);
    this.#set(text, { call: undefined, batch, bytes: ENTRY_BYTES + 2 * text.length + keys });
  }

  #set(key: string, entry: Entry): void {
    this.#bytes += entry.bytes - (this.#entries.get(key)?.bytes ?? 0);
    this.#entries.set(key, entry);
    while (this.#bytes > this.maxBytes) this.#bytes -= this.#entries.deleteOldest()?.bytes ?? 0;
  }
}

/**
 * Separates the `id` of a request that has it first or last. Requests that differ in the `id` alone have the same rest, because the tokens
 * around the `id` stay the same. The rest begins with a brace only if the `id` comes last, so the two forms cannot be confused.
 */
function divide(text: string): Divided | undefined {
  LEADING_ID.lastIndex = 0;
  const leading = LEADING_ID.exec(text);
  if (leading) {
    const [whole, version = '', id = ''] = leading;
    return { id, rest: version + text.slice(whole.length - 1), isLast: false };
  }
  const at = text.lastIndexOf('"id":');
  if (at < 0) return undefined;
  TRAILING_ID.lastIndex = at;
  const id = TRAILING_ID.exec(text)?.[1];
  return id === undefined ? undefined : { id, rest: text.slice(0, at), isLast: true };
}

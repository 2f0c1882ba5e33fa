import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { quoteJson } from '../util/json.js';
import { type MaybePromise, Slicer } from '../util/slicer.js';
import type { Operation } from './catalogue.js';
import type { CallContext } from './handler.js';
import { entriesOf, type Message, memberReader, SHORT_VALUES, type Weigh, Weights } from './weight.js';
import { isRemembered, memberPrefix, type Write, type WriteDialect, type Writer, writerOf } from './write.js';

/** JSON of an answer: the text of a short one, the UTF-8 of a long one in pieces. */
export type Written = string | readonly Uint8Array[];

/** Least size of a piece, but for the last. */
const PIECE_CHARS = 64 * 1024;

/**
 * Writes responses. A short one is written at once; a long one in slices, unless all of it fits into the first. The bytes of one that
 * was marked with `rememberText` are kept beside it and not made again.
 * @returns a promise that rejects with the reason of the call's signal once nobody waits for the answer
 */
export function answerWriter(
  op: Operation,
  dialect: WriteDialect = 'json-rpc',
): (response: unknown, call: Pick<CallContext, 'signal'>) => MaybePromise<Written> {
  const writer = writerOf(op.options, dialect);
  const write = writer.whole(op.output);
  const long = longWriterOf(writer).whole(op.output);
  if (!long) return write;
  return (response, call) => {
    const known = long.kept(response);
    if (known) return known;
    return isLong(long, response) ? collect(inBytes(long.pieces(response)), new Slicer(call.signal), []) : write(response);
  };
}

function collect(pieces: Iterator<Uint8Array>, slicer: Slicer, collected: Uint8Array[]): MaybePromise<Uint8Array[]> {
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    collected.push(next.value);
    const paused = slicer.pause();
    if (paused) return paused.then(() => collect(pieces, slicer, collected));
  }
  return collected;
}

/** A stretch of JSON: text, or bytes that were kept. */
type Piece = string | Uint8Array;

/** Joins text to pieces that are worth sending. */
function* inBytes(pieces: Iterable<Piece>): Generator<Uint8Array, void> {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    if (text.length >= PIECE_CHARS || (typeof piece !== 'string' && text !== '')) {
      yield Buffer.from(text);
      text = '';
    }
    if (typeof piece !== 'string') yield piece;
  }
  if (text !== '') yield Buffer.from(text);
}

/** How values are written that may be long. */
interface Long {
  readonly weigh: Weigh;
  /** For a value that is long. */
  pieces(value: unknown): Iterable<Piece>;
}

interface LongMessage extends Long {
  /** Bytes of a message that is remembered; undefined before it was written. */
  kept(value: unknown): readonly Uint8Array[] | undefined;
}

/** What is remembered goes in pieces whatever its size: as bytes it costs least. */
function isLong({ weigh }: Long, value: unknown): boolean {
  return isRemembered(value) || weigh(value, SHORT_VALUES) < 0;
}

const longWriters = new WeakMap<Writer, LongWriter>();

function longWriterOf(writer: Writer): LongWriter {
  let known = longWriters.get(writer);
  if (!known) {
    known = new LongWriter(writer);
    longWriters.set(writer, known);
  }
  return known;
}

/** The same text as {@link Writer}, one stretch after the other: it leaves what is short to the other. */
class LongWriter {
  readonly #weights: Weights;
  readonly #messages = new Map<DescMessage, LongMessage | undefined>();

  constructor(readonly writer: Writer) {
    this.#weights = new Weights(writer.options);
  }

  /** @returns undefined for messages that are never long */
  whole(desc: DescMessage): LongMessage | undefined {
    if (this.#messages.has(desc)) return this.#messages.get(desc);
    const weigh = this.#weights.message(desc);
    const made = weigh && remembering(weigh, () => this.#compile(desc));
    this.#messages.set(desc, made);
    return made;
  }

  #compile(desc: DescMessage): Long['pieces'] {
    return this.writer.options.isInline(desc) ? this.#inline(desc) : this.#object(desc);
  }

  /** As its one field, or the member of its oneof that is set. */
  #inline(desc: DescMessage): Long['pieces'] {
    const members = desc.fields.map((field) => ({
      valueIn: memberReader(field),
      either: { long: this.#field(field, false), write: this.writer.field(field) },
    }));
    return function* (value) {
      for (const { valueIn, either } of members) {
        const member = valueIn(value as Message);
        if (member !== undefined) yield* eitherPieces(either, '', member);
      }
    };
  }

  #object(desc: DescMessage): Long['pieces'] {
    const fields = desc.fields.filter((field) => this.writer.shows(field));
    const parts = fields.map((field) => {
      const { flatten } = this.writer.options.result(field);
      const prefix = flatten ? '' : memberPrefix(field);
      return { valueIn: memberReader(field), prefix, long: this.#field(field, flatten), write: this.writer.members([field]) };
    });
    return function* (value) {
      let before = '{';
      for (const { valueIn, prefix, long, write } of parts) {
        const member = long && valueIn(value as Message);
        if (long && member !== undefined && isLong(long, member)) {
          yield before + prefix;
          yield* long.pieces(member);
        } else {
          const text = write(value);
          if (text === '') continue;
          yield before + text;
        }
        before = ',';
      }
      yield before === '{' ? '{}' : '}';
    };
  }

  /** @param flatten without braces @returns undefined for a field that is never long */
  #field(field: DescField, flatten: boolean): Long | undefined {
    const weigh = this.#weights.field(field);
    if (!weigh) return undefined;
    // Flattened messages are parts of one transaction: they stay short.
    if (field.fieldKind === 'message') return flatten ? undefined : this.whole(field.message);
    if (field.fieldKind === 'list' && field.message && this.writer.options.shape(field.message).member) {
      return { weigh, pieces: this.#memberPieces(field.message) };
    }
    const elements = { long: field.message && this.whole(field.message), write: this.writer.element(field) };
    if (field.fieldKind === 'list') return { weigh, pieces: (values) => listPieces(values as readonly unknown[], elements) };
    return { weigh, pieces: (members) => entryPieces(entriesOf(members), elements, flatten) };
  }

  /** A list of members as the object that they make. */
  #memberPieces(desc: DescMessage): Long['pieces'] {
    const [name, value] = desc.fields;
    if (!name || !value) throw new Error(`${desc.typeName} lacks a name or a value`);
    const nameIn = memberReader(name);
    const valueIn = memberReader(value);
    const either = { long: this.#field(value, false), write: this.writer.field(value) };
    const entries = function* (members: readonly Message[]): Generator<readonly [unknown, unknown], void> {
      for (const member of members) yield [nameIn(member), valueIn(member)];
    };
    return (members) => entryPieces(entries(members as readonly Message[]), either, false);
  }
}

/** How values of one kind are written. */
interface Either {
  /** Undefined where they are never long. */
  readonly long: Long | undefined;
  readonly write: Write;
}

function* eitherPieces({ long, write }: Either, before: string, value: unknown): Generator<Piece, void> {
  if (!long || !isLong(long, value)) {
    yield before + write(value);
    return;
  }
  yield before;
  yield* long.pieces(value);
}

function* listPieces(values: readonly unknown[], elements: Either): Generator<Piece, void> {
  let before = '[';
  for (const value of values) {
    if (elements.long) yield* eitherPieces(elements, before, value);
    else yield before + elements.write(value);
    before = ',';
  }
  yield values.length === 0 ? '[]' : ']';
}

function* entryPieces(entries: Iterable<readonly [unknown, unknown]>, elements: Either, flatten: boolean): Generator<Piece, void> {
  let before = flatten ? '' : '{';
  for (const [key, member] of entries) {
    yield* eitherPieces(elements, `${before}${quoteJson(String(key))}:`, member);
    before = ',';
  }
  if (!flatten) yield before === '{' ? '{}' : '}';
}

/** Keeps what is made of a message that is remembered. */
function remembering(weigh: Weigh, compile: () => Long['pieces']): LongMessage {
  const texts = new WeakMap<object, readonly Uint8Array[]>();
  let compiled: Long['pieces'] | undefined;
  const kept: LongMessage['kept'] = (value) => texts.get(value as object);
  const keep = function* (value: object): Generator<Piece, void> {
    const made: Uint8Array[] = [];
    compiled ??= compile();
    for (const piece of inBytes(compiled(value))) {
      made.push(piece);
      yield piece;
    }
    texts.set(value, made);
  };
  const pieces = (value: unknown): Iterable<Piece> => {
    if (isRemembered(value)) return kept(value) ?? keep(value as object);
    compiled ??= compile();
    return compiled(value);
  };
  return { weigh, kept, pieces };
}

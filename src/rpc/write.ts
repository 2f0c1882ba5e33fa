import { formatAmount } from '../primitives/amount.js';
import { toHex } from '../util/bytes.js';
import { formatDouble, JsonNumber, JsonObject, quoteJson } from '../util/json.js';
import type { MaybePromise } from '../util/slicer.js';
import { type DescField, Presence, ScalarType } from './descriptor-fields.js';
import type { DescMessage } from './descriptors.js';
import { type JsonAnswer, JsonSink, type Paused, PIECE_CHARS } from './json-sink.js';
import { mapEntries } from './long-map.js';
import { propertyName, wireName } from './names.js';
import { Format, type Options } from './options.js';
import { integerRange } from './scalars.js';

/** `json-rpc` has the members of `defid` and, unless it is strict, those of the operations document; `document` has only the latter. */
export type WriteDialect = 'json-rpc' | 'document';

/**
 * Appends `before`, a comma or the name of a member, and then a value.
 * @returns a promise where the sink paused: it writes the rest
 */
type Write = (value: unknown, sink: JsonSink, before: string) => Paused;

/** In the shape of gen/ts. */
type Message = Readonly<Record<string, unknown>> & { readonly [PARTIAL]?: true };

type MapEntry = readonly [name: unknown, value: unknown];

/** A field as a member of an object, or as an element of a tuple, where `first` is empty. */
interface Member {
  readonly valueIn: (message: Message) => unknown;
  /** Text before the value of the first member of an object. */
  readonly first: string;
  /** Text before the value of any other member: that of the first with a comma in front. */
  readonly next: string;
  /** Value of a member that is not set; undefined where such a member is omitted. */
  readonly absent: string | undefined;
  readonly write: Write;
}

/** Property of a message of which the caller asked for some fields only: fields that are not set are omitted. */
export const PARTIAL = Symbol('partial');

/** JSON of immutable messages, kept for each writer. */
const cachedJson = new WeakMap<object, Map<Write, JsonAnswer>>();

/**
 * Declares that a message, for instance the transactions of a block, will never change, so that its JSON is kept for as long as it lives.
 * @returns the message
 */
export function cacheJson<M extends object>(message: M): M {
  if (!cachedJson.has(message)) cachedJson.set(message, new Map());
  return message;
}

/** Writes messages as JSON, in the texts and the order of `defid`. A message type is compiled when it is first written. */
export class JsonWriter {
  readonly #messages = new Map<DescMessage, Write>();

  constructor(
    readonly options: Options,
    readonly dialect: WriteDialect,
  ) {}

  /**
   * @param message in the shape of gen/ts
   * @param call its caller waits for the answer; a long one is written in slices. Without it everything is written at once.
   * @returns a promise, if the answer took more than one slice; it rejects with the reason of the call's signal once that is aborted
   */
  write(desc: DescMessage, message: unknown, call: { readonly signal: AbortSignal } | undefined): MaybePromise<JsonAnswer> {
    const sink = new JsonSink(call);
    const paused = this.#message(desc)(message, sink, '');
    return paused ? paused.then(() => sink.finish()) : sink.finish();
  }

  /** A message as a value. Messages may hold each other: each is compiled when it is first written. */
  #message(desc: DescMessage): Write {
    let write = this.#messages.get(desc);
    if (!write) {
      let compiled: Write | undefined;
      write = cached((value, sink, before) => {
        compiled ??= this.#compile(desc);
        return compiled(value, sink, before);
      });
      this.#messages.set(desc, write);
    }
    return write;
  }

  #compile(desc: DescMessage): Write {
    if (desc.typeName.startsWith('google.protobuf.')) return writePlain;
    const { inline, text, tuple } = this.options.shape(desc);
    if (inline) return this.#inline(desc);
    if (text !== '') return this.#template(desc, text);
    if (tuple) return enclosed('[', this.#members(desc.fields, true), ']');
    // A response without fields is the JSON of `defid` for no result.
    if (desc.fields.length === 0) return constant('null');
    return enclosed('{', this.#shownMembers(desc), '}');
  }

  /** Writer of a message that is represented by its only field, or by the member of its oneof that is set. */
  #inline(desc: DescMessage): Write {
    const [oneof] = desc.oneofs;
    if (oneof) {
      const property = propertyName(oneof);
      const members = new Map(oneof.fields.map((field) => [propertyName(field), this.#field(field)]));
      return (message, sink, before) => {
        const set = (message as Message)[property] as { readonly $case: string; readonly value: unknown } | undefined;
        const write = set && members.get(set.$case);
        return write ? write(set.value, sink, before) : sink.put(`${before}null`);
      };
    }
    const [field] = desc.fields;
    if (!field) return constant('null');
    const property = propertyName(field);
    const write = this.#field(field);
    const absent = constant(emptyText(field));
    return (message, sink, before) => {
      const value = (message as Message)[property];
      return value === undefined ? absent(value, sink, before) : write(value, sink, before);
    };
  }

  /** A string with fields in place of their names; an empty one where a field of type string is empty. */
  #template(desc: DescMessage, template: string): Write {
    const parts = template.split(/\{(\w+)\}/).map((part, i) => {
      if (i % 2 === 0) return () => part;
      const field = desc.fields.find((each) => propertyName(each) === part || each.name === part);
      if (!field) throw new Error(`${desc.typeName} has no field ${part} for its text`);
      const property = propertyName(field);
      const isText = field.scalar === ScalarType.STRING;
      const format = isText ? (value: unknown) => value as string : this.#scalar(field);
      return (message: Message) => {
        const value = message[property] ?? '';
        return isText && value === '' ? undefined : format(value);
      };
    });
    return (message, sink, before) => {
      const texts = parts.map((part) => part(message as Message));
      return sink.put(before + quoteJson(texts.includes(undefined) ? '' : texts.join('')));
    };
  }

  /** Members of a message without the braces. */
  #shownMembers(desc: DescMessage): Write {
    return this.#members(
      desc.fields.filter((field) => this.options.shows(field, this.dialect)),
      false,
    );
  }

  #members(fields: readonly DescField[], inTuple: boolean): Write {
    const members = fields.map((field) => this.#member(field, inTuple));
    return (message, sink) => writeMembers(members, message as Message, 0, sink);
  }

  #member(field: DescField, inTuple: boolean): Member {
    const valueIn = memberReader(field);
    const { flatten } = this.options.result(field);
    if (flatten) return { valueIn, first: '', next: '', absent: undefined, write: this.#flattened(field) };
    const isOptional = field.oneof !== undefined || field.presence === Presence.EXPLICIT;
    const first = inTuple ? '' : `${quoteJson(wireName(field))}:`;
    return { valueIn, first, next: `,${first}`, absent: isOptional ? undefined : emptyText(field), write: this.#field(field) };
  }

  /** The members of a message or map among those of the message that holds it. */
  #flattened(field: DescField): Write {
    if (field.fieldKind === 'message' && !this.options.isInline(field.message)) return this.#shownMembers(field.message);
    if (field.fieldKind === 'map') return writeMap(this.#element(field));
    throw new Error(`${field.parent.typeName}.${field.name} has no members to flatten`);
  }

  #field(field: DescField): Write {
    if (field.fieldKind === 'map') return enclosed('{', writeMap(this.#element(field)), '}');
    if (field.fieldKind !== 'list') return this.#element(field);
    if (field.message && this.options.shape(field.message).member) return enclosed('{', this.#memberList(field.message), '}');
    const element = this.#element(field);
    return (values, sink, before) => {
      sink.open(`${before}[`);
      return writeElements(element, values as readonly unknown[], 0, sink);
    };
  }

  /** A list of messages with a name and a value each, as members of one object. */
  #memberList(desc: DescMessage): Write {
    const [name, value] = desc.fields;
    if (!name || !value) throw new Error(`${desc.typeName} lacks a name or a value`);
    const nameIn = memberReader(name);
    const valueIn = memberReader(value);
    // Compiled when first used: the value may hold such a list again.
    let write: Write | undefined;
    const nameOf = (message: Message): string => nameIn(message) as string;
    const writeValue = (message: Message, sink: JsonSink, before: string): Paused => {
      write ??= this.#field(value);
      return write(valueIn(message), sink, before);
    };
    return (messages, sink) => writeEntries(messages as readonly Message[], nameOf, writeValue, 0, sink);
  }

  /** A field's value, or an element of its list or map. */
  #element(field: DescField): Write {
    if (field.message) return this.#message(field.message);
    const { scalar } = field;
    if (scalar === ScalarType.STRING && this.options.result(field).format !== Format.NUMBER_TEXT) return writeString;
    const format = this.#scalar(field);
    return (value, sink, before) => sink.put(before + format(value));
  }

  /** Text of a scalar or an enum value. */
  #scalar(field: DescField): (value: unknown) => string {
    const desc = field.enum;
    if (desc) return (value) => quoteJson(desc.value[value as number]?.localName ?? String(value));
    const { format } = this.options.result(field);
    if (format === Format.AMOUNT) return (value) => formatAmount(value as bigint);
    if (format === Format.NUMBER_TEXT) return (value) => value as string;
    switch (field.scalar) {
      case undefined:
      case ScalarType.STRING:
        return (value) => quoteJson(value as string);
      case ScalarType.BOOL:
        return (value) => (value === true ? 'true' : 'false');
      case ScalarType.BYTES:
        return (value) => `"${toHex(value as Uint8Array)}"`;
      default:
        return integerRange(field.scalar) ? String : (value) => formatDouble(value as number);
    }
  }
}

/** Reads a field's value out of a message; undefined where it is not set. */
function memberReader(field: DescField): (message: Message) => unknown {
  const property = propertyName(field.oneof ?? field);
  if (!field.oneof) return (message) => message[property];
  const name = propertyName(field);
  return (message) => {
    const set = message[property] as { readonly $case: string; readonly value: unknown } | undefined;
    return set?.$case === name ? set.value : undefined;
  };
}

function constant(text: string): Write {
  return (_, sink, before) => sink.put(before + text);
}

/** Value of a field that is not set but cannot be absent. */
function emptyText(field: DescField): string {
  if (field.fieldKind === 'list') return '[]';
  if (field.fieldKind === 'map') return '{}';
  if (field.fieldKind === 'message') return 'null';
  if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES) return '""';
  return field.scalar === ScalarType.BOOL ? 'false' : '0';
}

/** Keeps the JSON of a message that was declared with `cacheJson`. */
function cached(write: Write): Write {
  return (message, sink, before) => {
    const known = cachedJson.get(message as object);
    if (!known) return write(message, sink, before);
    const json = known.get(write);
    if (json !== undefined) return sink.putJson(before, json);
    const part = sink.part();
    const keep = (): undefined => {
      known.set(write, part.finish());
      return sink.putJson(before, part.finish());
    };
    const paused = write(message, part, '');
    return paused ? paused.then(keep) : keep();
  };
}

function enclosed(open: string, write: Write, close: string): Write {
  return (value, sink, before) => {
    sink.open(before + open);
    const paused = write(value, sink, '');
    return paused ? paused.then(() => sink.put(close)) : sink.put(close);
  };
}

/** Writes members from a position on. */
function writeMembers(members: readonly Member[], message: Message, from: number, sink: JsonSink): Paused {
  for (let i = from; i < members.length; i++) {
    const { valueIn, first, next, absent, write } = members[i] as Member;
    const before = sink.follows ? next : first;
    const value = valueIn(message);
    if (value === undefined || value === null) {
      if (absent !== undefined && !message[PARTIAL]) sink.put(before + absent);
      continue;
    }
    const paused = write(value, sink, before);
    if (paused) return paused.then(() => writeMembers(members, message, i + 1, sink));
  }
  return undefined;
}

/** Writes elements of an open array from a position on, and closes it. */
function writeElements(write: Write, values: readonly unknown[], from: number, sink: JsonSink): Paused {
  for (let i = from; i < values.length; i++) {
    const paused = write(values[i], sink, i === 0 ? '' : ',') ?? sink.pause();
    if (paused) return paused.then(() => writeElements(write, values, i + 1, sink));
  }
  return sink.put(']');
}

function writeMap(write: Write): Write {
  const nameOf = ([name]: MapEntry): string => String(name);
  const writeValue = ([, value]: MapEntry, sink: JsonSink, before: string): Paused => write(value, sink, before);
  return (map, sink) => writeEntries(mapEntries(map), nameOf, writeValue, 0, sink);
}

/** Writes entries of an open object from a position on. */
function writeEntries<T>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
  writeValue: (entry: T, sink: JsonSink, before: string) => Paused,
  from: number,
  sink: JsonSink,
): Paused {
  for (let i = from; i < entries.length; i++) {
    const entry = entries[i] as T;
    const paused = writeValue(entry, sink, `${sink.follows ? ',' : ''}${quoteJson(nameOf(entry))}:`) ?? sink.pause();
    if (paused) return paused.then(() => writeEntries(entries, nameOf, writeValue, i + 1, sink));
  }
  return undefined;
}

function writeString(value: unknown, sink: JsonSink, before: string): Paused {
  const text = value as string;
  if (text.length <= PIECE_CHARS) return sink.put(before + quoteJson(text));
  sink.open(`${before}"`);
  return writeCharacters(text, 0, sink);
}

/** Writes a long string from a position on, and its closing quotation mark. */
function writeCharacters(text: string, from: number, sink: JsonSink): Paused {
  let at = from;
  while (at < text.length) {
    const end = at + PIECE_CHARS;
    // A surrogate pair stays together: its halves alone have no UTF-8.
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    sink.put(quoteJson(text.slice(at, next)).slice(1, -1));
    at = next;
    const paused = sink.pause();
    if (paused) return paused.then(() => writeCharacters(text, next, sink));
  }
  return sink.put('"');
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** Free-form JSON: plain values as gen/ts has google.protobuf.Value, or JSON as it was read. */
function writePlain(value: unknown, sink: JsonSink, before: string): Paused {
  if (value === null || value === undefined) return sink.put(`${before}null`);
  if (typeof value === 'string') return writeString(value, sink, before);
  if (typeof value === 'number') return sink.put(before + formatDouble(value));
  if (typeof value !== 'object') return sink.put(before + String(value));
  if (value instanceof JsonNumber) return sink.put(before + value.text);
  if (Array.isArray(value)) {
    sink.open(`${before}[`);
    return writeElements(writePlain, value, 0, sink);
  }
  return value instanceof JsonObject ? writePlainObject(value, sink, before) : writePlainMap(value, sink, before);
}

const writePlainMap = enclosed('{', writeMap(writePlain), '}');
const writePlainObject = enclosed('{', writeJsonEntries, '}');

function writeJsonEntries(object: unknown, sink: JsonSink): Paused {
  const { entries } = object as JsonObject;
  return writeEntries(
    entries,
    ([name]) => name,
    ([, value], inner, before) => writePlain(value, inner, before),
    0,
    sink,
  );
}

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence as Presence } from '@bufbuild/protobuf/wkt';
import { formatAmount } from '../primitives/amount.js';
import { toHex } from '../util/bytes.js';
import { formatDouble, JsonNumber, JsonObject, quoteJson, writeJson } from '../util/json.js';
import type { Operation } from './catalogue.js';
import { propertyName, wireName } from './names.js';
import { Format, type Options, type ResultOptions } from './options.js';
import { integerRange } from './scalars.js';
import type { Message } from './weight.js';

/** JSON text of one value. */
export type Write = (value: unknown) => string;

/** JSON-RPC prints what `defid` prints and, unless it is strict, what only the document names; the document leaves out what is beyond it. */
export type WriteDialect = 'json-rpc' | 'document';

/** Text of a response, in the reference's form and order. Compiled per message when it is first needed. */
export function resultWriter(op: Operation, dialect: WriteDialect = 'json-rpc'): (response: unknown) => string {
  return writerOf(op.options, dialect).whole(op.output);
}

const marked = new WeakSet<object>();

export function isRemembered(message: unknown): boolean {
  return marked.has(message as object);
}

/**
 * Says that a message will never change, so that its JSON may be kept for as long as it lives: a block's transactions, say.
 * @returns the message
 */
export function rememberText<M extends object>(message: M): M {
  marked.add(message);
  return message;
}

const writers = new WeakMap<Options, Map<WriteDialect, Writer>>();

/** One of them serves all messages of a catalogue in a dialect. */
export function writerOf(options: Options, dialect: WriteDialect): Writer {
  let ofOptions = writers.get(options);
  if (!ofOptions) {
    ofOptions = new Map();
    writers.set(options, ofOptions);
  }
  let writer = ofOptions.get(dialect);
  if (!writer) {
    writer = new Writer(options, dialect);
    ofOptions.set(dialect, writer);
  }
  return writer;
}

/** Writes values at once. */
export class Writer {
  readonly #whole = new Map<DescMessage, Write>();
  readonly #members = new Map<DescMessage, Write>();

  constructor(
    readonly options: Options,
    readonly dialect: WriteDialect,
  ) {}

  /** Text of a message as a value. */
  whole(desc: DescMessage): Write {
    let write = this.#whole.get(desc);
    if (!write) {
      write = remembering(lazily(() => this.#compile(desc)));
      this.#whole.set(desc, write);
    }
    return write;
  }

  #compile(desc: DescMessage): Write {
    if (desc.typeName.startsWith('google.protobuf.')) return writePlain;
    const { inline, text, tuple } = this.options.shape(desc);
    if (inline) return this.#inline(desc);
    if (text !== '') return this.#text(desc, text);
    if (tuple) return this.#tuple(desc);
    // A response without fields stands for "nothing".
    if (desc.fields.length === 0) return () => 'null';
    const members = this.#membersOf(desc);
    return (value) => `{${members(value)}}`;
  }

  #inline(desc: DescMessage): Write {
    const [oneof] = desc.oneofs;
    if (oneof) {
      const property = propertyName(oneof);
      const members = new Map(oneof.fields.map((field) => [propertyName(field), this.field(field)]));
      return (value) => {
        const set = (value as Message)[property] as { $case: string; value: unknown } | undefined;
        return (set && members.get(set.$case)?.(set.value)) ?? 'null';
      };
    }
    const [field] = desc.fields;
    if (!field) return () => 'null';
    const property = propertyName(field);
    const write = this.field(field);
    return (value) => {
      const member = (value as Message)[property];
      return member === undefined ? emptyText(field) : write(member);
    };
  }

  /** A template with fields in place of their names; nothing where a field of type string is empty. */
  #text(desc: DescMessage, template: string): Write {
    const parts = template.split(/\{(\w+)\}/).map((part, i) => {
      if (i % 2 === 0) return () => part;
      const field = desc.field[part] ?? desc.fields.find((each) => each.name === part);
      if (!field) throw new Error(`${desc.typeName} has no field ${part} for its text`);
      const property = propertyName(field);
      const isText = field.scalar === ScalarType.STRING;
      const write: Write = isText ? (value) => value as string : this.field(field);
      return (message: Message) => {
        const value = message[property] ?? '';
        return isText && value === '' ? undefined : write(value);
      };
    });
    return (value) => {
      const texts = parts.map((part) => part(value as Message));
      return quoteJson(texts.includes(undefined) ? '' : texts.join(''));
    };
  }

  #tuple(desc: DescMessage): Write {
    const fields = desc.fields.map((field) => this.#member(field, this.options.result(field)));
    return (value) => {
      const texts = fields.flatMap(({ property, absent, write }) => {
        const member = (value as Message)[property];
        return member === undefined || member === null ? (absent ?? []) : write(member);
      });
      return `[${texts.join(',')}]`;
    };
  }

  /** Members of a message or of a map as they stand between the braces. */
  #membersOf(desc: DescMessage): Write {
    let write = this.#members.get(desc);
    if (!write) {
      write = lazily(() => (this.options.isInline(desc) ? this.#inlineMembers(desc) : this.#compileMembers(desc)));
      this.#members.set(desc, write);
    }
    return write;
  }

  #inlineMembers(desc: DescMessage): Write {
    const whole = this.whole(desc);
    return (value) => {
      const text = whole(value);
      return text.startsWith('{') ? text.slice(1, -1) : '';
    };
  }

  #compileMembers(desc: DescMessage): Write {
    return this.members(desc.fields.filter((field) => this.shows(field)));
  }

  /** Whether a field is part of the dialect. */
  shows(field: DescField): boolean {
    return this.options.shows(field, this.dialect);
  }

  /** Members for some of a message's fields. */
  members(of: readonly DescField[]): Write {
    const fields = of.map((field) => this.#member(field, this.options.result(field)));
    return (value) => {
      const message = value as Message;
      let text = '';
      for (const { property, select, prefix, next, absent, write } of fields) {
        let member = message[property];
        if (select !== undefined) {
          const set = member as { $case: string; value: unknown } | undefined;
          member = set?.$case === select ? set.value : undefined;
        }
        if (member === undefined || member === null) {
          if (absent !== undefined) text += (text === '' ? prefix : next) + absent;
          continue;
        }
        const own = write(member);
        if (prefix === '' && own === '') continue;
        text += (text === '' ? prefix : next) + own;
      }
      return text;
    };
  }

  #member(field: DescField, { flatten }: ResultOptions) {
    const property = propertyName(field.oneof ?? field);
    const select = field.oneof ? propertyName(field) : undefined;
    if (flatten) return { property, select, prefix: '', next: ',', absent: undefined, write: this.#flattened(field) };
    const isOptional = field.oneof !== undefined || field.presence === Presence.EXPLICIT;
    const absent = isOptional ? undefined : emptyText(field);
    const prefix = memberPrefix(field);
    return { property, select, prefix, next: `,${prefix}`, absent, write: this.field(field) };
  }

  #flattened(field: DescField): Write {
    if (field.fieldKind === 'message') return this.#membersOf(field.message);
    if (field.fieldKind === 'map') return mapMembers(this.element(field));
    throw new Error(`${field.parent.typeName}.${field.name} has no members to flatten`);
  }

  /** Text of a field's value. */
  field(field: DescField): Write {
    if (field.message && field.fieldKind === 'list' && this.options.shape(field.message).member) return this.#object(field.message);
    const element = this.element(field);
    if (field.fieldKind === 'list') return listWriter(element);
    if (field.fieldKind === 'map') {
      const members = mapMembers(element);
      return (value) => `{${members(value)}}`;
    }
    return element;
  }

  /** A list of members as the object that they make. */
  #object(desc: DescMessage): Write {
    const [name, value] = desc.fields;
    if (!name || !value) throw new Error(`${desc.typeName} lacks a name or a value`);
    const write = lazily(() => this.field(value));
    const ofName = propertyName(name);
    const ofValue = propertyName(value);
    return (members) => {
      const texts = (members as readonly Message[]).map((member) => `${quoteJson(member[ofName] as string)}:${write(member[ofValue])}`);
      return `{${texts.join(',')}}`;
    };
  }

  /** Text of an element of a list or a map. */
  element(field: DescField): Write {
    if (field.message) return this.whole(field.message);
    const desc = field.enum;
    if (desc) return (value) => quoteJson(desc.value[value as number]?.localName ?? String(value));
    const { format } = this.options.result(field);
    if (format === Format.AMOUNT) return (value) => formatAmount(value as bigint);
    if (format === Format.NUMBER_TEXT) return (value) => value as string;
    return scalarWriter(field.scalar ?? ScalarType.STRING);
  }
}

function scalarWriter(scalar: ScalarType): Write {
  if (scalar === ScalarType.STRING) return (value) => quoteJson(value as string);
  if (scalar === ScalarType.BOOL) return (value) => (value === true ? 'true' : 'false');
  if (scalar === ScalarType.BYTES) return (value) => `"${toHex(value as Uint8Array)}"`;
  return integerRange(scalar) ? String : (value) => formatDouble(value as number);
}

function listWriter(element: Write): Write {
  return (value) => {
    const values = value as readonly unknown[];
    let text = '[';
    for (let i = 0; i < values.length; i++) text += i === 0 ? element(values[i]) : `,${element(values[i])}`;
    return `${text}]`;
  };
}

/** What stands before a field's value in an object. */
export function memberPrefix(field: DescField): string {
  return `${quoteJson(wireName(field))}:`;
}

function mapMembers(element: Write): Write {
  return (value) => {
    let text = '';
    const entries = value instanceof Map ? value : Object.entries(value as object);
    for (const [key, member] of entries) text += `${text === '' ? '' : ','}${quoteJson(String(key))}:${element(member)}`;
    return text;
  };
}

/** What is printed for a field that can not be absent and was left out. */
function emptyText(field: DescField): string {
  if (field.fieldKind === 'list') return '[]';
  if (field.fieldKind === 'map') return '{}';
  if (field.fieldKind === 'message') return 'null';
  if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES) return '""';
  return field.scalar === ScalarType.BOOL ? 'false' : '0';
}

/** Messages may hold each other: a writer is compiled when it first runs. */
function lazily(compile: () => Write): Write {
  let write: Write | undefined;
  return (value) => {
    write ??= compile();
    return write(value);
  };
}

function remembering(write: Write): Write {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (!marked.has(value as object)) return write(value);
    let text = texts.get(value as object);
    if (text === undefined) {
      // One piece: what is only concatenated stays a tree, which every later reply would walk again.
      text = Buffer.from(write(value)).toString();
      texts.set(value as object, text);
    }
    return text;
  };
}

/** Free-form JSON: plain values as gen/ts holds google.protobuf.Value, or JSON as it was read. */
function writePlain(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value === 'number') return formatDouble(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof JsonNumber || value instanceof JsonObject) return writeJson(value);
  if (Array.isArray(value)) return `[${value.map(writePlain).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `${quoteJson(key)}:${writePlain(member)}`)
    .join(',')}}`;
}

import { isMoneyRange, parseAmount } from '../primitives/amount.js';
import { isHex } from '../util/bytes.js';
import { JsonNumber, JsonObject, type JsonValue, kindOf } from '../util/json.js';
import type { Operation } from './catalogue.js';
import { type DescField, type DescOneof, Presence, ScalarType } from './descriptor-fields.js';
import type { DescMessage } from './descriptors.js';
import { InvalidField } from './errors.js';
import { kindsOf } from './kinds.js';
import { fittingMember, zeroOf } from './lazy.js';
import { propertyName, wireName } from './names.js';
import { Dialect, JsonType, type Options } from './options.js';
import { integerRange } from './scalars.js';

/**
 * The dialect of the operations document: REST bodies and queries, and the defaults of gRPC requests. All fields are checked before the
 * handler runs.
 */

type Message = Record<string, unknown>;

export interface JsonBinding {
  /** Values come from a path or a query: numbers and booleans are text, and a list of one element may be that element. */
  readonly textual?: boolean;
}

/**
 * Converts a JSON object to a request in the shape of gen/ts, with the defaults of the operations document.
 * @throws {InvalidField} naming the field that is unknown, missing or of a wrong type
 */
export function bindJson(op: Operation, json: JsonObject, binding: JsonBinding = {}): object {
  return new Binder(op.options, binding.textual ?? false).message(op.input, json, '');
}

/**
 * Sets the fields that a gRPC caller left out to the defaults of the operations document; modifies `message`.
 * @throws {InvalidField} naming a required field that is missing
 */
export function applyDocumentDefaults(op: Operation, message: object): void {
  new Binder(op.options, false).complete(op.input, message as Message, '');
}

/** JSON as plain values, as generated code represents google.protobuf.Value. Numbers become doubles. */
export function plainJson(json: JsonValue): unknown {
  if (json instanceof JsonNumber) return Number(json.text);
  if (json instanceof JsonObject) return Object.fromEntries(json.entries.map(([key, value]) => [key, plainJson(value)]));
  return Array.isArray(json) ? json.map(plainJson) : json;
}

class Binder {
  constructor(
    readonly options: Options,
    readonly textual: boolean,
  ) {}

  message(desc: DescMessage, json: JsonValue, path: string): Message {
    if (this.options.isInline(desc)) return this.#inline(desc, json, path);
    if (!(json instanceof JsonObject)) throw new InvalidField(path || 'request', 'must be an object');
    const values = new Map<DescField, JsonValue>();
    for (const [name, value] of json.entries) {
      const field = this.#find(desc, name);
      if (!field) throw new InvalidField(join(path, name), 'unknown field');
      if (value !== null && !values.has(field)) values.set(field, value);
    }
    const message: Message = {};
    for (const oneof of desc.oneofs) message[propertyName(oneof)] = undefined;
    for (const field of desc.fields) {
      const value = values.get(field);
      if (value === undefined) this.#absent(field, message, path);
      else put(message, field, this.#field(field, value, join(path, wireName(field))));
    }
    return message;
  }

  /** Sets defaults of absent fields that have presence, here and in nested messages. */
  complete(desc: DescMessage, message: Message, path: string): void {
    for (const field of desc.fields) {
      const at = join(path, wireName(field));
      const value = valueIn(message, field);
      if (value === undefined) {
        if (field.presence === Presence.EXPLICIT && !this.options.isInline(desc)) this.#absent(field, message, path);
      } else this.#completeValue(field, value, at);
    }
  }

  #completeValue(field: DescField, value: unknown, path: string): void {
    const desc = field.message;
    if (!desc || desc.typeName.startsWith('google.protobuf.')) return;
    const each = (item: unknown, at: string): void => {
      if (typeof item === 'object' && item !== null) this.complete(desc, item as Message, at);
    };
    if (Array.isArray(value))
      value.forEach((item, i) => {
        each(item, `${path}[${i}]`);
      });
    else if (field.fieldKind === 'map') for (const [key, item] of Object.entries(value as Message)) each(item, join(path, key));
    else each(value, path);
  }

  #find(desc: DescMessage, name: string): DescField | undefined {
    return desc.fields.find((field) => {
      const { aliases, only } = this.options.param(field);
      return only !== Dialect.JSON_RPC && (wireName(field) === name || field.name === name || aliases.includes(name));
    });
  }

  #absent(field: DescField, message: Message, path: string): void {
    const { required, documentDefault } = this.options.param(field);
    if (documentDefault !== undefined) put(message, field, this.#field(field, documentDefault, join(path, wireName(field))));
    else if (required) throw new InvalidField(join(path, wireName(field)), 'is required');
    else if (!field.oneof) message[propertyName(field)] = zeroOf(field);
  }

  #inline(desc: DescMessage, json: JsonValue, path: string): Message {
    const [oneof] = desc.oneofs;
    if (oneof) return { [propertyName(oneof)]: this.#union(oneof, json, path) };
    const [field] = desc.fields;
    return field ? { [propertyName(field)]: this.#field(field, json, path) } : {};
  }

  #union(oneof: DescOneof, json: JsonValue, path: string): { $case: string; value: unknown } {
    const accepted = oneof.fields.filter((field) => this.options.param(field).only !== Dialect.JSON_RPC);
    const members = accepted.map((field) => ({
      field,
      kinds: this.textual && typeof json === 'string' ? textKinds(field, json, this.options) : kindsOf(field, this.options),
      whole: field.scalar !== undefined && integerRange(field.scalar) !== undefined,
    }));
    const isText = this.textual && typeof json === 'string';
    const textMember = isText ? members.find(({ field }) => kindsOf(field, this.options).includes('string')) : undefined;
    const fitting = fittingMember(members, json) ?? textMember;
    if (fitting) return { $case: propertyName(fitting.field), value: this.#field(fitting.field, json, path) };
    // An object may name the member, as route templates do: {"hash": "..."} for hash or height.
    const [entry] = json instanceof JsonObject && json.entries.length === 1 ? json.entries : [];
    const named = entry && accepted.find((field) => wireName(field) === entry[0] || field.name === entry[0]);
    if (entry && named) return { $case: propertyName(named), value: this.#field(named, entry[1], join(path, entry[0])) };
    const kinds = [...new Set(members.flatMap((member) => member.kinds))];
    throw new InvalidField(path, `must be ${kinds.join(' or ')}, not ${kindOf(json)}`);
  }

  #field(field: DescField, json: JsonValue, path: string): unknown {
    switch (field.fieldKind) {
      case 'list': {
        const values = Array.isArray(json) ? json : this.textual && typeof json === 'string' ? [json] : undefined;
        if (!values) throw new InvalidField(path, 'must be an array');
        return values.map((value: JsonValue, i) => this.#element(field, value, `${path}[${i}]`));
      }
      case 'map': {
        if (!(json instanceof JsonObject)) throw new InvalidField(path, 'must be an object');
        const map: Message = Object.create(null);
        for (const [key, value] of json.entries) if (!(key in map)) map[key] = this.#element(field, value, join(path, key));
        return map;
      }
      default:
        return this.#element(field, json, path);
    }
  }

  #element(field: DescField, json: JsonValue, path: string): unknown {
    const desc = field.message;
    if (desc) return desc.typeName.startsWith('google.protobuf.') ? plainJson(json) : this.message(desc, json, path);
    const { jsonType } = this.options.param(field);
    if (jsonType === JsonType.AMOUNT) return amount(json, path);
    if (jsonType === JsonType.TEXT && json instanceof JsonNumber) return json.text;
    if (field.enum) {
      const found = field.enum.values.find((each) => each.name === json || each.localName === json);
      if (!found) throw new InvalidField(path, `must be one of ${field.enum.values.map((each) => each.localName).join(', ')}`);
      return found.number;
    }
    return this.#scalar(field.scalar ?? ScalarType.STRING, json, path);
  }

  #scalar(scalar: ScalarType, json: JsonValue, path: string): unknown {
    if (scalar === ScalarType.STRING) {
      if (typeof json !== 'string') throw new InvalidField(path, `must be a string, not ${kindOf(json)}`);
      return json;
    }
    if (scalar === ScalarType.BYTES) {
      if (typeof json !== 'string' || (json !== '' && !isHex(json))) throw new InvalidField(path, 'must be hexadecimal');
      return Buffer.from(json, 'hex');
    }
    if (scalar === ScalarType.BOOL) return this.#bool(json, path);
    return number(scalar, json, path);
  }

  #bool(json: JsonValue, path: string): boolean {
    if (typeof json === 'boolean') return json;
    if (this.textual && (json === 'true' || json === 'false')) return json === 'true';
    throw new InvalidField(path, `must be a boolean, not ${kindOf(json)}`);
  }
}

/** Reads a number, or a string with one: proto JSON writes 64-bit numbers as strings. */
function number(scalar: ScalarType, json: JsonValue, path: string): number | bigint {
  const text = json instanceof JsonNumber ? json.text : json;
  if (typeof text !== 'string' || !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) {
    throw new InvalidField(path, `must be a number, not ${typeof text === 'string' ? `'${text}'` : kindOf(json)}`);
  }
  const range = integerRange(scalar);
  if (!range) {
    if (!Number.isFinite(Number(text))) throw new InvalidField(path, 'is out of range');
    return Number(text);
  }
  if (!/^-?\d{1,20}$/.test(text)) throw new InvalidField(path, 'must be a whole number in range');
  const value = BigInt(text);
  if (value < range.least || value > range.most) throw new InvalidField(path, 'is out of range');
  return range.wide ? value : Number(value);
}

function amount(json: JsonValue, path: string): bigint {
  const text = json instanceof JsonNumber ? json.text : json;
  if (typeof text !== 'string') throw new InvalidField(path, 'Amount is not a number or string');
  const value = parseAmount(text);
  if (value === undefined) throw new InvalidField(path, 'Invalid amount');
  if (!isMoneyRange(value)) throw new InvalidField(path, 'Amount out of range');
  return value;
}

/** JSON types for which the text of a query is accepted in a field: of hash or height, `5` is the height and hex the hash. */
function textKinds(field: DescField, text: string, options: Options): readonly string[] {
  const isNumber = /^-?\d{1,15}(\.\d+)?$/.test(text);
  const isBool = text === 'true' || text === 'false';
  return kindsOf(field, options).flatMap((kind) => {
    if (kind === 'number') return isNumber ? ['string'] : [];
    if (kind === 'bool') return isBool ? ['string'] : [];
    return kind === 'string' && (isNumber || isBool) ? [] : [kind];
  });
}

function put(message: Message, field: DescField, value: unknown): void {
  if (field.oneof) message[propertyName(field.oneof)] = { $case: propertyName(field), value };
  else message[propertyName(field)] = value;
}

function valueIn(message: Message, field: DescField): unknown {
  if (!field.oneof) return message[propertyName(field)];
  const member = message[propertyName(field.oneof)] as { $case: string; value: unknown } | undefined;
  return member?.$case === propertyName(field) ? member.value : undefined;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

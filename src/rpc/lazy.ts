import { JsonNumber, type JsonValue, kindOf } from '../util/json.js';
import { type DescField, type DescOneof, Presence, ScalarType } from './descriptor-fields.js';
import type { DescMessage } from './descriptors.js';
import { kindsOf } from './kinds.js';
import { propertyName, wireName } from './names.js';
import { Dialect, JsonType, type Options } from './options.js';
import * as read from './scalars.js';
import { parseAmountArgument, parseHex } from './shapes.js';

/**
 * Requests of JSON-RPC: objects in the shape of gen/ts whose fields are converted when they are read, because `defid` notices a bad
 * argument when it reads it. A message in a field is checked to be an object when the field is read; one in a list, a union or a wrapper,
 * when its own first field is read.
 */

type Read = (value: JsonValue) => unknown;
/** Undefined where the caller left the field out. */
type RawJson = JsonValue | undefined;

/** Marks a field whose argument should be an object and is not. */
export const noObject = Symbol('noObject');
export type RequestJson = RawJson | typeof noObject;

/** Key of the JSON of a lazy object: the value of a nested message, or the arguments of a request by position of the field. */
const boundFrom = Symbol('boundFrom');
/** Key of the argument that holds several fields of a request. */
const objectArgument = Symbol('objectArgument');
/** Key of the values that were converted already. */
const memo = Symbol('memo');
/** Key, in the prototype of a lazy object, of the function that finds the JSON of a field. */
const layout = Symbol('layout');

interface Lazy {
  [boundFrom]: unknown;
  [objectArgument]?: JsonValue;
  [memo]: unknown[] | undefined;
  readonly [layout]: Layout;
}

interface Layout {
  /** Position of a field in the message by its property in the objects of gen/ts. */
  readonly positions: ReadonlyMap<string, number>;
  readonly lookUp: LookUp;
}

type RequestClass = new (values: readonly RequestJson[]) => Lazy;
type NestedClass = new (json: JsonValue) => Lazy;

/** Looks a field's JSON up in the JSON of the object. */
type LookUp = (json: unknown, position: number) => RawJson;

/**
 * The JSON from which a message of a JSON-RPC request is converted, for the few operations whose errors depend on more than the type.
 * @param property in the objects of gen/ts: the JSON of that field instead
 * @returns undefined for a field that the caller left out, and for messages of other transports
 */
export function rawJson(message: object, property?: string): JsonValue | undefined {
  const lazy = message as Partial<Lazy>;
  const json = lazy[boundFrom];
  if (json === undefined) return undefined;
  // The arguments of a request are no JSON.
  if (property === undefined) return lazy[layout]?.lookUp === argumentOf ? undefined : (json as JsonValue);
  const position = lazy[layout]?.positions.get(property);
  return position === undefined ? undefined : lazy[layout]?.lookUp(json, position);
}

/**
 * The argument whose members are fields of the request, of any type; undefined if the caller left it out. For operations that check it
 * before they read a member, or check the names of its members.
 */
export function requestJsonObject(request: object): JsonValue | undefined {
  return (request as Partial<Lazy>)[objectArgument];
}

/** True if the caller of a JSON-RPC operation gave any argument, be it null. */
export function hasArguments(request: object): boolean {
  const values = (request as Partial<Lazy>)[boundFrom];
  const object = requestJsonObject(request);
  return object !== undefined || (Array.isArray(values) && values.some((value) => value !== undefined));
}

/** Makes the requests of one operation. A class for each message type is compiled when it is first used. */
export class LazyReader {
  readonly #options: Options;
  readonly #request: RequestClass;
  readonly #nested = new Map<DescMessage, NestedClass>();

  constructor(options: Options, input: DescMessage) {
    this.#options = options;
    this.#request = this.#compile(input, argumentOf) as RequestClass;
  }

  /**
   * @param values by position of the field in the request
   * @param object the argument that holds several of the fields, if there is one
   */
  request(values: readonly RequestJson[], object: RawJson): object {
    const request = new this.#request(values);
    if (object !== undefined) request[objectArgument] = object;
    return request;
  }

  /** A message behind a field. */
  #message(message: DescMessage, json: JsonValue): object {
    let bound = this.#nested.get(message);
    if (!bound) {
      bound = this.#compile(message, nestedLookUp(message, this.#options)) as NestedClass;
      this.#nested.set(message, bound);
    }
    return new bound(json);
  }

  #compile(message: DescMessage, lookUp: LookUp): unknown {
    class LazyMessage {
      [boundFrom]: unknown;
      [memo]: unknown[] | undefined = undefined;
      constructor(json: unknown) {
        this[boundFrom] = json;
      }
    }
    const positions = new Map<string, number>();
    message.fields.forEach((field, position) => {
      const property = propertyName(field);
      positions.set(property, position);
      if (field.oneof) return;
      const value = this.#fieldReader(field, lookUp, position);
      define(LazyMessage.prototype, property, isCompound(field) ? memoised(value, position) : value);
    });
    message.oneofs.forEach((oneof) => {
      const value = this.#options.isInline(message) ? this.#unionReader(oneof, lookUp) : this.#oneofReader(message, oneof, lookUp);
      define(LazyMessage.prototype, propertyName(oneof), memoised(value, message.fields.indexOf(oneof.fields[0] as DescField)));
    });
    Object.defineProperty(LazyMessage.prototype, layout, { value: { positions, lookUp } satisfies Layout });
    return LazyMessage;
  }

  #fieldReader(field: DescField, lookUp: LookUp, index: number): (source: unknown) => unknown {
    const convert = this.#converter(field);
    const { jsonRpcRequired, jsonRpcDefault } = this.#options.param(field);
    const absent = jsonRpcDefault === undefined ? () => zeroOf(field) : () => convert(jsonRpcDefault);
    return (source) => {
      const json = lookUp(source, index) ?? null;
      return json === null && !jsonRpcRequired ? absent() : convert(json);
    };
  }

  /** A oneof of a message with other fields: the first member in the JSON. */
  #oneofReader(message: DescMessage, oneof: DescOneof, lookUp: LookUp): (source: unknown) => unknown {
    const members = this.#jsonRpcMembers(oneof).map((field) => ({ ...this.#member(field), index: message.fields.indexOf(field) }));
    return (source) => {
      for (const { name, convert, index } of members) {
        const json = lookUp(source, index) ?? null;
        if (json !== null) return { $case: name, value: convert(json) };
      }
      return undefined;
    };
  }

  /** A value that may have several JSON types: the member of its type, else the first one, whose conversion reports the error. */
  #unionReader(oneof: DescOneof, lookUp: LookUp): (source: unknown) => unknown {
    const members = this.#jsonRpcMembers(oneof).map((field) => this.#member(field));
    return (source) => {
      const json = lookUp(source, 0) ?? null;
      const member = fittingMember(members, json) ?? members[0];
      return member && { $case: member.name, value: member.convert(json) };
    };
  }

  /** Members that exist over JSON-RPC. */
  #jsonRpcMembers(oneof: DescOneof): DescField[] {
    return oneof.fields.filter((field) => this.#options.param(field).only !== Dialect.DOCUMENT);
  }

  #member(field: DescField): { name: string; convert: Read; kinds: readonly string[]; whole: boolean } {
    const whole = field.scalar !== undefined && read.integerRange(field.scalar) !== undefined;
    return { name: propertyName(field), convert: this.#converter(field), kinds: kindsOf(field, this.#options), whole };
  }

  #converter(field: DescField): Read {
    const { jsonType } = this.#options.param(field);
    switch (field.fieldKind) {
      case 'list': {
        const element = field.listKind === 'message' ? this.#messageReader(field.message, false) : elementReader(field, jsonType);
        return (value) => read.asArray(value).map(element);
      }
      case 'map': {
        const element = field.mapKind === 'message' ? this.#messageReader(field.message, false) : elementReader(field, jsonType);
        return (value) => readMap(value, element);
      }
      case 'message':
        return this.#messageReader(field.message, true);
      default:
        return elementReader(field, jsonType);
    }
  }

  /** @param checked reject a value that is no object before any of its fields is read */
  #messageReader(message: DescMessage, checked: boolean): Read {
    // Free-form JSON stays as it was read, with the text of its numbers.
    if (message.typeName === 'google.protobuf.Value') return (value) => value;
    if (message.typeName === 'google.protobuf.Struct') return read.asObject;
    if (message.typeName === 'google.protobuf.ListValue') return read.asArray;
    if (!checked || this.#options.isInline(message)) return (value) => this.#message(message, value);
    return (value) => this.#message(message, read.asObject(value));
  }
}

/** Fields of a request, which are arguments by position. @throws {NodeError} `json-type` for a member of an argument that is no object */
const argumentOf: LookUp = (values, position) => {
  const json = (values as readonly RequestJson[])[position];
  return json === noObject ? read.asObject(null) : json;
};

/** Fields of a nested message: members by name; an inline message is its value. */
function nestedLookUp(message: DescMessage, options: Options): LookUp {
  if (options.isInline(message)) return (source) => source as JsonValue;
  const names = message.fields.map((field) => [...new Set([wireName(field), ...options.param(field).aliases])]);
  return (source, index) => {
    const json = read.asObject(source as JsonValue);
    for (const name of names[index] ?? []) {
      const value = json.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

function define(prototype: object, property: string, value: (source: unknown, self: Lazy) => unknown): void {
  Object.defineProperty(prototype, property, {
    configurable: true,
    enumerable: true,
    get(this: Lazy) {
      return value(this[boundFrom], this);
    },
  });
}

/** Lists, maps and messages are built once: a handler may read them again. */
function memoised(value: (source: unknown) => unknown, index: number): (source: unknown, self: Lazy) => unknown {
  return (source, self) => {
    self[memo] ??= [];
    const kept = self[memo];
    if (!(index in kept)) kept[index] = value(source);
    return kept[index];
  };
}

function isCompound(field: DescField): boolean {
  return field.fieldKind === 'list' || field.fieldKind === 'map' || field.fieldKind === 'message';
}

function readMap(value: JsonValue, element: Read): Record<string, unknown> {
  const map: Record<string, unknown> = Object.create(null);
  for (const [key, member] of read.asObject(value).entries) if (!(key in map)) map[key] = element(member);
  return map;
}

interface Fitting {
  readonly kinds: readonly string[];
  readonly whole: boolean;
}

/** The member of a union for a JSON value. Where two members are numbers, the integer one is for whole numbers only. */
export function fittingMember<M extends Fitting>(members: readonly M[], json: JsonValue): M | undefined {
  const fitting = members.filter((member) => member.kinds.includes(kindOf(json)));
  if (fitting.length < 2 || !(json instanceof JsonNumber)) return fitting[0];
  const isWhole = /^-?\d+$/.test(json.text);
  return fitting.find((member) => member.whole === isWhole) ?? fitting[0];
}

/** Value of a field that the caller left out: undefined if the field has presence, else its zero. */
export function zeroOf(field: DescField): unknown {
  if (field.fieldKind === 'list') return [];
  if (field.fieldKind === 'map') return {};
  if (field.fieldKind === 'message' || field.presence === Presence.EXPLICIT) return undefined;
  if (field.fieldKind === 'enum') return 0;
  if (field.scalar === ScalarType.STRING) return '';
  if (field.scalar === ScalarType.BOOL) return false;
  if (field.scalar === ScalarType.BYTES) return new Uint8Array();
  return read.integerRange(field.scalar)?.wide ? 0n : 0;
}

/** Reads a scalar or an enum value: of a field, of a list or of a map. */
function elementReader(field: DescField, jsonType: JsonType): Read {
  const desc = field.enum;
  if (desc) return (value) => read.asEnum(value, desc);
  if (jsonType === JsonType.AMOUNT) return parseAmountArgument;
  if (jsonType === JsonType.TEXT) return read.asText;
  if (jsonType === JsonType.FLAG) return (value) => value === true;
  return scalarReader(field.scalar ?? ScalarType.STRING, jsonType === JsonType.NUMBER_OR_BOOL);
}

function scalarReader(scalar: ScalarType, numberOrBool: boolean): Read {
  if (scalar === ScalarType.STRING) return read.asString;
  if (scalar === ScalarType.BOOL) return numberOrBool ? read.asBoolOrInteger : read.asBool;
  if (scalar === ScalarType.BYTES) return (value) => parseHex(read.asString(value), 'argument');
  const range = read.integerRange(scalar);
  if (!range) return read.asDouble;
  const { least, most, wide } = range;
  const integer = numberOrBool ? read.asIntegerOrBool : read.asInteger;
  return wide ? (value) => integer(value, least, most) : (value) => Number(integer(value, least, most));
}

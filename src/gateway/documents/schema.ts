import type { Catalogue } from '../../rpc/catalogue.js';
import { type DescField, ScalarType } from '../../rpc/descriptor-fields.js';
import type { DescEnum, DescMessage } from '../../rpc/descriptors.js';
import type { CallContext } from '../../rpc/handler.js';
import { wireName } from '../../rpc/names.js';
import { Dialect, Format, JsonType } from '../../rpc/options.js';
import { type JsonValue, writeJson } from '../../util/json.js';

/** A JSON Schema (2020-12), which OpenAPI 3.1 and OpenRPC use. */
export type Schema = { readonly [key: string]: unknown };

/** Meaning of `required`: in requests, members that must be given; in responses, members that are always present. */
export type Direction = 'input' | 'output';

const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  'google.protobuf.Value': {},
  'google.protobuf.Struct': { type: 'object' },
  'google.protobuf.ListValue': { type: 'array', items: {} },
};

/** Any JSON. */
const ANY: Schema = {};

const INTEGER_FORMAT: Partial<Record<ScalarType, string>> = {
  [ScalarType.INT32]: 'int32',
  [ScalarType.SINT32]: 'int32',
  [ScalarType.SFIXED32]: 'int32',
  [ScalarType.UINT32]: 'uint32',
  [ScalarType.FIXED32]: 'uint32',
  [ScalarType.INT64]: 'int64',
  [ScalarType.SINT64]: 'int64',
  [ScalarType.SFIXED64]: 'int64',
  [ScalarType.UINT64]: 'uint64',
  [ScalarType.FIXED64]: 'uint64',
};

/** Builds schemas of messages. Each message becomes one component, built at its first reference. */
export class Schemas {
  readonly #components = new Map<string, Schema>();
  /** Messages whose components are being built, each inside the one before. */
  readonly #building: DescMessage[] = [];
  /** Cursors of pages. */
  readonly #cursors: ReadonlySet<DescField>;

  constructor(
    readonly catalogue: Catalogue,
    /** Dialect whose fields and defaults are described. */
    readonly dialect: CallContext['dialect'],
    /** Path of the components, e.g. `#/components/schemas/`. */
    readonly base: string,
  ) {
    this.#cursors = new Set(catalogue.operations.flatMap(({ cursorField }) => cursorField ?? []));
  }

  /** All components built so far, sorted by name. */
  components(): Record<string, Schema> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  message(message: DescMessage, direction: Direction): Schema {
    const known = WELL_KNOWN[message.typeName];
    if (known) return known;
    if (this.#isRepeatedChoice(message)) return ANY;
    const name = componentName(message, direction);
    if (!this.#components.has(name)) {
      this.#components.set(name, {}); // placeholder, in case the message contains itself
      this.#building.push(message);
      this.#components.set(name, described(this.#messageBody(message, direction), this.catalogue.comments.inJson(message)));
      this.#building.pop();
    }
    return { $ref: this.base + name };
  }

  /** True if a choice between values contains itself at this point: many generators of clients fail at a component that does. */
  #isRepeatedChoice(message: DescMessage): boolean {
    const outer = this.#building.indexOf(message);
    return outer >= 0 && this.#building.slice(outer).some((each) => this.catalogue.options.isInline(each) && each.fields.length > 1);
  }

  /** Schema of the value of a field, with its comment and, in requests, its default. */
  field(field: DescField, direction: Direction): Schema {
    const schema = described(this.#fieldBody(field, direction), this.catalogue.comments.inJson(field));
    if (direction === 'output') return schema;
    const { documentDefault, jsonRpcDefault } = this.catalogue.options.param(field);
    const fallback = this.dialect === 'document' ? documentDefault : jsonRpcDefault;
    return fallback === undefined ? schema : { ...schema, default: plain(fallback) };
  }

  #messageBody(message: DescMessage, direction: Direction): Schema {
    const shape = this.catalogue.options.shape(message);
    if (shape.text !== '') return { type: 'string' };
    if (shape.tuple) return { type: 'array', prefixItems: this.fieldsOf(message, direction).map((field) => this.field(field, direction)) };
    if (shape.inline) return this.#inlineBody(message, direction);
    return this.#objectBody(message, direction);
  }

  #inlineBody(message: DescMessage, direction: Direction): Schema {
    const members = this.fieldsOf(message, direction).map((field) => this.field(field, direction));
    const [only] = members;
    if (!only) return { type: 'null' };
    const mayBeNull = direction === 'output' && message.fields.some((field) => field.oneof !== undefined || field.fieldKind === 'message');
    const choices = mayBeNull ? [...members, { type: 'null' }] : members;
    return choices.length === 1 ? only : { anyOf: choices };
  }

  #objectBody(message: DescMessage, direction: Direction): Schema {
    if (message.fields.length === 0) return direction === 'input' ? { type: 'object' } : { type: 'null' };
    return this.object(this.fieldsOf(message, direction), direction);
  }

  /** Fields that exist in the dialect. */
  fieldsOf(message: DescMessage, direction: Direction): DescField[] {
    const other = this.dialect === 'document' ? Dialect.JSON_RPC : Dialect.DOCUMENT;
    return message.fields.filter((field) => {
      const isShown = direction === 'input' || (this.catalogue.options.shows(field, this.dialect) && !this.#isNextToList(field, message));
      return isShown && this.catalogue.options.param(field).only !== other;
    });
  }

  /** True for a cursor that the JSON of the message does not have: JSON-RPC has no pages, and a page of a mere list has it around the list. */
  #isNextToList(field: DescField, message: DescMessage): boolean {
    return this.#cursors.has(field) && (this.dialect !== 'document' || this.catalogue.options.isInline(message));
  }

  isRequired(field: DescField): boolean {
    const { required, jsonRpcRequired } = this.catalogue.options.param(field);
    return this.dialect === 'document' ? required : jsonRpcRequired;
  }

  /** Schema of an object with some fields of a message. */
  object(fields: readonly DescField[], direction: Direction): Schema {
    const spliced = fields.filter((field) => this.catalogue.options.result(field).flatten);
    const own = fields.filter((field) => !spliced.includes(field));
    const required = own.filter((field) => this.#isAlwaysThere(field, direction)).map(wireName);
    const maps = spliced.filter((field) => field.fieldKind === 'map').map((field) => this.field(field, direction).additionalProperties);
    const parts = spliced.flatMap((field) => (field.fieldKind === 'message' ? [this.message(field.message, direction)] : []));
    return {
      type: 'object',
      properties: Object.fromEntries(own.map((field) => [wireName(field), this.field(field, direction)])),
      ...(required.length > 0 ? { required } : {}),
      ...(maps.length > 0 ? { additionalProperties: maps[0] } : {}),
      ...(parts.length > 0 ? { allOf: parts } : {}),
    };
  }

  #isAlwaysThere(field: DescField, direction: Direction): boolean {
    if (direction === 'input') return this.isRequired(field);
    const mayBeAbsent = field.oneof !== undefined || field.isOptional || field.fieldKind === 'message';
    return !mayBeAbsent;
  }

  #fieldBody(field: DescField, direction: Direction): Schema {
    switch (field.fieldKind) {
      case 'scalar':
        return this.#scalar(field, field.scalar, direction);
      case 'enum':
        return enumSchema(field.enum);
      case 'message':
        return this.message(field.message, direction);
      case 'list':
        if (field.message && this.catalogue.options.shape(field.message).member) return this.#memberObject(field.message, direction);
        return { type: 'array', items: this.#element(field, direction) };
      case 'map':
        return { type: 'object', additionalProperties: this.#element(field, direction) };
    }
  }

  /** Schema of an object that the proto declares as a list of names and values. */
  #memberObject(message: DescMessage, direction: Direction): Schema {
    const value = message.fields[1];
    return { type: 'object', additionalProperties: value ? this.field(value, direction) : {} };
  }

  #element(field: DescField & { readonly fieldKind: 'list' | 'map' }, direction: Direction): Schema {
    const kind = field.fieldKind === 'list' ? field.listKind : field.mapKind;
    if (kind === 'message') return field.message ? this.message(field.message, direction) : {};
    if (kind === 'enum') return field.enum ? enumSchema(field.enum) : {};
    return field.scalar === undefined ? {} : this.#scalar(field, field.scalar, direction);
  }

  #scalar(field: DescField, scalar: ScalarType, direction: Direction): Schema {
    const { format } = this.catalogue.options.result(field);
    // Without `multipleOf`: validators that divide doubles find that 33.33 is no multiple of 1e-8.
    if (direction === 'output' && format === Format.AMOUNT) return { type: 'number', format: 'amount' };
    if (direction === 'output' && format === Format.NUMBER_TEXT) return { type: 'number' };
    const { jsonType, secret } = this.catalogue.options.param(field);
    if (direction === 'input' && secret) return { type: 'string', format: 'password' };
    if (direction === 'input' && jsonType === JsonType.AMOUNT) return { type: ['number', 'string'], format: 'amount' };
    if (direction === 'input' && jsonType === JsonType.TEXT) return { type: ['string', 'number'] };
    return scalarSchema(scalar);
  }
}

/** Name of a component: `blockchain.v1.Block` for output, with suffix `.Input` for messages inside requests. */
function componentName(message: DescMessage, direction: Direction): string {
  const name = message.typeName.replace(/^dfi\./, '');
  return direction === 'input' && !name.endsWith('Request') ? `${name}.Input` : name;
}

function scalarSchema(scalar: ScalarType): Schema {
  const format = INTEGER_FORMAT[scalar];
  if (format !== undefined) return { type: 'integer', format };
  if (scalar === ScalarType.BOOL) return { type: 'boolean' };
  if (scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT) return { type: 'number' };
  return scalar === ScalarType.BYTES ? { type: 'string', contentEncoding: 'base16' } : { type: 'string' };
}

function enumSchema(desc: DescEnum): Schema {
  return { type: 'string', enum: desc.values.map((value) => value.localName) };
}

function described(schema: Schema, description: string): Schema {
  return description === '' ? schema : { ...schema, description };
}

function plain(value: JsonValue): unknown {
  return JSON.parse(writeJson(value));
}

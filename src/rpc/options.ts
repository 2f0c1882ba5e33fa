import { Operation, type Pages, Param, Result, Shape } from '../../gen/ts/dfi/rpc/v1/options.js';
import { HttpRule } from '../../gen/ts/google/api/http.js';
import { type JsonValue, parseJson } from '../util/json.js';
import type { DescField } from './descriptor-fields.js';
import type { DescMessage, DescMethod, Descriptors } from './descriptors.js';
import { bytesOf, joined } from './wire-fields.js';

/** Permission that an operation needs. This and the enums below are those of `dfi/rpc/v1/options.proto`. */
export const Role = { UNSPECIFIED: 0, READ: 1, SPEND: 2, ADMIN: 3 } as const;
export type Role = (typeof Role)[keyof typeof Role];
/** Check of the JSON types of arguments before any of them is read. */
export const TypeCheck = { UNSPECIFIED: 0, STRICT: 1, ALLOW_NULL: 2, FIRST: 3 } as const;
export type TypeCheck = (typeof TypeCheck)[keyof typeof TypeCheck];
/** JSON types of a parameter, if they do not follow from the type of its field. */
export const JsonType = { UNSPECIFIED: 0, NUMBER_OR_BOOL: 1, AMOUNT: 2, ANY: 3, TEXT: 4, FLAG: 5 } as const;
export type JsonType = (typeof JsonType)[keyof typeof JsonType];
/** Dialect to which a parameter is limited. */
export const Dialect = { UNSPECIFIED: 0, JSON_RPC: 1, DOCUMENT: 2 } as const;
export type Dialect = (typeof Dialect)[keyof typeof Dialect];
/** Text form of a number in answers. */
export const Format = { UNSPECIFIED: 0, AMOUNT: 1, NUMBER_TEXT: 2 } as const;
export type Format = (typeof Format)[keyof typeof Format];

/** Data that answers depend on. */
export const Source = {
  NONE: 1,
  TIP: 2,
  BLOCKS: 3,
  MEMPOOL: 4,
  WALLETS: 5,
  INDEXES: 6,
  CLOCK: 7,
  WARNINGS: 8,
  MINTING: 9,
  NETWORK: 10,
} as const;
export type Source = (typeof Source)[keyof typeof Source];

/** The option `operation` of a method: see `dfi/rpc/v1/options.proto`. */
export interface OperationOptions {
  readonly name: string;
  readonly call: readonly string[];
  readonly role: Role;
  readonly typeCheck: TypeCheck;
  readonly wallet: boolean;
  readonly category: string;
  readonly usage: string;
  readonly heavy: boolean;
  readonly large: boolean;
  /** Empty if answers are never cached. */
  readonly reads: readonly Source[];
  /** A wrong type is an error only when the operation reads its arguments. */
  readonly lateTypeCheck: boolean;
  /** Undefined if the answer is not a list that is returned in pages. */
  readonly pages: Pages | undefined;
}

/** A request field as a parameter. Defaults are parsed; `undefined` means that there is none. */
export interface ParamOptions {
  /** Required by the operations document. */
  readonly required: boolean;
  /** Required over JSON-RPC, where the parameter may have another default, or be optional without a default. */
  readonly jsonRpcRequired: boolean;
  readonly documentDefault: JsonValue | undefined;
  /** Default over JSON-RPC; undefined also if the operations document has one but `defid` decides by circumstance. */
  readonly jsonRpcDefault: JsonValue | undefined;
  readonly aliases: readonly string[];
  readonly jsonType: JsonType;
  readonly only: Dialect;
  /** The value is a passphrase or a private key, or may contain one. */
  readonly secret: boolean;
}

export interface ResultOptions {
  readonly format: Format;
  readonly flatten: boolean;
  readonly beyondDocument: boolean;
  readonly beyondDefid: boolean;
}

/** Shape of a message in JSON if it is not an object. */
export interface ShapeOptions {
  /** The message is represented by its only field, or by the member of its oneof that is set. */
  readonly inline: boolean;
  /** A string: template with field names in braces; empty if the message has another shape. */
  readonly text: string;
  /** An array of the fields that are set. */
  readonly tuple: boolean;
  /** A member of an object, with name and value: a list of such messages is that object. */
  readonly member: boolean;
}

/** One route of `google.api.http`. */
export interface HttpRoute {
  readonly verb: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** Template, e.g. `/v1/blocks/{blockhash}`. */
  readonly path: string;
  /** `*` for the whole request, or the name of a field; empty if the route has no body. */
  readonly body: string;
}

const NO_PARAM: ParamOptions = {
  required: false,
  jsonRpcRequired: false,
  documentDefault: undefined,
  jsonRpcDefault: undefined,
  aliases: [],
  jsonType: JsonType.UNSPECIFIED,
  only: Dialect.UNSPECIFIED,
  secret: false,
};
const NO_RESULT: ResultOptions = { format: Format.UNSPECIFIED, flatten: false, beyondDocument: false, beyondDefid: false };
const NO_SHAPE: ShapeOptions = { inline: false, text: '', tuple: false, member: false };
const VERBS: Readonly<Record<string, HttpRoute['verb']>> = { get: 'GET', put: 'PUT', post: 'POST', delete: 'DELETE', patch: 'PATCH' };

/** Reads the custom options of a descriptor image. Those of an element are decoded once, when they are first read. */
export class Options {
  readonly #operation: number;
  readonly #param: number;
  readonly #result: number;
  readonly #shape: number;
  readonly #http: number | undefined;
  readonly #params = new Map<DescField, ParamOptions>();
  readonly #shapes = new Map<DescMessage, ShapeOptions>();

  /**
   * @param strict JSON-RPC has exactly the members of `defid`
   * @throws {Error} if the image has no `dfi/rpc/v1/options.proto`
   */
  constructor(
    descriptors: Descriptors,
    readonly strict = false,
  ) {
    const numberOf = (name: string): number => {
      const found = descriptors.extensionNumber(`dfi.rpc.v1.${name}`);
      if (found === undefined) throw new Error(`the descriptor image lacks the option dfi.rpc.v1.${name}`);
      return found;
    };
    this.#operation = numberOf('operation');
    this.#param = numberOf('param');
    this.#result = numberOf('result');
    this.#shape = numberOf('shape');
    this.#http = descriptors.extensionNumber('google.api.http');
  }

  operation(method: DescMethod): OperationOptions | undefined {
    return decoded(method, this.#operation, Operation) as OperationOptions | undefined;
  }

  param(field: DescField): ParamOptions {
    let options = this.#params.get(field);
    if (!options) {
      const raw = decoded(field, this.#param, Param);
      options = raw ? paramOptions(field, raw) : NO_PARAM;
      this.#params.set(field, options);
    }
    return options;
  }

  result(field: DescField): ResultOptions {
    return (decoded(field, this.#result, Result) as ResultOptions | undefined) ?? NO_RESULT;
  }

  /** True if a field of a result is part of a dialect. */
  shows(field: DescField, dialect: 'json-rpc' | 'document'): boolean {
    const { beyondDocument, beyondDefid } = this.result(field);
    return dialect === 'document' ? !beyondDocument : !(this.strict && beyondDefid);
  }

  shape(message: DescMessage): ShapeOptions {
    let shape = this.#shapes.get(message);
    if (!shape) {
      shape = decoded(message, this.#shape, Shape) ?? NO_SHAPE;
      this.#shapes.set(message, shape);
    }
    return shape;
  }

  /** True if a message is represented in JSON by its only field, or by the member of its oneof that is set. */
  isInline(message: DescMessage): boolean {
    return this.shape(message).inline;
  }

  /** Routes of a method, the main one first; none if it has no `google.api.http`. */
  routes(method: DescMethod): readonly HttpRoute[] {
    const rule = this.#http === undefined ? undefined : decoded(method, this.#http, HttpRule);
    if (!rule) return [];
    return [rule, ...rule.additionalBindings].flatMap(({ pattern, body }) => {
      const verb = VERBS[pattern?.$case ?? ''];
      return verb === undefined ? [] : [{ verb, path: String(pattern?.value), body }];
    });
  }
}

/** An option of an element; undefined if it is not set. @param number of the extension */
function decoded<T>(desc: { readonly options: Uint8Array }, number: number, codec: { decode(bytes: Uint8Array): T }): T | undefined {
  const parts = bytesOf(desc.options, number);
  return parts.length === 0 ? undefined : codec.decode(joined(parts));
}

function paramOptions(field: DescField, raw: Param): ParamOptions {
  const documentDefault = defaultOf(field, raw.defaultJson);
  const own = raw.jsonrpcDefault === 'unset' ? undefined : defaultOf(field, raw.jsonrpcDefault);
  return {
    required: raw.required,
    jsonRpcRequired: raw.required && raw.jsonrpcDefault === '',
    documentDefault,
    jsonRpcDefault: raw.jsonrpcDefault === '' ? documentDefault : own,
    aliases: raw.alias,
    jsonType: raw.jsonType as number as JsonType,
    only: raw.only as number as Dialect,
    secret: raw.secret,
  };
}

function defaultOf(field: DescField, text: string): JsonValue | undefined {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    throw new Error(`default of ${field.parent.typeName}.${field.name} is not JSON: ${text}`, { cause });
  }
}

import { OperationCodec } from './codec.js';
import { Comments } from './comments.js';
import type { DescField } from './descriptor-fields.js';
import { type DescMessage, type DescMethod, Descriptors } from './descriptors.js';
import { helpList, helpText, usageLine } from './help.js';
import { propertyName, wireName } from './names.js';
import {
  Dialect,
  type HttpRoute,
  type OperationOptions,
  Options,
  type ParamOptions,
  type Role,
  type Source,
  type TypeCheck,
} from './options.js';

/** A field of a request as an argument. */
export interface Param extends ParamOptions {
  readonly field: DescField;
  /** Position among the fields of the request. */
  readonly index: number;
  /** Name in JSON-RPC and REST. */
  readonly name: string;
  /** Name in the objects of gen/ts. */
  readonly property: string;
  /** Every name that JSON-RPC accepts for it, `name` first. */
  readonly names: readonly string[];
}

/** One argument of a positional call: a parameter, or an object that holds several. */
export type Position =
  | { readonly kind: 'param'; readonly param: Param }
  | { readonly kind: 'object'; readonly name: string | undefined; readonly params: readonly Param[] };

/** One way to pass arguments by position. An operation has several if `defid` and the operations document differ. */
export interface Signature {
  readonly positions: readonly Position[];
  /** Minimum number of arguments: the position of the last required one. */
  readonly least: number;
  /** Maximum number of arguments. */
  readonly most: number;
  /** Number of arguments after the others that are ignored. */
  readonly ignored: number;
}

/** @param outer messages that contain this one */
function holdsSecret(message: DescMessage, options: Options, outer: readonly DescMessage[] = []): boolean {
  if (outer.includes(message)) return false;
  return message.fields.some(
    (field) => options.param(field).secret || (field.message !== undefined && holdsSecret(field.message, options, [...outer, message])),
  );
}

/** One operation as its proto declares it. Parameters, signatures, routes and codec are derived when they are first needed. */
export class Operation {
  readonly name: string;
  readonly role: Role;
  readonly typeCheck: TypeCheck;
  readonly wallet: boolean;
  readonly heavy: boolean;
  readonly large: boolean;
  readonly lateTypeCheck: boolean;
  /** Everything that answers depend on besides the arguments; empty if they are never cached. */
  readonly reads: readonly Source[];
  /** The answer is a list that is returned in pages. */
  readonly pages: boolean;
  /** Full name, e.g. `dfi.blockchain.v1.BlockchainService`. */
  readonly service: string;
  /** Key in `ServiceHandlers`: the method's name, first letter in lower case. */
  readonly method: string;
  /** gRPC path, e.g. `/dfi.blockchain.v1.BlockchainService/GetBlock`. */
  readonly path: string;
  /** Answers with a stream of messages: over JSON-RPC not at all. */
  readonly streams: boolean;
  #params: readonly Param[] | undefined;
  #signatures: readonly Signature[] | undefined;
  #routes: readonly HttpRoute[] | undefined;
  #codec: OperationCodec | undefined;
  #help: string | undefined;
  #takesSecrets: boolean | undefined;

  constructor(
    readonly descriptor: DescMethod,
    readonly declared: OperationOptions,
    readonly catalogue: Catalogue,
  ) {
    this.name = declared.name;
    this.role = declared.role;
    this.typeCheck = declared.typeCheck;
    this.wallet = declared.wallet;
    this.heavy = declared.heavy;
    this.large = declared.large;
    this.reads = declared.reads;
    this.pages = declared.pages !== undefined;
    this.lateTypeCheck = declared.lateTypeCheck;
    this.service = descriptor.parent.typeName;
    this.method = descriptor.name.charAt(0).toLowerCase() + descriptor.name.slice(1);
    this.path = `/${descriptor.parent.typeName}/${descriptor.name}`;
    this.streams = descriptor.streams;
  }

  get options(): Options {
    return this.catalogue.options;
  }

  get input(): DescMessage {
    return this.descriptor.input;
  }

  /** Field of the answer that has the cursor of the next page, which JSON-RPC does not have; undefined without pages. */
  get cursorField(): DescField | undefined {
    return this.pages ? this.output.fields.find(({ name }) => name === 'next') : undefined;
  }

  get output(): DescMessage {
    return this.descriptor.output;
  }

  get params(): readonly Param[] {
    this.#params ??= withoutTakenNames(this.input.fields.map((field, index) => param(field, index, this.options)));
    return this.#params;
  }

  /** Positional signatures in order of preference. @throws {Error} if a `call` line names no field of the request */
  get signatures(): readonly Signature[] {
    if (!this.#signatures) {
      const lines = this.declared.call;
      this.#signatures =
        lines.length > 0 ? lines.map((line) => parseSignature(line, this)) : [signature(this.params.filter(isPositional).map(positionOf))];
    }
    return this.#signatures;
  }

  /** An argument, or a part of one, may be a passphrase or a private key. */
  get takesSecrets(): boolean {
    this.#takesSecrets ??= holdsSecret(this.input, this.options);
    return this.#takesSecrets;
  }

  /** Reads the arguments and writes the answers of JSON-RPC and REST. */
  get codec(): OperationCodec {
    this.#codec ??= new OperationCodec(this);
    return this.#codec;
  }

  /** REST routes, the main one first. */
  get http(): readonly HttpRoute[] {
    this.#routes ??= this.options.routes(this.descriptor);
    return this.#routes;
  }

  /** Heading in the list of `help`; `hidden` keeps the operation out of the list. */
  get category(): string {
    return this.declared.category || this.descriptor.parent.name.replace(/Service$/, '');
  }

  get usage(): string {
    return this.declared.usage || usageLine(this);
  }

  get help(): string {
    this.#help ??= helpText(this, this.catalogue.comments);
    return this.#help;
  }
}

/** All operations of an image. */
export class Catalogue {
  readonly options: Options;
  readonly operations: readonly Operation[];
  readonly #byName = new Map<string, Operation>();
  readonly #byPath = new Map<string, Operation>();
  readonly #docs: () => Uint8Array;
  #comments: Comments | undefined;
  #helpList: string | undefined;

  /**
   * @param docs loads the image with source info, when the first help text is made
   * @param strict JSON-RPC answers have exactly the members of `defid`
   */
  constructor(
    readonly descriptors: Descriptors,
    docs: () => Uint8Array,
    strict = false,
  ) {
    this.options = new Options(descriptors, strict);
    this.#docs = docs;
    const operations: Operation[] = [];
    for (const file of descriptors.files) {
      for (const service of file.services) {
        for (const method of service.methods) {
          const declared = this.options.operation(method);
          if (declared) operations.push(new Operation(method, declared, this));
        }
      }
    }
    this.operations = operations;
    for (const operation of operations) {
      if (this.#byName.has(operation.name)) throw new Error(`two operations are named ${operation.name}`);
      this.#byName.set(operation.name, operation);
      this.#byPath.set(operation.path, operation);
    }
  }

  /** @param name of the JSON-RPC method, e.g. `getblock` */
  byName(name: string): Operation | undefined {
    return this.#byName.get(name);
  }

  /** @param path gRPC path, e.g. `/dfi.blockchain.v1.BlockchainService/GetBlock` */
  byPath(path: string): Operation | undefined {
    return this.#byPath.get(path);
  }

  /** Usage lines of all operations, by group. */
  get helpList(): string {
    this.#helpList ??= helpList(this.operations);
    return this.#helpList;
  }

  get comments(): Comments {
    this.#comments ??= new Comments(this.#docs());
    return this.#comments;
  }
}

/**
 * @param image bytes of the descriptor image (gen/image.binpb)
 * @param docs loads the image with source info (gen/docs.binpb); without it help texts have no comments
 * @param strict JSON-RPC answers have exactly the members of `defid`
 */
export function loadCatalogue(image: Uint8Array, docs: () => Uint8Array = () => new Uint8Array(), strict = false): Catalogue {
  return new Catalogue(new Descriptors(image), docs, strict);
}

function param(field: DescField, index: number, options: Options): Param {
  const declared = options.param(field);
  const name = wireName(field);
  const names = [...new Set([name, ...declared.aliases])];
  return { ...declared, field, index, name, property: propertyName(field), names };
}

/**
 * Removes names that another parameter declares as an alias: over JSON-RPC they mean that other parameter. So the operations document and
 * `defid` may use one name for different parameters.
 */
function withoutTakenNames(params: readonly Param[]): readonly Param[] {
  const taken = (name: string, owner: Param) => params.some((other) => other !== owner && other.aliases.includes(name));
  return params.map((each) => ({ ...each, names: each.names.filter((name) => each.aliases.includes(name) || !taken(name, each)) }));
}

function isPositional(param: Param): boolean {
  return param.only !== Dialect.DOCUMENT;
}

function positionOf(param: Param): Position {
  return { kind: 'param', param };
}

/**
 * @param atLeast minimum number of arguments, even if fewer are required
 * @param ignored number of ignored arguments at the end
 */
function signature(positions: readonly Position[], atLeast = 0, ignored = 0): Signature {
  const isRequired = (position: Position): boolean =>
    position.kind === 'param' ? position.param.jsonRpcRequired : position.params.some((each) => each.jsonRpcRequired);
  const least = Math.max(positions.findLastIndex(isRequired) + 1, atLeast);
  return { positions, least, most: positions.length + ignored, ignored };
}

/**
 * Parses `a, {b, c}, d`, where an object may have a name: `options{b, c}`. The arguments before a bar are the minimum; underscores at the
 * end are ignored arguments.
 */
function parseSignature(line: string, operation: Operation): Signature {
  const find = (name: string): Param => {
    const found = operation.params.find((each) => each.names.includes(name) || each.field.name === name);
    if (!found) throw new Error(`${operation.name}: call names ${name}, which is no field of ${operation.input.typeName}`);
    return found;
  };
  const namesIn = (text: string): string[] =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  const positionsIn = (text: string): Position[] =>
    [...text.matchAll(/(\w*)\s*\{([^}]*)\}|([^,{}\s]+)/g)].map(([, objectName = '', members, name]): Position => {
      if (name !== undefined) return positionOf(find(name));
      return { kind: 'object', name: objectName === '' ? undefined : objectName, params: namesIn(members ?? '').map(find) };
    });
  const named = line.replace(/(\s*,\s*_)+$/, '');
  const ignored = line.slice(named.length).split('_').length - 1;
  const [whole = '', rest] = named.split('|');
  const first = positionsIn(whole);
  return rest === undefined ? signature(first, 0, ignored) : signature([...first, ...positionsIn(rest)], first.length, ignored);
}

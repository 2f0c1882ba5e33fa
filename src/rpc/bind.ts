import { invalidParameter, NodeError } from '../util/errors.js';
import { type JsonKind, JsonObject, type JsonValue, kindOf } from '../util/json.js';
import type { Operation, Param, Position, Signature } from './catalogue.js';
import { checkedKind, kindsOf, requireKind } from './kinds.js';
import { LazyReader, noObject, type RequestJson } from './lazy.js';
import { Dialect, JsonType, type Options, TypeCheck } from './options.js';

export { hasArguments, rawJson, requestJsonObject } from './lazy.js';

/** Turns the arguments of a JSON-RPC call into a request in the shape of gen/ts, whose fields are converted when they are read. */
export class ArgumentBinder {
  readonly #op: Operation;
  readonly #reader: LazyReader;
  /** Signatures for named arguments, in order of preference. */
  readonly #named: readonly Signature[];
  /** That of `defid`. */
  readonly #ofDefid: Signature;

  constructor(op: Operation) {
    this.#op = op;
    this.#reader = new LazyReader(op.options, op.input);
    const flat = flatSignature(op);
    const withObjects = op.signatures.filter((each) => each.positions.some((position) => position.kind === 'object' && position.name));
    // Calls with names of the operations document are preferred if it has the operation.
    this.#named = op.signatures.some(isFlat) ? [flat, ...withObjects] : [...withObjects, flat];
    this.#ofDefid = withObjects[0] ?? flat;
  }

  /** @throws {NodeError} `usage` with the help text for a wrong number of arguments, `type` where the operation checks up front */
  positional(args: readonly JsonValue[]): object {
    return this.#bind(chooseSignature(this.#op, args), args);
  }

  /**
   * Makes positional arguments of named ones, as `defid` does: gaps become null (docs/protocol/rpc-chain.md 1.6).
   * @throws {NodeError} `invalid-parameter` for a name that `defid` does not know, if no signature has all names; else as `positional`
   */
  named(params: JsonObject): object {
    for (const signature of this.#named) {
      const { args, unused } = inPositions(signature, params);
      // `defid` names no member of an object that takes the place of all arguments: its name is that of the first one.
      if (unused === undefined) return this.#bind(ofObject(this.#op, args) ?? signature, args);
    }
    throw invalidParameter(`Unknown named parameter ${inPositions(this.#ofDefid, params).unused}`);
  }

  #bind({ positions, least, most }: Signature, args: readonly JsonValue[]): object {
    const op = this.#op;
    if (args.length < least || args.length > most) throw new NodeError('usage', op.help);
    if (op.typeCheck !== TypeCheck.UNSPECIFIED) checkTypes(op, positions, args);
    const values = new Array<RequestJson>(op.params.length).fill(undefined);
    let object: JsonValue | undefined;
    args.forEach((arg, i) => {
      const position = positions[i];
      if (position?.kind === 'param') values[position.param.index] = arg;
      else if (position) {
        object = arg;
        assignMembers(position.params, arg, values);
      }
    });
    return this.#reader.request(values, object);
  }
}

/** Members of an object argument. A value of another type is an error when the first of them is read. */
function assignMembers(params: readonly Param[], argument: JsonValue, values: RequestJson[]): void {
  for (const { names, index } of params) {
    if (!(argument instanceof JsonObject)) values[index] = noObject;
    else for (const name of names) values[index] ??= argument.get(name);
  }
}

/** Checks the types of all arguments, or of the first, before any is read (docs/protocol/rpc-chain.md 1.8). */
function checkTypes(op: Operation, positions: readonly Position[], args: readonly JsonValue[]): void {
  const checked = op.typeCheck === TypeCheck.FIRST ? args.slice(0, 1) : args;
  checked.forEach((arg, i) => {
    const position = positions[i];
    const want = position && wantedKind(position, op.options);
    if (want === undefined || (arg === null && op.typeCheck === TypeCheck.ALLOW_NULL)) return;
    requireKind(arg, want);
  });
}

function wantedKind(position: Position, options: Options): JsonKind | undefined {
  return position.kind === 'object' ? 'object' : checkedKind(position.param.field, options);
}

/**
 * The first signature that fits the arguments, before all one with ignored arguments. If none does, the first of all: `call` lines begin
 * with the order of `defid`, so a mistake gets the same error as from `defid`.
 */
function chooseSignature(op: Operation, args: readonly JsonValue[]): Signature {
  const { signatures } = op;
  if (signatures.length === 1) return signatures[0] as Signature;
  return ofObject(op, args) ?? signatures.find((each) => fits(each, args, op.options)) ?? (signatures[0] as Signature);
}

/** The signature in which an object takes the place of all arguments, if the operation has one and it fits. */
function ofObject({ signatures, options }: Operation, args: readonly JsonValue[]): Signature | undefined {
  return signatures.find((each) => each.ignored > 0 && fits(each, args, options));
}

function fits({ positions, least, most, ignored }: Signature, args: readonly JsonValue[], options: Options): boolean {
  if (args.length < least || args.length > most) return false;
  return args.every((arg, i) => {
    const position = positions[i];
    if (!position) return true;
    if (position.kind === 'object' && ignored > 0) return arg instanceof JsonObject && arg.entries.length > 0;
    const kind = kindOf(arg);
    if (position.kind === 'object') return kind === 'object' || kind === 'null';
    const { field, jsonRpcRequired, jsonType } = position.param;
    if (kind === 'null') return !jsonRpcRequired;
    return jsonType === JsonType.ANY || kindsOf(field, options).includes(kind);
  });
}

/** All fields by their names. */
function flatSignature(op: Operation): Signature {
  const params = op.params.filter((each) => each.only !== Dialect.DOCUMENT);
  return {
    positions: params.map((each) => ({ kind: 'param', param: each })),
    least: params.findLastIndex((each) => each.jsonRpcRequired) + 1,
    most: params.length,
    ignored: 0,
  };
}

function isFlat({ positions }: Signature): boolean {
  return positions.every(({ kind }) => kind === 'param');
}

/**
 * Named arguments by position. If a name occurs twice, the last value counts; if an argument has several names, the first one that is
 * given.
 * @returns also the last name that is left over, if there is one: `defid` almost always reports that
 */
function inPositions({ positions }: Signature, params: JsonObject): { readonly args: JsonValue[]; readonly unused: string | undefined } {
  const left = new Map(params.entries);
  const args: JsonValue[] = [];
  positions.forEach((position, i) => {
    const name = namesOf(position).find((each) => left.has(each));
    if (name === undefined) return;
    while (args.length < i) args.push(null);
    args.push(left.get(name) ?? null);
    left.delete(name);
  });
  return { args, unused: [...left.keys()].at(-1) };
}

function namesOf(position: Position): readonly string[] {
  if (position.kind === 'param') return position.param.names;
  return position.name === undefined ? [] : [position.name];
}

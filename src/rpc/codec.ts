import { NodeError } from '../util/errors.js';
import type { JsonObject, JsonValue } from '../util/json.js';
import { type MaybePromise, withValue } from '../util/slicer.js';
import { ArgumentBinder } from './bind.js';
import type { Operation } from './catalogue.js';
import type { CallContext } from './handler.js';
import type { JsonAnswer } from './json-sink.js';
import { JsonWriter, type WriteDialect } from './write.js';

/** The JSON of one operation both ways: arguments to a request, a response to text. Its parts are compiled when they are first used. */
export class OperationCodec {
  readonly #op: Operation;
  readonly #writers: Readonly<Record<WriteDialect, JsonWriter>>;
  #binder: ArgumentBinder | undefined;

  constructor(op: Operation) {
    this.#op = op;
    this.#writers = { 'json-rpc': new JsonWriter(op.options, 'json-rpc'), document: new JsonWriter(op.options, 'document') };
  }

  /** @throws {NodeError} as {@link ArgumentBinder.positional}; `type` only when the request is read if the operation checks types late */
  bindPositional(args: readonly JsonValue[]): object {
    return this.#typed(() => this.#arguments.positional(args));
  }

  /** @throws {NodeError} as {@link ArgumentBinder.named}; `type` only when the request is read if the operation checks types late */
  bindNamed(params: JsonObject): object {
    return this.#typed(() => this.#arguments.named(params));
  }

  /**
   * JSON of a response.
   * @param call a long answer is written in slices while its caller waits; undefined to write all of it at once
   * @returns a promise, if the answer took more than one slice; it rejects with the reason of the call's signal once that is aborted
   */
  write(response: unknown, call: Pick<CallContext, 'signal'> | undefined, dialect: WriteDialect = 'json-rpc'): MaybePromise<JsonAnswer> {
    const json = this.#writers[dialect].write(this.#op.output, response, call);
    const next = dialect === 'document' && this.#op.pages ? (response as { readonly next?: string }).next : undefined;
    if (next === undefined || !this.#op.options.isInline(this.#op.output)) return json;
    return withValue(json, (items) => page(items, next));
  }

  #typed(bind: () => object): object {
    try {
      return bind();
    } catch (error) {
      if (this.#op.lateTypeCheck && error instanceof NodeError && error.kind === 'type') return unreadable(error);
      throw error;
    }
  }

  get #arguments(): ArgumentBinder {
    this.#binder ??= new ArgumentBinder(this.#op);
    return this.#binder;
  }
}

/** A request that throws when any member of it is read. */
function unreadable(error: NodeError): object {
  const get = () => {
    throw error;
  };
  return new Proxy({}, { get });
}

/** A page of a list whose JSON has no room for a cursor. */
function page(items: JsonAnswer, next: string): JsonAnswer {
  const [head, tail] = ['{"items":', `,"next":"${next}"}`];
  return typeof items === 'string' ? head + items + tail : [Buffer.from(head), ...items, Buffer.from(tail)];
}

import type { Rejected } from '../metrics/rpc.js';
import { type Caller, requireAccess } from '../rpc/access.js';
import type { AnswerCache } from '../rpc/answer-cache.js';
import type { Catalogue, Operation } from '../rpc/catalogue.js';
import { bindJson } from '../rpc/document.js';
import { fieldMask } from '../rpc/field-mask.js';
import type { CallContext } from '../rpc/handler.js';
import type { OpenCall } from '../rpc/invoke.js';
import type { JsonAnswer } from '../rpc/json-sink.js';
import { NodeError } from '../util/errors.js';
import { JsonObject, type JsonValue, writeJson } from '../util/json.js';
import { type MaybePromise, withValue } from '../util/slicer.js';
import type { Documents } from './documents/documents.js';
import { isHeavier } from './envelope.js';
import type { HttpCall } from './http-call.js';
import type { RpcOperations } from './jsonrpc.js';

/** Runs operations, in this process or on another node. */
export interface CallInvoker {
  /** @throws {NodeError} `warmup` until the node can answer */
  requireReady(): void;
  /** Admits a call before its arguments are bound. @throws {NodeError} if it cannot be made now */
  open(op: Operation, call: CallContext): OpenCall;
  /** Admits a call and runs it. @throws {NodeError} also for a call that cannot be made now */
  invoke(op: Operation, request: object, call: CallContext): unknown;
  /** Admits and runs a call that is answered with a stream. @throws {NodeError} while the stream is read */
  stream(op: Operation, request: object, call: CallContext): AsyncGenerator<object>;
}

/** Calls with heavier arguments are not cached, see {@link isHeavier}. */
const MAX_KEY_WEIGHT = 256 * 1024;

/** Method of OpenRPC's service discovery, the only one that is no operation. */
const DISCOVER = 'rpc.discover';

/** Shared, because the stack trace of a new one costs more than the rest of such a call. */
const METHOD_NOT_FOUND = new NodeError('method-not-found', 'Method not found');

/** The operations of the catalogue as JSON-RPC methods. */
export class OperationTable implements RpcOperations {
  constructor(
    readonly catalogue: Catalogue,
    readonly invoker: CallInvoker,
    readonly documents: Documents,
    readonly rejected: Rejected,
    /** Undefined without a cache of answers. */
    readonly cache?: AnswerCache | undefined,
  ) {}

  /** @throws {NodeError} `permission-denied` */
  requireAccess(method: string, caller: Caller): void {
    try {
      requireAccess(method, this.catalogue.byName(method), caller);
    } catch (error) {
      this.rejected('permission');
      throw error;
    }
  }

  answer(method: string, params: readonly JsonValue[] | JsonObject, call: HttpCall): MaybePromise<JsonAnswer> {
    const op = this.catalogue.byName(method);
    if (!op || op.streams) return this.#answerOther(method, params);
    return this.#cached(
      op,
      () => (isHeavier(params, MAX_KEY_WEIGHT) ? undefined : `${method} ${writeJson(params)}`),
      call,
      () => this.#run(op, params, call),
    );
  }

  /**
   * Runs a REST call whose caller has access to the operation.
   * @param json values of path, query and body, in the dialect of the operations document
   * @param isTextual all values are texts of the URL
   * @param fields paths of the fields to answer with; undefined for all
   * @returns JSON of the response
   * @throws {NodeError}
   */
  answerRest(op: Operation, json: JsonObject, isTextual: boolean, call: HttpCall, fields?: string): MaybePromise<JsonAnswer> {
    const mask = fieldMask(op, fields);
    return this.#cached(
      op,
      () => (isHeavier(json, MAX_KEY_WEIGHT) ? undefined : `rest ${isTextual} ${op.name} ${fields ?? ''} ${writeJson(json)}`),
      call,
      () => {
        const request = bindJson(op, json, { textual: isTextual });
        const write = (response: unknown) => op.codec.write(response, call, 'document');
        const response = this.invoker.invoke(op, request, call);
        return mask ? withValue(response, (whole) => withValue(mask.apply(whole, false, call), write)) : withValue(response, write);
      },
    );
  }

  /** @param keyOf key of the call in the cache of answers; undefined if its answer is not to be kept */
  #cached(op: Operation, keyOf: () => string | undefined, call: HttpCall, run: () => MaybePromise<JsonAnswer>): MaybePromise<JsonAnswer> {
    const { cache } = this;
    const key = cache?.holds(op, call) ? keyOf() : undefined;
    if (!cache || key === undefined) return run();
    return cache.answer(op, key, call, run, () => {
      call.cachedAs = { op, key };
    });
  }

  #run(op: Operation, params: readonly JsonValue[] | JsonObject, call: HttpCall): MaybePromise<JsonAnswer> {
    const run = this.invoker.open(op, call);
    const request = params instanceof JsonObject ? op.codec.bindNamed(params) : op.codec.bindPositional(params);
    return withValue(run(request), (response) => op.codec.write(response, call));
  }

  #answerOther(method: string, params: readonly JsonValue[] | JsonObject): JsonAnswer {
    this.invoker.requireReady();
    if (method !== DISCOVER) throw METHOD_NOT_FOUND;
    const { length } = params instanceof JsonObject ? params.entries : params;
    if (length > 0) throw new NodeError('invalid-params', `${DISCOVER} takes no parameters`);
    return this.documents.openRpc;
  }
}

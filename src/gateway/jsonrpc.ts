import type { Caller } from '../rpc/access.js';
import type { AnswerCache } from '../rpc/answer-cache.js';
import type { CallRecorder } from '../rpc/call-stats.js';
import { statusOf, toNodeError } from '../rpc/errors.js';
import type { JsonAnswer } from '../rpc/json-sink.js';
import type { KnownCall } from '../rpc/known-requests.js';
import { NodeError } from '../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue, parseJson, quoteJson, writeJson } from '../util/json.js';
import type { Logger } from '../util/logger.js';
import { type MaybePromise, Slicer } from '../util/slicer.js';
import { parseError, type RequestBody } from './body.js';
import type { HttpCall } from './http-call.js';
import { type Body, bodyLength } from './reply.js';

/** Reply to a JSON-RPC request, before its headers. */
export interface Reply {
  readonly status: number;
  /** JSON text that ends with a line feed. */
  readonly body: Body;
}

/** Operations as JSON-RPC calls them. */
export interface RpcOperations {
  /** @throws {NodeError} `permission-denied` if the caller may not call a method, whether it exists or not */
  requireAccess(method: string, caller: Caller): void;
  /**
   * Runs a call whose caller has access to the method. Checks in this order: warm-up, method, wallet, arguments.
   * @returns JSON of the result
   * @throws {NodeError}
   */
  answer(method: string, params: readonly JsonValue[] | JsonObject, call: HttpCall): MaybePromise<JsonAnswer>;
}

/** Calls in one batch. */
export const MAX_BATCH_ITEMS = 1000;

/** Answers of one batch together, in bytes; calls after that are answered with an error. */
export const MAX_BATCH_BYTES = 256 * 1024 * 1024;

/** Answers of a batch that is answered from the cache in one turn of the event loop, characters. */
const MAX_KNOWN_BATCH = 1 << 20;

/** Weight of an `id`, which is written in one go. */
const MAX_ID_WEIGHT = 8 * 1024 * 1024;
const VALUE_WEIGHT = 128;

const NO_PARAMS: readonly JsonValue[] = [];

/**
 * JSON-RPC in the form of `defid`: every call, also a notification, gets a reply with `result`, `error` and `id`, whatever version the
 * client names. A reply is a promise only if its handler returns one.
 * @see docs/protocol/rpc-chain.md 1.4
 */
export class JsonRpc {
  constructor(
    readonly operations: RpcOperations,
    readonly log: Logger,
    readonly stats?: CallRecorder,
    /** Undefined without a cache of answers. */
    readonly cache?: AnswerCache | undefined,
    readonly maxBatchBytes = MAX_BATCH_BYTES,
  ) {}

  /** @param text body of at most SHORT_BODY_BYTES, as nearly all are */
  answerText(text: string, call: HttpCall): MaybePromise<Reply> {
    const { cache } = this;
    if (cache && call.wallet === undefined) {
      const known = text.startsWith('[') ? this.#answerKnownBatch(text, call, cache) : this.#answerKnown(text, call, cache);
      if (known) return known;
    }
    let request: JsonValue;
    try {
      request = parseJson(text);
    } catch (error) {
      return this.#failed(parseError(error), 'null', call);
    }
    if (Array.isArray(request)) return this.#batch(request, call, (known) => cache?.requests.noteBatch(text, known));
    const reply = this.#answerTo(request, call);
    if (call.cachedAs && request instanceof JsonObject) cache?.requests.note(text, request, call.cachedAs);
    return reply;
  }

  /** The reply to a request whose calls are all in the cache of answers, and that was answered from there before. */
  #answerKnown(text: string, call: HttpCall, cache: AnswerCache): Reply | undefined {
    const known = cache.requests.call(text);
    if (!known) return undefined;
    try {
      this.operations.requireAccess(known.op.name, call.caller);
    } catch (error) {
      return this.#failed(error, known.id, call);
    }
    const result = cache.find(known.op, known.key, call.transport);
    return result === undefined ? undefined : this.#counted(known, result);
  }

  /** As {@link #answerKnown}, for a batch with a short reply. */
  #answerKnownBatch(text: string, call: HttpCall, cache: AnswerCache): Reply | undefined {
    const batch = cache.requests.batch(text);
    if (!batch) return undefined;
    try {
      for (const { op } of batch) this.operations.requireAccess(op.name, call.caller);
    } catch (error) {
      return this.#failed(error, 'null', call);
    }
    const results: string[] = [];
    let length = 0;
    for (const { op, key } of batch) {
      const result = cache.peek(op, key);
      if (typeof result !== 'string') return undefined;
      length += result.length;
      if (length > MAX_KNOWN_BATCH) return undefined;
      results.push(result);
    }
    const body = new BatchBody();
    batch.forEach((known, i) => {
      cache.count(known.op, call.transport);
      body.add(this.#counted(known, results[i] as string).body);
    });
    return { status: 200, body: body.finish() };
  }

  #counted({ op, id }: KnownCall, result: JsonAnswer): Reply {
    const reply = succeeded(result, id);
    this.stats?.record(op.name, 0, bodyLength(reply.body));
    return reply;
  }

  answer(body: Pick<RequestBody, 'parse'>, call: HttpCall): MaybePromise<Reply> {
    let request: MaybePromise<JsonValue>;
    try {
      request = body.parse();
    } catch (error) {
      return this.#failed(error, 'null', call);
    }
    if (!(request instanceof Promise)) return this.#answerTo(request, call);
    return request.then(
      // The client may have left while a long body was parsed.
      (parsed) => (call.abortReason ? this.#failed(call.abortReason, 'null', call) : this.#answerTo(parsed, call)),
      (error) => this.#failed(error, 'null', call),
    );
  }

  #answerTo(request: JsonValue, call: HttpCall): MaybePromise<Reply> {
    if (request instanceof JsonObject) return this.#single(request, call, false);
    if (Array.isArray(request)) return this.#batch(request, call);
    return this.#failed(new NodeError('parse-error', 'Top-level object parse error'), 'null', call);
  }

  /** The answer to a request that is turned away before its body is read. */
  refuse(error: NodeError): Reply {
    return replyOf(error, 'null');
  }

  /** @param hasAccess the rights of the caller were checked already */
  #single(request: JsonObject, call: HttpCall, hasAccess: boolean): MaybePromise<Reply> {
    const given = request.get('id');
    const id = given === undefined ? 'null' : writeId(given);
    if (id === undefined) return this.#failed(new NodeError('invalid-request', 'Invalid id: too long'), 'null', call);
    const startedMs = performance.now();
    try {
      if (!hasAccess) this.#requireAccess(request, call);
      const result = this.#run(request, call);
      if (!(result instanceof Promise)) return this.#succeeded(request, result, id, startedMs);
      return result.then(
        (text) => this.#succeeded(request, text, id, startedMs),
        (error) => this.#failed(error, id, call),
      );
    } catch (error) {
      return this.#failed(error, id, call);
    }
  }

  #requireAccess(request: JsonObject, { caller }: HttpCall): void {
    const method = request.get('method');
    if (typeof method === 'string') this.operations.requireAccess(method, caller);
  }

  /** @returns the result as JSON text */
  #run(request: JsonObject, call: HttpCall): MaybePromise<JsonAnswer> {
    const method = request.get('method') ?? null;
    if (method === null) throw new NodeError('invalid-request', 'Missing method');
    if (typeof method !== 'string') throw new NodeError('invalid-request', 'Method must be a string');
    const params = request.get('params') ?? NO_PARAMS;
    if (typeof params !== 'object' || params instanceof JsonNumber) {
      throw new NodeError('invalid-request', 'Params must be an array or object');
    }
    return this.operations.answer(method, params, call);
  }

  /**
   * Runs the calls one after the other. The status is 200 even if calls fail, except for a caller that fails to authenticate.
   * @param cached called if all calls were answered from the cache of answers
   */
  async #batch(items: readonly JsonValue[], call: HttpCall, cached?: (calls: readonly KnownCall[]) => void): Promise<Reply> {
    if (items.length > MAX_BATCH_ITEMS) {
      return this.#failed(new NodeError('invalid-request', `Batch of more than ${MAX_BATCH_ITEMS} calls`), 'null', call);
    }
    try {
      // As in Bitcoin Core nothing of a batch runs where one of its calls is not allowed.
      for (const item of items) if (item instanceof JsonObject) this.#requireAccess(item, call);
    } catch (error) {
      return this.#failed(error, 'null', call);
    }
    const body = new BatchBody();
    const known: KnownCall[] = [];
    const slicer = new Slicer();
    for (const item of items) {
      const replied = body.length > this.maxBatchBytes ? replyOf(BATCH_TOO_LONG, idOf(item)) : this.#item(item, call);
      // Not awaited otherwise, because that would cost more than a short call.
      const reply = replied instanceof Promise ? await replied : replied;
      if (reply.status === 401) return reply;
      body.add(reply.body);
      if (call.cachedAs) known.push({ ...call.cachedAs, id: idOf(item) });
      call.cachedAs = undefined;
      const paused = slicer.pause();
      if (paused) await paused;
    }
    if (known.length === items.length && known.length > 0) cached?.(known);
    return { status: 200, body: body.finish() };
  }

  #item(item: JsonValue, call: HttpCall): MaybePromise<Reply> {
    if (call.abortReason) return this.#failed(call.abortReason, 'null', call);
    if (item instanceof JsonObject) return this.#single(item, call, true);
    return this.#failed(new NodeError('invalid-request', 'Invalid Request object'), 'null', call);
  }

  #succeeded(request: JsonObject, result: JsonAnswer, id: string, startedMs: number): Reply {
    const reply = succeeded(result, id);
    this.stats?.record(String(request.get('method')), performance.now() - startedMs, bodyLength(reply.body));
    return reply;
  }

  #failed(thrown: unknown, id: string, call: HttpCall): Reply {
    // An aborted handler may throw any error; the client receives the reason of the abortion.
    const error = call.abortReason ?? toNodeError(thrown);
    if (!(thrown instanceof NodeError))
      this.log.error('JSON-RPC call failed unexpectedly', { error: error.message, stack: stackOf(error) });
    return replyOf(error, id);
  }
}

const BATCH_TOO_LONG = new NodeError('resource-exhausted', 'The answers of this batch are too long');

/** The `id` of a call that is not run. */
function idOf(item: JsonValue): string {
  const id = item instanceof JsonObject ? item.get('id') : undefined;
  return id === undefined ? 'null' : (writeId(id) ?? 'null');
}

/** @returns undefined for an id that is too long */
function writeId(id: JsonValue): string | undefined {
  return isHeavier(id, MAX_ID_WEIGHT) ? undefined : writeJson(id);
}

/** Compares the weight of a value: a character weighs 1, each value 128 more. Looks at no more of it than it takes to know. */
export function isHeavier(value: JsonValue, limit: number): boolean {
  let left = limit;
  const visit = (each: JsonValue): boolean => {
    left -= VALUE_WEIGHT + (typeof each === 'string' ? each.length : each instanceof JsonNumber ? each.text.length : 0);
    if (left < 0) return true;
    if (each instanceof JsonObject) return each.entries.some(([key, member]) => visit(key) || visit(member));
    return Array.isArray(each) && each.some(visit);
  };
  return visit(value);
}

function replyOf({ kind, message }: NodeError, id: string): Reply {
  const { jsonRpc, http } = statusOf[kind];
  return { status: http, body: `{"result":null,"error":{"code":${jsonRpc},"message":${quoteJson(message)}},"id":${id}}\n` };
}

/** A longer text is turned into bytes once, where it would be read three times for its length and once more to be sent. */
const LONG_TEXT = 16 * 1024;

function succeeded(result: JsonAnswer, id: string): Reply {
  const [head, tail] = ['{"result":', `,"error":null,"id":${id}}\n`];
  if (typeof result !== 'string') return { status: 200, body: [Buffer.from(head), ...result, Buffer.from(tail)] };
  const text = head + result + tail;
  return { status: 200, body: text.length > LONG_TEXT ? [Buffer.from(text)] : text };
}

/** The replies of a batch as one array. */
class BatchBody {
  /** In bytes, where text counts by the character. */
  length = 0;
  readonly #bytes: Uint8Array[] = [];
  #text = '';
  #before = '[';

  /** @param reply ends with a line feed, which is left out */
  add(reply: Body): void {
    this.#text += this.#before;
    this.#before = ',';
    this.length += typeof reply === 'string' ? reply.length : bodyLength(reply);
    if (typeof reply === 'string') this.#text += reply.slice(0, -1);
    else {
      this.#flush();
      this.#bytes.push(...reply.slice(0, -1), (reply.at(-1) as Uint8Array).subarray(0, -1));
    }
    if (this.#text.length > LONG_TEXT) this.#flush();
  }

  finish(): Body {
    this.#text += this.#before === '[' ? '[]\n' : ']\n';
    if (this.#bytes.length === 0) return this.#text;
    this.#flush();
    return this.#bytes;
  }

  #flush(): void {
    this.#bytes.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

function stackOf(error: NodeError): string | undefined {
  return error.cause instanceof Error ? error.cause.stack : error.stack;
}

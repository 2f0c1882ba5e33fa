import type { Caller } from '../rpc/access.js';
import type { AnswerCache } from '../rpc/answer-cache.js';
import type { CallRecorder } from '../rpc/call-stats.js';
import { toNodeError } from '../rpc/errors.js';
import type { JsonAnswer } from '../rpc/json-sink.js';
import type { Envelope, KnownCall } from '../rpc/known-requests.js';
import { NodeError } from '../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue, parseJson } from '../util/json.js';
import type { Logger } from '../util/logger.js';
import { type MaybePromise, Slicer, withValue } from '../util/slicer.js';
import { parseError, type RequestBody } from './body.js';
import { BatchBody, envelopeOf, failed, isNotification, isOfVersion2, NO_CALL, NO_REPLY, type Reply, succeeded } from './envelope.js';
import type { HttpCall } from './http-call.js';
import { bodyLength } from './reply.js';

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
const MAX_BATCH_ITEMS = 1000;

/** Answers of one batch together, in bytes; calls after that are answered with an error. */
const MAX_BATCH_BYTES = 256 * 1024 * 1024;

/** Answers of a batch that is answered from the cache in one turn of the event loop, characters. */
const MAX_KNOWN_BATCH = 1 << 20;

const NO_PARAMS: readonly JsonValue[] = [];
const BATCH_TOO_LONG = new NodeError('resource-exhausted', 'The answers of this batch are too long');

/**
 * JSON-RPC in the form of `defid`: every call, also one without `id`, gets a reply with `result`, `error` and `id`. Calls that ask for
 * version 2.0 get the form of that version, as in Bitcoin Core 28: only one of `result` and `error`, status 200 for failed calls, and no
 * reply to notifications. A reply is a promise only if its handler returns one.
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
      return this.#failed(parseError(error), NO_CALL, call);
    }
    if (Array.isArray(request)) return this.#batch(request, call, (known) => cache?.requests.noteBatch(text, known));
    const reply = this.#answerTo(request, call);
    if (call.cachedAs && request instanceof JsonObject)
      cache?.requests.note(text, request, { ...call.cachedAs, isVersion2: isOfVersion2(request) });
    return reply;
  }

  /** The reply to a request whose calls are all in the cache of answers, and that was answered from there before. */
  #answerKnown(text: string, call: HttpCall, cache: AnswerCache): Reply | undefined {
    const known = cache.requests.call(text);
    if (!known) return undefined;
    try {
      this.operations.requireAccess(known.op.name, call.caller);
    } catch (error) {
      return this.#failed(error, known, call);
    }
    const outcome = cache.find(known.op, known.key);
    if (outcome === undefined) return undefined;
    cache.count(known.op, outcome, call);
    return outcome instanceof NodeError ? this.#failed(outcome, known, call) : this.#counted(known, outcome);
  }

  /** As {@link #answerKnown}, for a batch with a short reply. */
  #answerKnownBatch(text: string, call: HttpCall, cache: AnswerCache): Reply | undefined {
    const batch = cache.requests.batch(text);
    if (!batch) return undefined;
    try {
      for (const { op } of batch) this.operations.requireAccess(op.name, call.caller);
    } catch (error) {
      return this.#failed(error, NO_CALL, call);
    }
    const results: string[] = [];
    let length = 0;
    for (const { op, key } of batch) {
      const result = cache.find(op, key);
      if (typeof result !== 'string') return undefined;
      length += result.length;
      if (length > MAX_KNOWN_BATCH) return undefined;
      results.push(result);
    }
    const body = new BatchBody();
    batch.forEach((known, i) => {
      const result = results[i] as string;
      cache.count(known.op, result, call);
      body.add(succeeded(result, known).body);
    });
    return this.#countedBatch(body, 0);
  }

  /** `defid` counts a batch as one call without a name, and not the calls in it. */
  #countedBatch(answers: BatchBody, latencyMs: number): Reply {
    const body = answers.finish();
    this.stats?.record('', latencyMs, bodyLength(body));
    return { status: 200, body };
  }

  #counted(known: KnownCall, result: JsonAnswer): Reply {
    const reply = succeeded(result, known);
    this.stats?.record(known.op.name, 0, bodyLength(reply.body));
    return reply;
  }

  answer(body: Pick<RequestBody, 'parse'>, call: HttpCall): MaybePromise<Reply> {
    let request: MaybePromise<JsonValue>;
    try {
      request = body.parse();
    } catch (error) {
      return this.#failed(error, NO_CALL, call);
    }
    if (!(request instanceof Promise)) return this.#answerTo(request, call);
    return request.then(
      // The client may have left while a long body was parsed.
      (parsed) => (call.abortReason ? this.#failed(call.abortReason, NO_CALL, call) : this.#answerTo(parsed, call)),
      (error) => this.#failed(error, NO_CALL, call),
    );
  }

  #answerTo(request: JsonValue, call: HttpCall): MaybePromise<Reply> {
    if (request instanceof JsonObject) return withoutBody(request, this.#single(request, call, false));
    if (Array.isArray(request)) return this.#batch(request, call);
    return this.#failed(new NodeError('parse-error', 'Top-level object parse error'), NO_CALL, call);
  }

  /** The answer to a request that is turned away before its body is read. */
  refuse(error: NodeError): Reply {
    return failed(error, NO_CALL);
  }

  /** @param inBatch the rights of the caller were checked already, and the batch is counted as a whole */
  #single(request: JsonObject, call: HttpCall, inBatch: boolean): MaybePromise<Reply> {
    const envelope = envelopeOf(request);
    if (!envelope) return this.#failed(new NodeError('invalid-request', 'Invalid id: too long'), NO_CALL, call);
    const startedMs = performance.now();
    try {
      if (!inBatch) this.#requireAccess(request, call);
      const result = this.#run(request, call);
      const replied = (text: JsonAnswer) => (inBatch ? succeeded(text, envelope) : this.#succeeded(request, text, envelope, startedMs));
      if (!(result instanceof Promise)) return replied(result);
      return result.then(replied, (error) => this.#failed(error, envelope, call));
    } catch (error) {
      return this.#failed(error, envelope, call);
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
      return this.#failed(new NodeError('invalid-request', `Batch of more than ${MAX_BATCH_ITEMS} calls`), NO_CALL, call);
    }
    try {
      // As in Bitcoin Core nothing of a batch runs where one of its calls is not allowed.
      for (const item of items) if (item instanceof JsonObject) this.#requireAccess(item, call);
    } catch (error) {
      return this.#failed(error, NO_CALL, call);
    }
    const startedMs = performance.now();
    const body = new BatchBody();
    const known: KnownCall[] = [];
    const slicer = new Slicer();
    for (const item of items) {
      const replied = body.length > this.maxBatchBytes ? failed(BATCH_TOO_LONG, knownEnvelope(item)) : this.#item(item, call);
      // Not awaited otherwise, because that would cost more than a short call.
      const reply = replied instanceof Promise ? await replied : replied;
      if (reply.status === 401) return reply;
      if (!isNotificationItem(item)) body.add(reply.body);
      if (call.cachedAs) known.push({ ...call.cachedAs, ...knownEnvelope(item) });
      call.cachedAs = undefined;
      const paused = slicer.pause();
      if (paused) await paused;
    }
    if (body.isEmpty && items.length > 0) return NO_REPLY;
    if (known.length === items.length && known.length > 0 && !items.some(isNotificationItem)) cached?.(known);
    return this.#countedBatch(body, performance.now() - startedMs);
  }

  #item(item: JsonValue, call: HttpCall): MaybePromise<Reply> {
    if (call.abortReason) return this.#failed(call.abortReason, NO_CALL, call);
    if (item instanceof JsonObject) return this.#single(item, call, true);
    return this.#failed(new NodeError('invalid-request', 'Invalid Request object'), NO_CALL, call);
  }

  #succeeded(request: JsonObject, result: JsonAnswer, envelope: Envelope, startedMs: number): Reply {
    const reply = succeeded(result, envelope);
    this.stats?.record(String(request.get('method')), performance.now() - startedMs, bodyLength(reply.body));
    return reply;
  }

  #failed(thrown: unknown, envelope: Envelope, call: HttpCall): Reply {
    // An aborted handler may throw any error; the client receives the reason of the abortion.
    const error = call.abortReason ?? toNodeError(thrown);
    if (!(thrown instanceof NodeError))
      this.log.error('JSON-RPC call failed unexpectedly', { error: error.message, stack: stackOf(error) });
    return failed(error, envelope);
  }
}

/** The reply to a single request: none to a notification, unless HTTP itself refuses it. */
function withoutBody(request: JsonObject, reply: MaybePromise<Reply>): MaybePromise<Reply> {
  if (!isNotification(request)) return reply;
  return withValue(reply, (known) => (known.status === 200 ? NO_REPLY : known));
}

/** Form of the reply to a call that is not run, or was known to the cache. */
function knownEnvelope(item: JsonValue): Envelope {
  return (item instanceof JsonObject && envelopeOf(item)) || NO_CALL;
}

function isNotificationItem(item: JsonValue): boolean {
  return item instanceof JsonObject && isNotification(item);
}

function stackOf(error: NodeError): string | undefined {
  return error.cause instanceof Error ? error.cause.stack : error.stack;
}

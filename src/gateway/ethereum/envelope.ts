import { answerTooLong } from '../../util/answer-limit.js';
import { errorText, NodeError, shortened } from '../../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue, quoteJson, writeJson } from '../../util/json.js';
import { valueAt } from '../../util/json-places.js';
import { type MaybePromise, Slicer, withValue } from '../../util/slicer.js';
import type { AbortableCall } from '../abortable-call.js';
import { MAX_ERROR_TEXT } from '../envelope.js';
import type { CallError, CallOutcome, CallParams, EthereumCalls } from './calls.js';

const PARSE_ERROR: CallError = { code: -32700, message: 'Parse error' };
const INVALID_REQUEST: CallError = { code: -32600, message: 'Invalid request' };
/** Maximum length of an id that is a string. */
const MAX_ID_LENGTH = 4096;
const MAX_ID = (1n << 64n) - 1n;
/** Members of a request besides its id. */
const MEMBERS = ['jsonrpc', 'method', 'params'] as const;

const REQUEST_TOO_LONG: CallError = { code: -32701, message: 'Request is too big' };

/** Length of a body, and requests of a batch, up to which the source of parameters is looked up: each look-up reads the body from its start. */
const MAX_PLACED_BODY = 128 * 1024;
const MAX_PLACED_REQUESTS = 100;

/** Body of a request. */
export interface EnvelopeBody {
  /** Throws, or rejects, if the body is not JSON. */
  parse(): MaybePromise<JsonValue>;
  text(): string;
}

/** Calls, and the request whose end aborts them. */
export interface Answering {
  readonly calls: EthereumCalls;
  readonly call: AbortableCall;
  /** Maximum length of an answer with a result, and of the answers of a batch together. */
  readonly maxBytes: number;
}

/**
 * Answers a body of JSON-RPC 2.0: one call or a batch.
 * @returns undefined if the body has notifications only
 */
export function answerBody(body: EnvelopeBody, answering: Answering): MaybePromise<string | undefined> {
  const answer = (request: JsonValue) => {
    if (isBatch(request)) return answerBatch(request, body, answering);
    return request instanceof JsonObject ? answerOne(request, [], body, answering) : failed(PARSE_ERROR);
  };
  try {
    const request = body.parse();
    return request instanceof Promise ? request.then(answer, notParsed) : answer(request);
  } catch (error) {
    return notParsed(error);
  }
}

function notParsed(error: unknown): string {
  if (error instanceof SyntaxError || (error instanceof NodeError && error.kind === 'parse-error')) return failed(PARSE_ERROR);
  return refusedForSize(errorText(error));
}

/** Answer to a body that is refused for its size. @param reason text of its data */
export function refusedForSize(reason: string): string {
  return failed({ ...REQUEST_TOO_LONG, data: reason });
}

async function answerBatch(requests: readonly JsonValue[], body: EnvelopeBody, answering: Answering): Promise<string | undefined> {
  const { call, maxBytes } = answering;
  if (requests.length === 0) return failed(INVALID_REQUEST);
  const slicer = new Slicer();
  const answers: string[] = [];
  // The brackets and commas count too.
  let length = 1;
  for (const [i, request] of requests.entries()) {
    if (call.abortReason) return undefined;
    const pending = answerOne(request, [i], body, answering);
    // Not awaited otherwise, because that would cost more than a short call.
    const answer = pending instanceof Promise ? await pending : pending;
    if (answer !== undefined) {
      answers.push(answer);
      length += Buffer.byteLength(answer) + 1;
      if (length > maxBytes) return failed(INVALID_REQUEST);
    }
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return answers.length === 0 ? undefined : `[${answers.join(',')}]`;
}

/** @param place of the request in the body */
function answerOne(
  request: JsonValue,
  place: readonly number[],
  body: EnvelopeBody,
  { calls, call, maxBytes }: Answering,
): MaybePromise<string | undefined> {
  if (!(request instanceof JsonObject)) return failed(INVALID_REQUEST);
  const id = idOf(request);
  const method = request.get('method');
  const isVersion2 = request.get('jsonrpc') === '2.0';
  if (id === undefined || typeof method !== 'string' || !isVersion2 || MEMBERS.some((name) => isRepeated(request, name))) {
    // `defid` treats an object with an id as a request, and any element of a batch.
    return failed(id || place.length > 0 ? INVALID_REQUEST : PARSE_ERROR, id || 'null');
  }
  const outcome = calls.call(method, paramsOf(request, place, body), call);
  return withValue(outcome, (result) => (id === '' ? undefined : answerOf(result, id, maxBytes)));
}

function paramsOf(request: JsonObject, place: readonly number[], body: EnvelopeBody): CallParams {
  return {
    value: request.get('params'),
    text() {
      const member = request.entries.findIndex(([name]) => name === 'params');
      if (member < 0 || (place[0] ?? 0) >= MAX_PLACED_REQUESTS) return '';
      const text = body.text();
      if (text.length > MAX_PLACED_BODY) return '';
      const { start, end } = valueAt(text, [...place, member]);
      return text.slice(start, end);
    },
  };
}

function isBatch(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Id of a request as JSON; empty for a notification, undefined if it is not valid. */
function idOf(request: JsonObject): string | undefined {
  const id = request.get('id');
  if (id === undefined) return '';
  if (isRepeated(request, 'id')) return undefined;
  if (id === null || (typeof id === 'string' && id.length <= MAX_ID_LENGTH)) return writeJson(id);
  return id instanceof JsonNumber && /^\d{1,20}$/.test(id.text) && BigInt(id.text) <= MAX_ID ? id.text : undefined;
}

function isRepeated({ entries }: JsonObject, member: string): boolean {
  let count = 0;
  for (const [name] of entries) if (name === member) count += 1;
  return count > 1;
}

/** The envelope of a result counts too. */
function answerOf(outcome: CallOutcome, id: string, maxBytes: number): string {
  if (!('result' in outcome)) return failed(outcome.error, id);
  const answer = `{"jsonrpc":"2.0","result":${outcome.result},"id":${id}}`;
  return answer.length > maxBytes ? failed(answerTooLong(maxBytes), id) : answer;
}

/** Answer of a call that failed. */
function failed({ code, message, data }: CallError, id = 'null'): string {
  const detail = data === undefined ? '' : `,"data":${quoteJson(data)}`;
  return `{"jsonrpc":"2.0","error":{"code":${code},"message":${quoteJson(shortened(message, MAX_ERROR_TEXT))}${detail}},"id":${id}}`;
}

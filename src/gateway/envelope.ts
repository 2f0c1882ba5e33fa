import { statusOf } from '../rpc/errors.js';
import type { JsonAnswer } from '../rpc/json-sink.js';
import type { Envelope } from '../rpc/known-requests.js';
import { type NodeError, shortened } from '../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue, quoteJson, writeJson } from '../util/json.js';
import { type Body, bodyLength } from './reply.js';

/** Reply to a JSON-RPC request, before its headers. */
export interface Reply {
  readonly status: number;
  /** JSON text that ends with a line feed; empty for a notification. */
  readonly body: Body;
}

/** Form of the reply to what is no call. */
export const NO_CALL: Envelope = { isVersion2: false, id: 'null' };
/** Reply to a notification, which only JSON-RPC 2.0 has. */
export const NO_REPLY: Reply = { status: 204, body: '' };
/** Weight of an `id`, which is written in one go. */
const MAX_ID_WEIGHT = 8 * 1024 * 1024;
const VALUE_WEIGHT = 128;
/** Characters of the text of an error, which is written in one go. Some texts repeat an argument. */
export const MAX_ERROR_TEXT = 1 << 20;
/** A longer text is turned into bytes once, where it would be read three times for its length and once more to be sent. */
const LONG_TEXT = 16 * 1024;
/** Errors of HTTP itself, whatever the version of JSON-RPC. */
const HTTP_REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/** @returns undefined if the id is too long */
export function envelopeOf(request: JsonObject): Envelope | undefined {
  const given = request.get('id') ?? null;
  const isVersion2 = isOfVersion2(request);
  return isHeavier(given, MAX_ID_WEIGHT) ? undefined : { isVersion2, id: writeJson(given) };
}

/** True for a request that asks for version 2.0. As in Bitcoin Core 28, other versions get the reply that `defid` gives. */
export function isOfVersion2(request: JsonObject): boolean {
  return request.get('jsonrpc') === '2.0';
}

/** True if the client expects no reply. */
export function isNotification(request: JsonObject): boolean {
  return isOfVersion2(request) && request.get('id') === undefined;
}

/** Reply with an error. Version 2.0 leaves the status of HTTP to errors of HTTP. */
export function failed({ kind, message }: NodeError, { isVersion2, id }: Envelope): Reply {
  const { jsonRpc, http } = statusOf[kind];
  const error = `"error":{"code":${jsonRpc},"message":${quoteJson(shortened(message, MAX_ERROR_TEXT))}},"id":${id}}\n`;
  if (!isVersion2) return { status: http, body: `{"result":null,${error}` };
  return { status: HTTP_REFUSALS.has(http) ? http : 200, body: `{"jsonrpc":"2.0",${error}` };
}

/** Reply with a result. */
export function succeeded(result: JsonAnswer, { isVersion2, id }: Envelope): Reply {
  const head = isVersion2 ? '{"jsonrpc":"2.0","result":' : '{"result":';
  const tail = isVersion2 ? `,"id":${id}}\n` : `,"error":null,"id":${id}}\n`;
  if (typeof result !== 'string') return { status: 200, body: [Buffer.from(head), ...result, Buffer.from(tail)] };
  const text = head + result + tail;
  return { status: 200, body: text.length > LONG_TEXT ? [Buffer.from(text)] : text };
}

/** The replies of a batch as one array. */
export class BatchBody {
  /** In bytes, where text counts by the character. */
  length = 0;
  readonly #bytes: Uint8Array[] = [];
  #text = '';
  #before = '[';

  get isEmpty(): boolean {
    return this.#before === '[';
  }

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

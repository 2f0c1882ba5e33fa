import { type Json, parseExact, recordOf, textOf } from './json.js';

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** Answer to a call as it came, for the page of operations. */
export interface RawAnswer {
  readonly isError: boolean;
  /** JSON of the result or of the error. */
  readonly text: string;
}

/** A part of a list, at most as long as a page. */
export interface ListPage {
  /** A list, or an object of elements by their id. */
  readonly items: Json;
  /** Cursor of the next page; empty in the last. */
  readonly next: string;
}

/** A refusal by the node, with its code. */
export class CallError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The credentials are missing or wrong. */
export class LoginError extends Error {}

/** The node cannot be reached, or does not answer as a node. */
export class ConnectionError extends Error {}

const UNAUTHORISED = 401;

/** Calls of the node that serves the page, over JSON-RPC, and its events. */
export class NodeClient {
  readonly #headers: Readonly<Record<string, string>>;

  /** @param root address of the gateway, with a slash at its end */
  constructor(
    readonly root: string,
    login: Login,
  ) {
    const bytes = new TextEncoder().encode(`${login.user}:${login.password}`);
    this.#headers = { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}`, 'content-type': 'application/json' };
  }

  /** @throws {CallError | LoginError | ConnectionError} */
  async call(method: string, ...params: readonly unknown[]): Promise<Json> {
    return resultOf(recordOf(parseExact(await this.#post(JSON.stringify({ id: 0, method, params })))));
  }

  /** Result of a call, undefined if the node refuses it. @throws {LoginError | ConnectionError} */
  attempt(method: string, ...params: readonly unknown[]): Promise<Json | undefined> {
    return unlessRefused(this.call(method, ...params));
  }

  /**
   * A page of a list over REST: JSON-RPC has no pages.
   * @param path of the list, below `v1/` @param query parameters; `page` is the cursor, empty for the first page
   * @throws {CallError | LoginError | ConnectionError}
   */
  async page(path: string, query: Readonly<Record<string, string>>): Promise<ListPage> {
    const response = await this.#fetch(`v1/${path}?${new URLSearchParams(query)}`, { headers: this.#headers });
    const text = await jsonText(response);
    if (!response.ok) throw refusalOf(text);
    const answer = recordOf(parseExact(text));
    return { items: answer.items ?? null, next: textOf(answer.next) };
  }

  /** Results of several calls in one request, undefined for each one that the node refuses. @throws {LoginError | ConnectionError} */
  async callAll(calls: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<(Json | undefined)[]> {
    if (calls.length === 0) return [];
    const body = calls.map(([method, ...params], id) => ({ id, method, params }));
    const answers = parseExact(await this.#post(JSON.stringify(body)));
    if (!Array.isArray(answers)) return calls.map(() => undefined);
    return answers.map((each: Json) => (recordOf(each).error === null ? recordOf(each).result : undefined));
  }

  /** @param params JSON of the parameters @param wallet name of the wallet; undefined for that of the node */
  async callRaw(method: string, params: string, wallet?: string): Promise<RawAnswer> {
    const path = wallet === undefined ? '' : `wallet/${encodeURIComponent(wallet)}`;
    const text = await this.#post(`{"id":0,"method":${JSON.stringify(method)},"params":${params}}`, path);
    const isError = recordOf(parseExact(text)).error !== null;
    return { isError, text: memberText(text, isError ? 'error' : 'result') };
  }

  /** Events as they happen, until the stream ends. @throws {CallError | LoginError | ConnectionError} */
  async *events(signal: AbortSignal): AsyncGenerator<Json> {
    const response = await this.#fetch('v1/events/stream', { headers: this.#headers, signal });
    if (!response.ok) throw refusalOf(await jsonText(response));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) return;
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const messages = `${text}${value}`.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data) yield recordOf(parseExact(data)).event ?? null;
      }
    }
  }

  async #post(body: string, path = ''): Promise<string> {
    const response = await this.#fetch(path, { method: 'POST', headers: this.#headers, body });
    return jsonText(response);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      // Without the credentials of the browser, so that it neither keeps ours nor asks for others.
      response = await fetch(this.root + path, { ...init, credentials: 'omit' });
    } catch (error) {
      throw new ConnectionError(`The node cannot be reached: ${(error as Error).message}`);
    }
    if (response.status === UNAUTHORISED) throw new LoginError('User or password is wrong.');
    return response;
  }
}

/** Answer to a request, undefined if the node refuses it. @throws {LoginError | ConnectionError} */
export async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CallError) return undefined;
    throw error;
  }
}

async function jsonText(response: Response): Promise<string> {
  const text = await response.text();
  if (!text.startsWith('{') && !text.startsWith('[')) throw new ConnectionError(text || `status ${response.status}`);
  return text;
}

/** Refusal of a call over REST. */
function refusalOf(text: string): CallError {
  const { code, message } = recordOf(parseExact(text));
  return new CallError(Number(textOf(code)), textOf(message));
}

function resultOf(answer: Readonly<Record<string, Json>>): Json {
  const { error, result } = answer;
  if (error === null || error === undefined) return result ?? null;
  const { code, message } = recordOf(error);
  throw new CallError(Number(textOf(code)), textOf(message));
}

/** JSON text of a member of an answer. The members are `result`, `error` and `id`, in that order, and one of the first two is null. */
function memberText(answer: string, name: 'result' | 'error'): string {
  const start = answer.indexOf(`"${name}":`) + name.length + 3;
  return answer.slice(start, answer.lastIndexOf(name === 'result' ? ',"error":' : ',"id":'));
}

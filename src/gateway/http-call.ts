import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../rpc/access.js';
import { type CallSettings, readCallSettings } from '../rpc/call-settings.js';
import type { CallContext, Transport } from '../rpc/handler.js';
import type { NodeError } from '../util/errors.js';

let lastRequestId = 0;

/** The call context of one HTTP request. What most calls never ask for, an id or an abort signal, is made when it is first read. */
export class HttpCall implements CallContext {
  #requestId: string | undefined;
  #controller: AbortController | undefined;
  #reason: NodeError | undefined;

  constructor(
    readonly transport: Extract<Transport, 'jsonrpc' | 'rest'>,
    readonly caller: Caller,
    readonly wallet: string | undefined,
    /** The request's own credentials, for a gateway that hands them on to another node. */
    readonly authorization: string | undefined,
    requestId: string | undefined,
    /** Of the request; for what only few operations ask. */
    readonly headers: IncomingHttpHeaders = {},
  ) {
    this.#requestId = requestId;
  }

  get dialect(): CallContext['dialect'] {
    return this.transport === 'jsonrpc' ? 'json-rpc' : 'document';
  }

  get user(): string {
    return this.caller.user;
  }

  get requestId(): string {
    this.#requestId ??= `http-${(++lastRequestId).toString(36)}`;
    return this.#requestId;
  }

  get settings(): CallSettings {
    return readCallSettings((name) => {
      const value = this.headers[name];
      return typeof value === 'string' ? value : value?.[0];
    });
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Why the call was given up; undefined while it is wanted. */
  get abortReason(): NodeError | undefined {
    return this.#reason;
  }

  abort(reason: NodeError): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

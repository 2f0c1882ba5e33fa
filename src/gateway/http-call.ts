import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../rpc/access.js';
import { type CallSettings, readCallSettings } from '../rpc/call-settings.js';
import type { CallContext, Transport } from '../rpc/handler.js';
import type { CachedCall } from '../rpc/known-requests.js';
import { AbortableCall } from './abortable-call.js';

let lastRequestId = 0;

/** Call context of an HTTP request. Its id, which most calls never use, is created at first use. */
export class HttpCall extends AbortableCall implements CallContext {
  #requestId: string | undefined;
  /** Set when the call was answered from the cache of answers; of a batch, by its last call. */
  cachedAs: CachedCall | undefined;

  constructor(
    readonly transport: Exclude<Transport, 'grpc'>,
    readonly caller: Caller,
    readonly wallet: string | undefined,
    /** Credentials of the request, which a standalone gateway passes to its node. */
    readonly authorization: string | undefined,
    requestId: string | undefined,
    /** Headers of the request, for settings that few operations read. */
    readonly headers: IncomingHttpHeaders = {},
  ) {
    super();
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
}

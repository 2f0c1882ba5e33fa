/** Who calls and how: the same for every transport. */
export interface CallContext {
  /** JSON-RPC speaks the reference's defaults and errors; gRPC and REST speak the document's. */
  readonly dialect: 'json-rpc' | 'document';
  readonly requestId: string;
  /** Name of the caller's credentials, for logs. */
  readonly user: string | undefined;
  /** Wallet named by the request path or metadata; undefined when none was named. */
  readonly wallet: string | undefined;
  /** Aborted when the caller leaves or its deadline passes. Loops look at it once per slice. */
  readonly signal: AbortSignal;
}

/**
 * One operation. It parses, asks the core and formats; arity, defaults and up-front type checks are settled before it runs.
 * Over JSON-RPC each field of `request` is converted when it is read, so the order of reading is the order in which a bad
 * argument is noticed.
 */
export type Handler<Modules, Request, Response> = (modules: Modules, request: Request, call: CallContext) => Response | Promise<Response>;

/** Handlers of a service by method name as in the proto, first letter in lower case. */
export type ServiceHandlers<Modules> = Readonly<Record<string, Handler<Modules, never, unknown>>>;

import type { handleServerStreamingCall, handleUnaryCall } from '@grpc/grpc-js';
import type { Caller } from './access.js';
import type { CallSettings } from './call-settings.js';

/** Who calls and how: the same for every transport. */
export interface CallContext {
  /** JSON-RPC speaks the reference's defaults and errors; gRPC and REST speak the document's. */
  readonly dialect: 'json-rpc' | 'document';
  /** For metrics; where it is left out, the dialect tells JSON-RPC from the rest. */
  readonly transport?: Transport;
  readonly requestId: string;
  /** Name of the caller's credentials, for logs. */
  readonly user: string | undefined;
  /** Rights of the caller, for the operation that tells them; every transport has checked them already. */
  readonly caller?: Caller;
  /** Wallet named by the request path or metadata; undefined when none was named. */
  readonly wallet: string | undefined;
  /** What the caller sets for this call alone; nothing by default. */
  readonly settings?: CallSettings;
  /** Aborted when the caller leaves or its deadline passes. Loops look at it once per slice. */
  readonly signal: AbortSignal;
}

export type Transport = 'jsonrpc' | 'rest' | 'grpc';

/**
 * One operation. It parses, asks the core and formats; arity, defaults and up-front type checks are settled before it runs.
 * Over JSON-RPC each field of `request` is converted when it is read, so the order of reading is the order in which a bad
 * argument is noticed.
 */
export type Handler<Modules, Request, Response> = (modules: Modules, request: Request, call: CallContext) => Response | Promise<Response>;

/**
 * An operation that answers with one message after the other until there is nothing more to tell. It ends where `call.signal` is
 * aborted.
 */
export type StreamHandler<Modules, Request, Response> = (modules: Modules, request: Request, call: CallContext) => AsyncIterable<Response>;

/** Handlers of a service by method name as in the proto, first letter in lower case. */
export type ServiceHandlers<Modules> = Readonly<Record<string, Handler<Modules, never, unknown>>>;

/** Methods of a generated `...ServiceServer`, whose index signature would otherwise admit any name. */
type MethodsOf<Server> = {
  [Name in keyof Server as string extends Name ? never : number extends Name ? never : Name]: Server[Name];
};

/**
 * Handlers of all methods of a generated server type except those listed in `NotBuilt`: a service ends its table in
 * `satisfies Handlers<XServiceServer, Modules, NotBuilt>`, and a missing or a superfluous handler does not compile.
 */
export type Handlers<Server, Modules, NotBuilt extends keyof MethodsOf<Server> = never> = {
  readonly [Name in Exclude<keyof MethodsOf<Server>, NotBuilt>]: MethodsOf<Server>[Name] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? Handler<Modules, Request, Response>
    : MethodsOf<Server>[Name] extends handleServerStreamingCall<infer Request, infer Response>
      ? StreamHandler<Modules, Request, Response>
      : never;
};

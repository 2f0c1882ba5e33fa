import type { handleServerStreamingCall, handleUnaryCall } from '@grpc/grpc-js';
import type { Caller } from './access.js';
import type { CallSettings } from './call-settings.js';

/** The caller of an operation and the circumstances of the call, the same for every transport. */
export interface CallContext {
  /** `json-rpc` has the defaults and errors of `defid`; `document`, for gRPC and REST, those of the operations document. */
  readonly dialect: 'json-rpc' | 'document';
  /** Label of metrics; by default JSON-RPC or REST, by the dialect. */
  readonly transport?: Transport;
  readonly requestId: string;
  /** Name of the caller's credentials, for logs. */
  readonly user: string | undefined;
  /** Rights of the caller, for `getaccess`; the transport has checked them already. */
  readonly caller?: Caller;
  /** Wallet named by the request path or metadata; undefined if the request names none. */
  readonly wallet: string | undefined;
  /** True for a caller that knows no wallets: if the operation asks for one, all loaded ones are read, of which there may be none. */
  readonly anyWallet?: boolean;
  /** Options of the node that the caller overrides for this call. */
  readonly settings?: CallSettings;
  /** True for a call of the node itself, which is answered during the start-up too. */
  readonly isOwn?: boolean;
  /** Aborted when the caller disconnects or its deadline passes. Long work checks it once per slice. */
  readonly signal: AbortSignal;
  /**
   * Calls the listener when the call is aborted, immediately if it was aborted before. Cheaper than `signal`, whose creation costs more
   * than most calls.
   * @returns a function that removes the listener
   */
  onAbort?(listener: () => void): () => void;
  /**
   * Set by a handler if the outcome depends on more than its operation declares, or if the call has an effect. The answer is then not
   * cached.
   */
  isMomentary?: boolean;
}

/** `web` is gRPC-Web and Connect, for browsers. `ocean` marks calls that Ocean makes for its answers. */
export type Transport = 'jsonrpc' | 'rest' | 'grpc' | 'web' | 'ocean';

/**
 * One operation: it parses the request, asks the core and formats the response. The number of arguments, defaults and up-front type
 * checks are done before it runs.
 * Over JSON-RPC each field of `request` is converted when it is read, so the order of reading is the order in which a bad
 * argument is noticed.
 */
export type Handler<Modules, Request, Response> = (modules: Modules, request: Request, call: CallContext) => Response | Promise<Response>;

/**
 * An operation that answers with a stream of messages. It ends when there are no more, or when `call.signal` is aborted.
 */
export type StreamHandler<Modules, Request, Response> = (modules: Modules, request: Request, call: CallContext) => AsyncIterable<Response>;

/** Handlers of a service by method name as in the proto, first letter in lower case. */
export type ServiceHandlers<Modules> = Readonly<Record<string, Handler<Modules, never, unknown>>>;

/** Methods of a generated `...ServiceServer`, whose index signature would otherwise admit any name. */
type MethodsOf<Server> = {
  [Name in keyof Server as string extends Name ? never : number extends Name ? never : Name]: Server[Name];
};

/**
 * Handlers of all methods of a generated server type except those in `Omitted`. The handler table of a service ends in
 * `satisfies Handlers<XServiceServer, Modules, Omitted>`, so that a missing or superfluous handler does not compile.
 */
export type Handlers<Server, Modules, Omitted extends keyof MethodsOf<Server> = never> = {
  readonly [Name in Exclude<keyof MethodsOf<Server>, Omitted>]: MethodsOf<Server>[Name] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? Handler<Modules, Request, Response>
    : MethodsOf<Server>[Name] extends handleServerStreamingCall<infer Request, infer Response>
      ? StreamHandler<Modules, Request, Response>
      : never;
};

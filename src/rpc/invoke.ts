import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import type { Catalogue, Operation } from './catalogue.js';
import { statusOf, toNodeError } from './errors.js';
import { grpcStatusName } from './grpc-status.js';
import type { CallContext, Handler, ServiceHandlers, Transport } from './handler.js';
import type { Paging } from './paging.js';

/** Facts about the caller of a call. */
export type CallOrigin = Pick<CallContext, 'dialect' | 'transport' | 'user' | 'requestId'>;

/** Observes each finished call, including those answered from the cache of answers. */
export interface CallObserver {
  /** @param code name of the gRPC status, also of `OK` */
  finished(call: CallOrigin, method: string, code: string, seconds: number): void;
}

/** Transport of a call, for metrics and the log. */
export function transportOf({ transport, dialect }: CallOrigin): Transport {
  return transport ?? (dialect === 'json-rpc' ? 'jsonrpc' : 'rest');
}

export interface InvokerParts {
  readonly catalogue: Catalogue;
  readonly log: Logger;
  readonly observer: CallObserver;
}

/** A call that is running. */
export interface ActiveCall {
  readonly method: string;
  /** `performance.now()` when it started. */
  readonly startedMs: number;
}

/**
 * Checks that an operation can be called now, whatever its arguments.
 * @returns a promise if the handler has to wait for it
 * @throws {NodeError} the reason why it cannot
 */
export type Admission = (op: Operation, call: CallContext) => Promise<void> | undefined;

/** Work that a finished call has caused and that its answer waits for. @returns undefined if there is none */
export type FollowUp = () => Promise<void> | undefined;

/** Runs the handler of a call that was opened: its request is in the shape of gen/ts, its result a response or a promise of one. */
export type OpenCall = (request: object) => unknown;

type BoundHandler = (request: never, call: CallContext) => unknown;

/** The single path of a call, for every transport: guards, handler, metrics, errors. */
export class Invoker {
  readonly #catalogue: Catalogue;
  readonly #log: Logger;
  readonly #observer: CallObserver;
  readonly #handlers = new Map<Operation, BoundHandler>();
  readonly #active = new Set<ActiveCall>();
  readonly #early = new Set<Operation>();
  #warmup: string | undefined;
  #admission: Admission = () => undefined;
  #followUp: FollowUp | undefined;

  constructor({ catalogue, log, observer }: InvokerParts) {
    this.#catalogue = catalogue;
    this.#log = log;
    this.#observer = observer;
  }

  /** Calls that are running, oldest first. */
  get active(): Iterable<ActiveCall> {
    return this.#active;
  }

  /** Status of the warm-up, e.g. `Loading block index...`; undefined after it (docs/protocol/rpc-chain.md 1.12). */
  get warmup(): string | undefined {
    return this.#warmup;
  }

  setWarmup(status: string | undefined): void {
    this.#warmup = status;
  }

  /** Answers the operations of a service during the warm-up too. @param service full name */
  exemptFromWarmup(service: string): void {
    for (const op of this.#catalogue.operations) if (op.service === service) this.#early.add(op);
  }

  /** Sets the check that every later call has to pass; by default there is none. */
  setAdmission(admission: Admission): void {
    this.#admission = admission;
  }

  /** Sets a step between the work of every later call and its answer, which waits for the promise; by default there is none. */
  setFollowUp(followUp: FollowUp): void {
    this.#followUp = followUp;
  }

  /** @throws {NodeError} `warmup` until the node can answer */
  requireReady(): void {
    if (this.#warmup !== undefined) throw new NodeError('warmup', this.#warmup);
  }

  /**
   * Admits a call whose arguments are not bound yet: `defid` resolves the wallet before it looks at arguments (docs/protocol/wallet.md
   * 0.3). The call is counted from when it runs.
   * @throws {NodeError} during warm-up, or if the wallet of the call does not exist
   */
  open(op: Operation, call: CallContext): OpenCall {
    const handler = this.#admitted(op, call);
    return (request) => this.#counted(op, call, () => handler(request as never, call));
  }

  /**
   * @param service full name, e.g. `dfi.blockchain.v1.BlockchainService`
   * @throws {Error} for a handler of a method that the service does not have
   */
  bind<Modules>(service: string, handlers: ServiceHandlers<Modules>, modules: Modules): void {
    const operations = new Map(this.#catalogue.operations.filter((op) => op.service === service).map((op) => [op.method, op]));
    for (const [method, handler] of Object.entries(handlers)) {
      const operation = operations.get(method);
      if (!operation) throw new Error(`${service} has no operation ${method}`);
      const run: BoundHandler = (request, call) => (handler as Handler<Modules, never, unknown>)(modules, request, call);
      this.#handlers.set(operation, operation.pages ? inPages(operation, run) : run);
    }
  }

  /**
   * Admits and runs a call; synchronous if the handler is.
   * @param request in the shape of gen/ts
   * @throws {NodeError} and nothing else; a promise rejects with the same
   */
  invoke(op: Operation, request: object, call: CallContext): unknown {
    return this.#counted(op, call, () => this.#admitted(op, call)(request as never, call));
  }

  #counted(op: Operation, call: CallContext, run: () => unknown): unknown {
    const active: ActiveCall = { method: op.name, startedMs: performance.now() };
    this.#active.add(active);
    let result: unknown;
    try {
      result = this.#afterFollowUp(run());
    } catch (error) {
      throw this.#failed(active, call, error);
    }
    if (result instanceof Promise) {
      return untilAborted(result, call).then(
        (value) => {
          this.#finished(active, call, 'OK');
          return value;
        },
        (error) => {
          throw this.#failed(active, call, error);
        },
      );
    }
    this.#finished(active, call, 'OK');
    return result;
  }

  /** The result, after the work that the call has caused. */
  #afterFollowUp(result: unknown): unknown {
    const followUp = this.#followUp;
    if (!followUp) return result;
    if (result instanceof Promise) return result.then((value) => followUp()?.then(() => value) ?? value);
    return followUp()?.then(() => result) ?? result;
  }

  /**
   * Admits and runs a call that is answered with a stream of messages.
   * @throws {NodeError} and nothing else, while the stream is read
   */
  async *stream(op: Operation, request: object, call: CallContext): AsyncGenerator<object> {
    const active: ActiveCall = { method: op.name, startedMs: performance.now() };
    this.#active.add(active);
    let code = 'CANCELLED';
    try {
      yield* (await this.#admitted(op, call)(request as never, call)) as AsyncIterable<object>;
      code = 'OK';
    } catch (error) {
      throw this.#failed(active, call, call.signal.aborted ? abortError(call.signal) : error);
    } finally {
      if (this.#active.has(active)) this.#finished(active, call, code);
    }
  }

  /** Checks warm-up and wallet. @returns the handler; for an operation without one, a handler that throws `not-implemented` */
  #admitted(op: Operation, call: CallContext): BoundHandler {
    if (!call.isOwn && !this.#early.has(op)) this.requireReady();
    const wait = this.#admission(op, call);
    const handler = this.#handlers.get(op) ?? missingHandler(op);
    return wait ? (request, context) => wait.then(() => handler(request, context)) : handler;
  }

  #finished(active: ActiveCall, call: CallContext, code: string): void {
    this.#active.delete(active);
    this.#observer.finished(call, active.method, code, (performance.now() - active.startedMs) / 1000);
  }

  #failed(active: ActiveCall, call: CallContext, thrown: unknown): NodeError {
    const error = toNodeError(thrown);
    this.#finished(active, call, grpcStatusName(statusOf[error.kind].grpc));
    if (error.kind === 'unexpected') {
      const { cause } = error;
      const stack = cause instanceof Error ? cause.stack : undefined;
      this.#log.error('operation failed unexpectedly', { method: active.method, requestId: call.requestId, err: error.message, stack });
    }
    return error;
  }
}

/** Runs the handler. A request for a page of a list gets that page; JSON-RPC has no pages. */
function inPages(op: Operation, run: BoundHandler): BoundHandler {
  let paging: Paging | undefined;
  return (request, call) => {
    if (call.dialect === 'json-rpc' || (request as { readonly page?: string }).page === undefined) return run(request, call);
    if (paging) return paging.answer(request, call, run);
    return import('./paging.js').then(({ Paging }) => {
      paging ??= new Paging(op);
      return paging.answer(request, call, run);
    });
  };
}

function missingHandler(op: Operation): BoundHandler {
  return () => {
    throw new NodeError('not-implemented', `${op.name} is not implemented yet`);
  };
}

/** Error with which a call is answered whose signal was aborted. */
export function abortError(signal: AbortSignal): NodeError {
  return signal.reason instanceof NodeError ? signal.reason : new NodeError('cancelled', 'the call was cancelled');
}

/** Rejects as soon as the call is aborted. A handler that ignores its signal keeps running; its result is dropped. */
function untilAborted<T>(result: Promise<T>, call: CallContext): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(call, () => reject(abortError(call.signal)));
    result.then(resolve, reject).finally(forget);
  });
}

function onAbort(call: CallContext, listener: () => void): () => void {
  if (call.onAbort) return call.onAbort(listener);
  const { signal } = call;
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

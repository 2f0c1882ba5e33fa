import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import {
  Server,
  type ServerOptions,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  setLogger,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthService as HealthDefinition } from '../../gen/ts/grpc/health/v1/health.js';
import { ServerReflectionService } from '../../gen/ts/grpc/reflection/v1/reflection.js';
import { ServerReflectionService as AlphaReflectionService } from '../../gen/ts/grpc/reflection/v1alpha/reflection.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { withValue } from '../util/slicer.js';
import type { Catalogue, Operation } from './catalogue.js';
import { type Caller, type Credentials, requireRole } from './credentials.js';
import { applyDocumentDefaults } from './document.js';
import { toNodeError } from './errors.js';
import { firstText, GrpcCall } from './grpc-call.js';
import { serverCredentials, type TlsFiles } from './grpc-certificates.js';
import { serviceDefinitions } from './grpc-definitions.js';
import { Encoded, encoderOf } from './grpc-encode.js';
import { grpcStatusOf } from './grpc-errors.js';
import { HealthService } from './grpc-health.js';
import { bindServer, type GrpcEndpoints } from './grpc-listen.js';
import { Reflection } from './grpc-reflection.js';
import { abortError, type Invoker } from './invoke.js';

export interface GrpcOptions extends GrpcEndpoints {
  /** Undefined for plain connections. */
  readonly tls: TlsFiles | undefined;
  /** How long wrong credentials wait for their answer. */
  readonly refusalDelayMs?: number;
  /** Time of a call whose caller sets no deadline. */
  readonly limitMs?: number;
  /** The same for a heavy operation. */
  readonly heavyLimitMs?: number;
  /** How long calls that run may take to end when the server stops. */
  readonly graceMs?: number;
}

export interface GrpcParts {
  readonly catalogue: Catalogue;
  readonly invoker: Pick<Invoker, 'invoke' | 'stream'>;
  readonly credentials: Pick<Credentials, 'check'>;
  /** Whether the node serves; asked once a second while someone watches. */
  readonly isServing: () => boolean;
  readonly log: Logger;
  readonly metrics?: { rejected(reason: 'unauthenticated' | 'permission'): void };
}

const DEFAULTS = { refusalDelayMs: 250, limitMs: 30_000, heavyLimitMs: 120_000, graceMs: 20_000 };

const SERVER_OPTIONS: ServerOptions = {
  'grpc.max_receive_message_length': 8 * 1024 * 1024,
  'grpc.max_concurrent_streams': 100,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.keepalive_permit_without_calls': 1,
  // Connections end after an hour, so that clients spread again over replicas.
  'grpc.max_connection_age_ms': 3_600_000,
  'grpc.max_connection_age_grace_ms': 30_000,
};

/** What stands for a request whose bytes are no message of its type: the caller's fault, not ours. */
class Undecodable {
  constructor(readonly reason: string) {}
}

type Unary = ServerUnaryCall<object, unknown>;
type Streaming = ServerWritableStream<object, unknown>;

/** All operations of the catalogue over gRPC, with health and reflection beside them. */
export class GrpcServer {
  readonly #options: Required<Omit<GrpcOptions, 'tls'>> & Pick<GrpcOptions, 'tls'>;
  readonly #parts: GrpcParts;
  readonly #server = new Server(SERVER_OPTIONS);
  readonly #health: HealthService;
  /** Streams that are told, which end when the server stops. */
  readonly #streams = new Set<GrpcCall>();
  #stopping: Promise<void> | undefined;

  constructor(options: GrpcOptions, parts: GrpcParts) {
    this.#options = { ...DEFAULTS, ...options };
    this.#parts = parts;
    const services = [...new Set(parts.catalogue.operations.map(({ service }) => service))];
    this.#health = new HealthService(services, parts.isServing);
    this.#addServices();
    quieten(parts.log);
  }

  /** @returns the port in use, the first where each address has its own @throws {CannotListen} if no address could be bound */
  async start(): Promise<number> {
    const { tls } = this.#options;
    const credentials = serverCredentials(tls, this.#parts.log);
    const port = await bindServer(this.#server, this.#options, credentials, this.#parts.log);
    this.#parts.log.info('gRPC', { port, bind: this.#options.bind, tls: tls !== undefined });
    return port;
  }

  /** NOT_SERVING, no new calls, and after the grace time the end of those that still run. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#health.stop();
    for (const stream of this.#streams) stream.abort(new NodeError('unavailable', 'the node is stopping'));
    const ended = new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()));
    const grace = new AbortController();
    const late = setTimeout(this.#options.graceMs, true, { signal: grace.signal }).catch(() => false);
    if (await Promise.race([ended.then(() => false), late])) this.#server.forceShutdown();
    grace.abort();
    await ended;
  }

  #addServices(): void {
    const { catalogue } = this.#parts;
    for (const definition of serviceDefinitions) {
      const methods: Record<string, ServiceDefinition[string]> = {};
      const implementation: UntypedServiceImplementation = {};
      for (const [name, method] of Object.entries(definition)) {
        const operation = catalogue.byPath(method.path);
        methods[name] = {
          ...method,
          requestDeserialize: decoding(method.requestDeserialize),
          responseSerialize: (value: unknown) => (value instanceof Encoded ? value.bytes : method.responseSerialize(value)),
        };
        if (!operation) continue;
        const encode = encoderOf(operation, method);
        implementation[name] = operation.streams
          ? (call: Streaming) => void this.#serveStream(operation, call)
          : (call: Unary, callback: sendUnaryData<unknown>) => this.#serve(operation, encode, call, callback);
      }
      // The library refuses a service that has no methods.
      if (Object.keys(methods).length > 0) this.#server.addService(methods, implementation);
    }
    this.#server.addService(HealthDefinition, this.#health.implementation);
    const reflection = new Reflection(catalogue);
    const implementation: UntypedServiceImplementation = { serverReflectionInfo: reflection.serve };
    this.#server.addService(ServerReflectionService, implementation);
    this.#server.addService(AlphaReflectionService, implementation);
  }

  #serve(operation: Operation, encode: ReturnType<typeof encoderOf>, call: Unary, callback: sendUnaryData<unknown>): void {
    const fail = (error: unknown): void => callback(grpcStatusOf(toNodeError(error)));
    let context: GrpcCall | undefined;
    try {
      context = this.#contextOf(operation, call, fail, operation.heavy ? this.#options.heavyLimitMs : this.#options.limitMs);
      if (!context) return;
      const waiting = context;
      const response = this.#parts.invoker.invoke(operation, requestOf(operation, call, context), context);
      const result = withValue(response, (value) => encode(value, waiting));
      if (!(result instanceof Promise)) {
        context.end();
        callback(null, result);
        return;
      }
      result.then((value) => callback(null, value), fail).finally(() => waiting.end());
    } catch (error) {
      context?.end();
      fail(error);
    }
  }

  /** A stream has no limit but its caller's: it lasts as long as there is something to tell. */
  async #serveStream(operation: Operation, call: Streaming): Promise<void> {
    const fail = (error: unknown): void => {
      if (!call.cancelled) call.emit('error', grpcStatusOf(toNodeError(error)));
    };
    let context: GrpcCall | undefined;
    try {
      context = this.#contextOf(operation, call, fail, Number.POSITIVE_INFINITY);
      if (!context) return;
      this.#streams.add(context);
      const { signal } = context;
      for await (const message of this.#parts.invoker.stream(operation, requestOf(operation, call, context), context)) {
        // A reader that is slow is waited for.
        if (!call.write(message)) await once(call, 'drain', { signal });
      }
      call.end();
    } catch (error) {
      fail(context?.signal.aborted ? abortError(context.signal) : error);
    } finally {
      context?.end();
      if (context) this.#streams.delete(context);
    }
  }

  /** @returns undefined for a caller who is refused @throws {NodeError} for one whose role is too small */
  #contextOf(operation: Operation, call: Unary | Streaming, fail: (error: unknown) => void, limitMs: number): GrpcCall | undefined {
    const caller = this.#admit(call);
    if (caller === undefined) {
      this.#refuse(call, fail);
      return undefined;
    }
    this.#requireRole(operation, caller);
    return new GrpcCall(call, caller.user, limitMs);
  }

  #admit({ metadata }: Unary | Streaming): Caller | undefined {
    const authorization = firstText(metadata, 'authorization');
    return authorization === undefined ? undefined : this.#parts.credentials.check(authorization);
  }

  #requireRole(operation: Operation, { role }: Caller): void {
    try {
      requireRole(operation, role);
    } catch (error) {
      this.#parts.metrics?.rejected('permission');
      throw error;
    }
  }

  /** Wrong credentials wait, which slows down guessing; missing ones are told at once. */
  #refuse(call: Unary | Streaming, fail: (error: unknown) => void): void {
    this.#parts.metrics?.rejected('unauthenticated');
    const given = firstText(call.metadata, 'authorization') !== undefined;
    const error = new NodeError('unauthenticated', given ? 'incorrect credentials' : 'credentials are needed: authorization: Basic ...');
    if (!given) {
      fail(error);
      return;
    }
    this.#parts.log.warn('incorrect password attempt', { peer: call.getPeer() });
    void setTimeout(this.#options.refusalDelayMs).then(() => fail(error));
  }
}

/** The library writes to the standard error, where an operator expects our lines only. */
function quieten(log: Logger): void {
  const say = (detail: unknown): void => log.debug('grpc-js', { detail: String(detail) });
  setLogger({ error: say, info: say, debug: say });
}

/** @throws {NodeError} for bytes that are no request */
function requestOf(operation: Operation, { request }: Unary | Streaming, { dialect }: GrpcCall): object {
  if (request instanceof Undecodable) throw new NodeError('invalid-params', `cannot decode the request: ${request.reason}`);
  // A gateway has bound what JSON-RPC leaves out already, by the defaults of that dialect.
  if (dialect === 'document') applyDocumentDefaults(operation, request);
  return request;
}

function decoding(deserialize: (bytes: Buffer) => unknown): (bytes: Buffer) => unknown {
  return (bytes) => {
    try {
      return deserialize(bytes);
    } catch (error) {
      return new Undecodable(error instanceof Error ? error.message : String(error));
    }
  };
}

import type { Socket } from 'node:net';
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
import type { AnswerCache } from '../rpc/answer-cache.js';
import type { Catalogue } from '../rpc/catalogue.js';
import type { CertificateRoles } from '../rpc/certificate-roles.js';
import type { Credentials } from '../rpc/credentials.js';
import { toNodeError } from '../rpc/errors.js';
import { abortError, type Invoker } from '../rpc/invoke.js';
import type { LoginThrottle } from '../rpc/login-throttle.js';
import { drained, STALL_MS } from '../util/drain.js';
import { errorText, NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { ADMISSION_LIMITS, type AdmissionLimits, GrpcAdmission } from './admission.js';
import { GrpcCall } from './call.js';
import { serverCredentials, type TlsFiles } from './certificates.js';
import { serviceDefinitions } from './definitions.js';
import { encoderOf } from './encode.js';
import { grpcStatusOf } from './errors.js';
import { HealthService } from './health.js';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  type GrpcConnection,
  type GrpcEndpoints,
  GrpcListener,
  type ListenerParts,
} from './listen.js';
import { Loopback } from './plain/loopback.js';
import { PlainCalls, takeBegun } from './plain/plain-calls.js';
import { PlainConnection } from './plain/plain-connection.js';
import { Reflection } from './reflection.js';
import { EncodedRequest, MAX_LARGE_REQUEST_BYTES } from './request.js';
import { type Method, requestOf, UnaryCalls } from './unary.js';

export interface GrpcOptions extends GrpcEndpoints, Partial<ConnectionLimits>, Partial<AdmissionLimits> {
  /** Undefined for connections without TLS. */
  readonly tls: TlsFiles | undefined;
  /** Time limit of a call without a deadline of the client. */
  readonly limitMs?: number;
  /** Time limit of a call of an operation that is declared `heavy`, without a deadline of the client. */
  readonly heavyLimitMs?: number;
  /** Time that running calls have to end when the server stops. */
  readonly graceMs?: number;
  /** Time in which the client of a stream has to read something. */
  readonly stallMs?: number;
  /** False to have the library answer all calls. */
  readonly plainCalls?: boolean;
}

export interface GrpcParts {
  readonly catalogue: Catalogue;
  readonly invoker: Pick<Invoker, 'invoke' | 'stream'>;
  /** Absent if no answers are cached. */
  readonly cache?: AnswerCache | undefined;
  readonly credentials: Pick<Credentials, 'check'>;
  readonly allowList?: ListenerParts['allowList'];
  readonly certificates?: Pick<CertificateRoles, 'callerOf'>;
  readonly throttle: Pick<LoginThrottle, 'mayTry' | 'failed'>;
  /** True while the node serves; called once a second while a client watches its health. */
  readonly isServing: () => boolean;
  readonly log: Logger;
  readonly metrics?: { rejected(reason: 'unauthenticated' | 'permission' | 'queue' | 'source'): void };
}

const DEFAULTS = {
  limitMs: 30_000,
  heavyLimitMs: 120_000,
  graceMs: 20_000,
  stallMs: STALL_MS,
  plainCalls: true,
  ...CONNECTION_LIMITS,
  ...ADMISSION_LIMITS,
};

const SERVER_OPTIONS: ServerOptions = {
  // Our own metrics count the calls; the library's registry of connections and calls costs a third of a short call.
  'grpc.enable_channelz': 0,
  'grpc.max_receive_message_length': MAX_LARGE_REQUEST_BYTES,
  'grpc.max_concurrent_streams': 100,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.keepalive_permit_without_calls': 1,
  // Connections end after an hour, so that clients spread over replicas again.
  'grpc.max_connection_age_ms': 3_600_000,
  'grpc.max_connection_age_grace_ms': 30_000,
};

type Unary = ServerUnaryCall<EncodedRequest, unknown>;
type Streaming = ServerWritableStream<EncodedRequest, unknown>;

/** The gRPC server: all operations of the catalogue, health and reflection. */
export class GrpcServer {
  readonly #options: Required<Omit<GrpcOptions, 'tls'>> & Pick<GrpcOptions, 'tls'>;
  readonly #parts: GrpcParts;
  readonly #admission: GrpcAdmission;
  readonly #listener: GrpcListener;
  readonly #server: Server;
  readonly #unary: UnaryCalls;
  readonly #health: HealthService;
  /** Open streams, which are aborted when the server stops. */
  readonly #streams = new Set<GrpcCall>();
  readonly #methods = new Map<string, Method>();
  readonly #plainCalls: PlainCalls;
  #serveConnection: (connection: GrpcConnection) => void = ({ socket }) => socket.destroy();
  #loopback: Loopback | undefined;
  #stopping: Promise<void> | undefined;

  /** @param listener accepts the connections that it passes to `serve`; by default the server has its own */
  constructor(options: GrpcOptions, parts: GrpcParts, listener?: GrpcListener) {
    this.#options = { ...DEFAULTS, ...options };
    this.#parts = parts;
    this.#listener = listener ?? new GrpcListener(this.#options, { ...parts, serve: (connection) => this.serve(connection) });
    this.#admission = new GrpcAdmission(this.#options, { ...parts, connections: this.#listener });
    this.#unary = new UnaryCalls(parts.invoker, parts.cache);
    this.#plainCalls = new PlainCalls({
      methods: this.#methods,
      unary: this.#unary,
      limitMs: this.#options.limitMs,
      isServing: () => this.#stopping === undefined,
    });
    this.#server = new Server({ ...SERVER_OPTIONS, interceptors: [this.#admission.interceptor] });
    const services = [...new Set(parts.catalogue.operations.map(({ service }) => service))];
    this.#health = new HealthService(services, parts.isServing);
    this.#addServices();
    quieten(parts.log);
  }

  /** @returns the port in use, the first one if addresses have different ports @throws {CannotListen} if no address could be bound */
  async start(): Promise<number> {
    await this.open();
    return this.#listener.listen(this.#options).catch((error: unknown) => {
      this.#loopback?.close();
      throw error;
    });
  }

  /** Gets ready to serve connections. @throws {Error} for bad certificates */
  async open(): Promise<void> {
    const { tls } = this.#options;
    const { injectConnection } = this.#server.createConnectionInjector(serverCredentials(tls, this.#parts.log));
    if (tls || !this.#options.plainCalls) this.#serveConnection = ({ socket }) => injectConnection(socket);
    else await this.#startLoopback(injectConnection);
  }

  /** Serves an accepted connection. */
  serve(connection: GrpcConnection): void {
    this.#serveConnection(connection);
  }

  /** Has connections without TLS answered by {@link PlainConnection}, with the library behind it. */
  async #startLoopback(serve: (socket: Socket) => void): Promise<void> {
    const loopback = new Loopback(serve);
    try {
      await loopback.start();
      this.#loopback = loopback;
      this.#serveConnection = (connection) => void this.#relay(loopback, connection);
    } catch (error) {
      this.#parts.log.warn('no connection over the loopback interface: gRPC is slower', { reason: errorText(error) });
      this.#serveConnection = ({ socket }) => serve(socket);
    }
  }

  async #relay(loopback: Loopback, connection: GrpcConnection): Promise<void> {
    const { socket } = connection;
    socket.on('error', () => socket.destroy());
    try {
      const inner = await loopback.connect();
      this.#listener.addPeer(inner.peer, connection);
      if (socket.destroyed) inner.socket.destroy();
      else new PlainConnection(socket, inner.socket, connection, this.#plainCalls);
    } catch (error) {
      this.#parts.log.warn('cannot serve a gRPC connection', { reason: errorText(error) });
      socket.destroy();
    }
  }

  /** Reports NOT_SERVING, refuses new calls and streams, and aborts calls that still run after the grace time. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#health.stop();
    this.#listener.close();
    this.#loopback?.close();
    for (const stream of this.#streams) stream.abort(new NodeError('unavailable', 'the node is stopping'));
    const ended = new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()));
    const grace = new AbortController();
    const late = setTimeout(this.#options.graceMs, true, { signal: grace.signal }).catch(() => false);
    if (await Promise.race([ended.then(() => false), late])) {
      this.#server.forceShutdown();
      // The library knows the connections to close from its registry, which is off.
      this.#listener.destroyConnections();
    }
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
          requestDeserialize: (bytes: Buffer) => new EncodedRequest(bytes),
          // The answers of unary calls are encoded already.
          responseSerialize: operation?.streams === false ? (bytes: Buffer) => bytes : once(method.responseSerialize),
        };
        if (!operation) continue;
        const served: Method = { operation, decode: method.requestDeserialize, encode: encoderOf(operation, method) };
        this.#methods.set(method.path, served);
        implementation[name] = operation.streams
          ? (call: Streaming) => void this.#serveStream(served, call)
          : (call: Unary, callback: sendUnaryData<Uint8Array>) => this.#serve(served, call, callback);
      }
      // The library rejects a service without methods.
      if (Object.keys(methods).length > 0) this.#server.addService(methods, implementation);
    }
    this.#server.addService(HealthDefinition, this.#health.implementation);
    const reflection = new Reflection(catalogue);
    const implementation: UntypedServiceImplementation = { serverReflectionInfo: reflection.serve };
    this.#server.addService(ServerReflectionService, implementation);
    this.#server.addService(AlphaReflectionService, implementation);
  }

  #serve(method: Method, call: Unary, callback: sendUnaryData<Uint8Array>): void {
    const fail = (error: unknown): void => callback(grpcStatusOf(toNodeError(error)));
    const begun = takeBegun(call, this.#listener.connectionOf(call.getPeer()));
    const context = begun?.context ?? this.#contextOf(call, method.operation.heavy ? this.#options.heavyLimitMs : this.#options.limitMs);
    try {
      const answer = begun?.answer ?? this.#unary.answer(method, call.request, context);
      if (!(answer instanceof Promise)) {
        context.end();
        callback(null, answer);
        return;
      }
      answer.then((value) => callback(null, value), fail).finally(() => context.end());
    } catch (error) {
      context.end();
      fail(error);
    }
  }

  /** Serves a call that is answered with a stream. It has no time limit but the deadline of the client. */
  async #serveStream(method: Method, call: Streaming): Promise<void> {
    const context = this.#contextOf(call, Number.POSITIVE_INFINITY);
    this.#streams.add(context);
    try {
      const { signal } = context;
      for await (const message of this.#parts.invoker.stream(method.operation, requestOf(method, call.request, context), context)) {
        // Waits for a slow client.
        if (!call.write(message)) await drained(call, signal, this.#options.stallMs);
      }
      call.end();
    } catch (error) {
      if (error instanceof NodeError) context.abort(error);
      const thrown = context.signal.aborted ? abortError(context.signal) : error;
      if (!call.cancelled) call.emit('error', grpcStatusOf(toNodeError(thrown)));
    } finally {
      context.end();
      this.#streams.delete(context);
    }
  }

  #contextOf(call: Unary | Streaming, limitMs: number): GrpcCall {
    return new GrpcCall(call, this.#admission.callerOf(call.metadata), limitMs);
  }
}

/** Encodes a message once, also if it is sent to many clients: they get the same object. */
function once(encode: (message: object) => Buffer): (message: object) => Buffer {
  const encoded = new WeakMap<object, Buffer>();
  return (message) => {
    const known = encoded.get(message);
    if (known) return known;
    const bytes = encode(message);
    encoded.set(message, bytes);
    return bytes;
  };
}

/** Sends the messages of the library to our log. By default they go to standard error, where an operator expects our lines only. */
function quieten(log: Logger): void {
  const say = (detail: unknown): void => log.debug('grpc-js', { detail: String(detail) });
  setLogger({ error: say, info: say, debug: say });
}

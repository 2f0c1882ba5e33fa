import type { ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  type HealthListResponse,
  type HealthServer,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/ts/grpc/health/v1/health.js';
import { NodeError } from '../util/errors.js';
import { grpcStatusOf } from './errors.js';

const POLL_MS = 1000;

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** The service grpc.health.v1, with one state for the server and all its services. It needs no credentials, because probes have none. */
export class HealthService {
  readonly #isServing: () => boolean;
  readonly #services: ReadonlySet<string>;
  readonly #watchers = new Map<Watcher, Serving | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(services: readonly string[], isServing: () => boolean) {
    this.#services = new Set(['', ...services]);
    this.#isServing = isServing;
  }

  get implementation(): HealthServer {
    return {
      check: (call: ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>, callback: sendUnaryData<HealthCheckResponse>) => {
        if (this.#services.has(call.request.service)) callback(null, { status: this.#status() });
        else callback(grpcStatusOf(new NodeError('not-found', `no service ${call.request.service}`)));
      },
      list: (_call: unknown, callback: sendUnaryData<HealthListResponse>) => {
        const status = this.#status();
        callback(null, { statuses: Object.fromEntries([...this.#services].map((service) => [service, { status }])) });
      },
      watch: (call: Watcher) => this.#watch(call),
    } as HealthServer;
  }

  /** Reports NOT_SERVING from now on: sends it to the watchers and ends their streams. */
  stop(): void {
    this.#stopping = true;
    this.#poll();
    clearInterval(this.#timer);
    for (const call of this.#watchers.keys()) call.emit('error', grpcStatusOf(new NodeError('unavailable', 'Shutting down')));
    this.#watchers.clear();
  }

  #status(): Serving {
    return this.#isServing() && !this.#stopping ? Serving.SERVING : Serving.NOT_SERVING;
  }

  #watch(call: Watcher): void {
    const isKnown = this.#services.has(call.request.service);
    const status = isKnown ? this.#status() : Serving.SERVICE_UNKNOWN;
    call.write({ status });
    // An unknown service stays unknown. Its watcher keeps waiting, as the protocol demands.
    this.#watchers.set(call, isKnown ? status : undefined);
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    call.on('cancelled', () => {
      this.#watchers.delete(call);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #poll(): void {
    const status = this.#status();
    for (const [call, last] of this.#watchers) {
      if (last === undefined || last === status) continue;
      this.#watchers.set(call, status);
      call.write({ status });
    }
  }
}

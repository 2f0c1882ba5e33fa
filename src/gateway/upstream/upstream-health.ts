import type { Client } from '@grpc/grpc-js';
import { HealthCheckRequest, HealthCheckResponse, HealthCheckResponse_ServingStatus } from '../../../gen/ts/grpc/health/v1/health.js';
import type { NodeHealth } from '../health.js';

const POLL_MS = 2000;
const DEADLINE_MS = 1500;

/** Health of the upstream node, polled every two seconds. */
export class UpstreamHealth {
  #serving = false;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly client: Client) {}

  start(): void {
    this.#poll();
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
  }

  stop(): void {
    this.#stopping = true;
    clearInterval(this.#timer);
  }

  /** Health of the gateway: started and synced if the upstream node reports itself as serving. */
  current(): NodeHealth {
    const waiting = this.#serving ? undefined : 'Waiting for the node behind the gateway';
    // The upstream node includes its peers in its own health.
    const activePeers = this.#serving ? Number.POSITIVE_INFINITY : 0;
    return {
      warmup: waiting,
      synced: this.#serving,
      p2p: true,
      activePeers,
      neededPeers: 0,
      diskFull: false,
      halted: undefined,
      damage: undefined,
      stopping: this.#stopping,
    };
  }

  #poll(): void {
    this.client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      (request: HealthCheckRequest) => Buffer.from(HealthCheckRequest.encode(request).finish()),
      (bytes: Buffer) => HealthCheckResponse.decode(bytes),
      { service: '' },
      { deadline: Date.now() + DEADLINE_MS },
      (error, response) => {
        this.#serving = !error && response?.status === HealthCheckResponse_ServingStatus.SERVING;
      },
    );
  }
}

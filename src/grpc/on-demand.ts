import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONNECTION_LIMITS, type GrpcConnection, GrpcListener } from './listen.js';
import type { GrpcOptions, GrpcParts, GrpcServer } from './server.js';

/** Parts of the server in the order in which they are loaded, each in a turn of the event loop of its own. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('node:http2'),
  () => import('@grpc/grpc-js'),
  () => import('./definitions.js'),
];

/**
 * The gRPC server of a node. It listens from the start, but the library and the codecs of all messages, a third of the code of the node,
 * are loaded with the first connection.
 */
export class GrpcOnDemand {
  readonly #options: GrpcOptions;
  readonly #parts: GrpcParts;
  readonly #listener: GrpcListener;
  #server: Promise<GrpcServer> | undefined;

  constructor(options: GrpcOptions, parts: GrpcParts) {
    this.#options = options;
    this.#parts = parts;
    this.#listener = new GrpcListener({ ...CONNECTION_LIMITS, ...options }, { ...parts, serve: (connection) => this.#serve(connection) });
  }

  /** @returns as {@link GrpcServer.start} @throws {Error} for bad certificates, and {@link CannotListen} if no address could be bound */
  async start(): Promise<number> {
    const { tls } = this.#options;
    // Certificates are read and checked now.
    if (tls) await this.#loaded();
    const port = await this.#listener.listen(this.#options);
    this.#parts.log.info('gRPC server listening', { port, bind: this.#options.bind, tls: tls !== undefined });
    return port;
  }

  /** As {@link GrpcServer.stop}. */
  async stop(): Promise<void> {
    this.#listener.close();
    // The server ends connections that wait for it too. If it could not be loaded, there is nothing to stop.
    const server = await this.#server?.catch(() => undefined);
    await server?.stop();
  }

  #serve(connection: GrpcConnection): void {
    const { socket } = connection;
    // An error before the library listens for it must not end the process; the library finds the socket closed.
    socket.on('error', () => {});
    this.#loaded().then(
      (server) => server.serve(connection),
      (error: unknown) => {
        this.#parts.log.error('cannot load the gRPC server', { error: String(error) });
        socket.destroy();
      },
    );
  }

  #loaded(): Promise<GrpcServer> {
    this.#server ??= this.#load();
    return this.#server;
  }

  async #load(): Promise<GrpcServer> {
    for (const load of PARTS) {
      await load();
      await nextTurn();
    }
    const { GrpcServer } = await import('./server.js');
    await nextTurn();
    const server = new GrpcServer(this.#options, this.#parts, this.#listener);
    await server.open();
    return server;
  }
}

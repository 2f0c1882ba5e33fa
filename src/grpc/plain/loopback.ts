import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.1';
/** Time after which an accepted connection that this process did not make is closed. */
const FOREIGN_MS = 1000;
/** Maximum number of such connections. */
const MAX_FOREIGN = 64;

/** The near end of an inner connection. */
export interface InnerConnection {
  readonly socket: Socket;
  /** Peer of the far end, as the library reports it. */
  readonly peer: string;
}

/** Connections of this process to itself, through which plain connections relay to the library what they do not answer. */
export class Loopback {
  readonly #server: Server;
  /** Ports of near ends whose far ends are not accepted yet. */
  readonly #expected = new Map<number, () => void>();
  /** Accepted connections, by the port of the other end, until it is known to be ours. */
  readonly #unknown = new Map<number, Socket>();

  /** @param serve serves the far end of a connection */
  constructor(readonly serve: (socket: Socket) => void) {
    this.#server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => this.#accept(socket));
  }

  async start(): Promise<void> {
    this.#server.listen(0, HOST);
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
  }

  /** @throws {Error} if the system refuses the connection */
  async connect(): Promise<InnerConnection> {
    const { port } = this.#server.address() as AddressInfo;
    const socket = connect({ port, host: HOST, noDelay: true });
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    const { localPort = 0 } = socket;
    const known = this.#unknown.get(localPort);
    this.#unknown.delete(localPort);
    if (known) this.#serve(known);
    else {
      await new Promise<void>((resolve) => {
        this.#expected.set(localPort, resolve);
        socket.once('close', () => {
          this.#expected.delete(localPort);
          resolve();
        });
      });
    }
    return { socket, peer: `${HOST}:${localPort}` };
  }

  #accept(socket: Socket): void {
    const { remotePort = 0 } = socket;
    socket.on('error', () => socket.destroy());
    const expected = this.#expected.get(remotePort);
    if (expected) {
      this.#expected.delete(remotePort);
      this.#serve(socket);
      expected();
    } else if (this.#unknown.size >= MAX_FOREIGN) socket.destroy();
    else {
      this.#unknown.set(remotePort, socket);
      setTimeout(() => {
        if (this.#unknown.get(remotePort) !== socket) return;
        this.#unknown.delete(remotePort);
        socket.destroy();
      }, FOREIGN_MS).unref();
    }
  }

  #serve(socket: Socket): void {
    this.serve(socket);
    socket.resume();
  }
}

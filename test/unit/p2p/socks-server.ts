import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { parseIp } from '../../../src/p2p/addresses/ip.js';
import type { SocksProxy } from '../../../src/p2p/addresses/networks.js';

/** A request that the proxy received. */
export interface SocksRequest {
  readonly addressType: number;
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** Answers of the proxy. Each may be replaced by bytes, by nothing (an empty array), or by the end of the connection. */
export interface SocksBehaviour {
  /** Authentication method for a client that offers these; by default the password if it is offered. */
  readonly method?: (offered: readonly number[]) => readonly number[] | 'close';
  readonly authenticated?: readonly number[] | 'close';
  readonly reply?: (request: SocksRequest) => readonly number[] | 'close';
  /** Called with the connection after the reply was sent. */
  readonly established?: (socket: Socket, request: SocksRequest) => void;
}

export const GRANTED = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];
export const refused = (code: number): number[] => [5, code, 0, 1, 0, 0, 0, 0, 0, 0];

export interface SocksServer {
  readonly port: number;
  readonly requests: readonly SocksRequest[];
  readonly proxy: SocksProxy;
  close(): void;
}

/** A SOCKS5 proxy on loopback that connects nowhere by itself. */
export async function startSocks(behaviour: SocksBehaviour = {}, randomizesCredentials = true): Promise<SocksServer> {
  const requests: SocksRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    void serve(socket, behaviour, requests).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const ip = parseIp('127.0.0.1') ?? new Uint8Array(16);
  return {
    port,
    requests,
    proxy: { endpoint: { ip, port }, randomizesCredentials },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function serve(socket: Socket, behaviour: SocksBehaviour, requests: SocksRequest[]): Promise<void> {
  const input = new Input(socket);
  const send = (bytes: readonly number[] | 'close') => {
    if (bytes === 'close') socket.destroy();
    else if (bytes.length > 0) socket.write(Uint8Array.from(bytes));
  };
  const [, count = 0] = await input.take(2);
  const offered = [...(await input.take(count))];
  const method = behaviour.method?.(offered) ?? [5, offered.includes(2) ? 2 : 0];
  send(method);
  let username: string | undefined;
  let password: string | undefined;
  if (method[1] === 2) {
    const [, length = 0] = await input.take(2);
    username = (await input.take(length)).toString();
    const [size = 0] = await input.take(1);
    password = (await input.take(size)).toString();
    send(behaviour.authenticated ?? [1, 0]);
  }
  const [, , , addressType = 0] = await input.take(4);
  const [length = 0] = addressType === 3 ? await input.take(1) : [addressType === 1 ? 4 : 16];
  const host = (await input.take(length)).toString();
  const port = (await input.take(2)).readUInt16BE();
  const request = { addressType, host, port, username, password };
  requests.push(request);
  input.release();
  send(behaviour.reply?.(request) ?? GRANTED);
  behaviour.established?.(socket, request);
}

/** Reads the given number of bytes from a socket. */
class Input {
  #bytes = Buffer.alloc(0);
  #wake: () => void = () => {};
  readonly #socket: Socket;
  readonly #onData = (bytes: Buffer) => {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    this.#wake();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
  }

  async take(size: number): Promise<Buffer> {
    while (this.#bytes.length < size) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    const taken = this.#bytes.subarray(0, size);
    this.#bytes = this.#bytes.subarray(size);
    return taken;
  }

  release(): void {
    this.#socket.removeListener('data', this.#onData);
  }
}

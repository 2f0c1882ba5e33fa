import type { Socket } from 'node:net';

/** Longest wait for each answer of the proxy; for the last one it includes the connection to the destination. */
const STEP_TIMEOUT_MS = 20_000;
const VERSION = 5;
const METHOD = { none: 0, password: 2 } as const;
const PASSWORD_VERSION = 1;
const CONNECT = 1;
const ADDRESS_TYPE = { v4: 1, name: 3, v6: 4 } as const;
const MAX_TEXT = 255;

/** Replies of RFC 1928, section 6; 0 is success. */
const REPLIES: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'connection not allowed',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
  7: 'protocol error',
  8: 'address type not supported',
};

/** Failure of the proxy, which is no information about the destination. */
export class ProxyFailure extends Error {
  /** @param isReached the proxy accepted the connection: for `defid` the destination was tried then, whatever the proxy did */
  constructor(
    message: string,
    readonly isReached = true,
  ) {
    super(message);
  }
}

/** User name and password for RFC 1929, 1 to 255 bytes each. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Requests a connection to a destination from a SOCKS5 proxy (RFC 1928; with credentials also RFC 1929). The destination is always sent as
 * a name, even a numeric address, as `defid` does. Credentials never appear in an error.
 * @param socket connected to the proxy; destroyed on failure; on success its next byte is that of the destination
 * @throws {ProxyFailure} if the proxy breaks the protocol, refuses the credentials or closes early
 * @throws {Error} if the destination cannot be reached
 */
export async function handshake(
  socket: Socket,
  destination: { readonly host: string; readonly port: number },
  credentials: Credentials | undefined,
  signal: AbortSignal,
  stepTimeoutMs = STEP_TIMEOUT_MS,
): Promise<void> {
  const reader = new ExactReader(socket, signal, stepTimeoutMs);
  try {
    const request = connectRequest(destination);
    await authenticate(socket, reader, credentials);
    socket.write(request);
    await readReply(reader);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    reader.release();
  }
  // Node.js updates the stream one tick after its `readable` listeners are removed; only then does it flow for the caller.
  await new Promise<void>((done) => setImmediate(done));
  if (socket.destroyed) throw new ProxyFailure('proxy closed the connection');
}

async function authenticate(socket: Socket, reader: ExactReader, credentials: Credentials | undefined): Promise<void> {
  const methods = credentials ? [METHOD.none, METHOD.password] : [METHOD.none];
  socket.write(Uint8Array.of(VERSION, methods.length, ...methods));
  const [version, method] = await reader.read(2);
  if (version !== VERSION) throw new ProxyFailure('proxy speaks another protocol');
  if (method === METHOD.none) return;
  if (method !== METHOD.password || !credentials) throw new ProxyFailure('proxy asks for another authentication method');
  socket.write(Buffer.concat([Uint8Array.of(PASSWORD_VERSION), counted(credentials.username), counted(credentials.password)]));
  const [passwordVersion, status] = await reader.read(2);
  if (passwordVersion !== PASSWORD_VERSION || status !== 0) throw new ProxyFailure('proxy refuses the credentials');
}

function connectRequest({ host, port }: { readonly host: string; readonly port: number }): Uint8Array {
  return Buffer.concat([Uint8Array.of(VERSION, CONNECT, 0, ADDRESS_TYPE.name), counted(host), Uint8Array.of(port >> 8, port & 0xff)]);
}

function counted(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || bytes.length > MAX_TEXT) throw new Error('host name is empty or too long');
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

/** Reads the whole reply. The address in it is that of the proxy and is ignored. */
async function readReply(reader: ExactReader): Promise<void> {
  // A timeout here means that the destination did not answer, which is common with Tor.
  const [version, reply, reserved, type] = await reader.read(4, 'destination timed out');
  if (version !== VERSION) throw new ProxyFailure('malformed proxy response');
  if (reply !== 0) throw new Error(REPLIES[reply ?? -1] ?? 'unknown');
  if (reserved !== 0) throw new ProxyFailure('malformed proxy response');
  await reader.read((await addressSize(reader, type)) + 2);
}

async function addressSize(reader: ExactReader, type: number | undefined): Promise<number> {
  if (type === ADDRESS_TYPE.v4) return 4;
  if (type === ADDRESS_TYPE.v6) return 16;
  if (type !== ADDRESS_TYPE.name) throw new ProxyFailure('malformed proxy response');
  const [size = 0] = await reader.read(1);
  return size;
}

/** Reads exact numbers of bytes from a socket. */
class ExactReader {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #wake: () => void = () => {};
  readonly #onChange = () => this.#wake();

  constructor(socket: Socket, signal: AbortSignal, timeoutMs: number) {
    this.#socket = socket;
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
    for (const event of ['readable', 'end', 'close'] as const) socket.on(event, this.#onChange);
    signal.addEventListener('abort', this.#onChange);
  }

  /**
   * @param onTimeout text of the error if the destination is to blame for a timeout; otherwise ProxyFailure is thrown
   * @throws {ProxyFailure} if the proxy closes the connection or does not answer in time
   */
  async read(size: number, onTimeout?: string): Promise<Uint8Array> {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      this.#wake();
    }, this.#timeoutMs);
    try {
      for (;;) {
        const bytes: Buffer | null = this.#socket.read(size);
        if (bytes?.length === size) return bytes;
        // At the end of the stream `read` returns what is left.
        if (bytes) throw new ProxyFailure('proxy closed the connection');
        if (this.#signal.aborted) throw new Error('stopped');
        if (timedOut) throw onTimeout === undefined ? new ProxyFailure('proxy timed out') : new Error(onTimeout);
        if (this.#socket.readableEnded || this.#socket.destroyed) throw new ProxyFailure('proxy closed the connection');
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  release(): void {
    for (const event of ['readable', 'end', 'close'] as const) this.#socket.removeListener(event, this.#onChange);
    this.#signal.removeEventListener('abort', this.#onChange);
  }
}

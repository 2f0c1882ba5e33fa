import type { Socket } from 'node:net';
import { formatEndpoint, formatIp, type Ip, parseIp } from '../addresses/ip.js';
import { openSocket } from '../dial/tcp.js';
import type { Endpoint } from '../wire/net-address.js';
import { type TorReply, TorReplyParser } from './reply.js';

const CONNECT_TIMEOUT_MS = 5000;
const REPLY_TIMEOUT_MS = 20_000;

interface Waiting {
  resolve(reply: TorReply): void;
  reject(error: Error): void;
}

/** A connection with the control port of a Tor daemon: one command at a time, and its reply. */
export class TorControl {
  readonly #socket: Socket;
  readonly #replyTimeoutMs: number;
  readonly #parser = new TorReplyParser();
  #waiting: Waiting | undefined;
  #failure: Error | undefined;
  /** Resolves when the connection has ended, whatever ended it. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket, replyTimeoutMs: number) {
    this.#socket = socket;
    this.#replyTimeoutMs = replyTimeoutMs;
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('end', () => socket.destroy());
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#fail(new Error('Tor control connection ended'));
        resolve();
      });
    });
  }

  /** @throws {Error} if the connection fails or the signal aborts it; later on the signal ends it */
  static async open({ ip, port }: Endpoint, signal: AbortSignal, replyTimeoutMs = REPLY_TIMEOUT_MS): Promise<TorControl> {
    const control = new TorControl(await openSocket(formatIp(ip), port, CONNECT_TIMEOUT_MS, signal), replyTimeoutMs);
    const close = () => control.close();
    signal.addEventListener('abort', close, { once: true });
    void control.closed.then(() => signal.removeEventListener('abort', close));
    return control;
  }

  /** Our address as the daemon sees it. */
  get localIp(): Ip | undefined {
    return parseIp(this.#socket.localAddress ?? '');
  }

  get remote(): string {
    const ip = parseIp(this.#socket.remoteAddress ?? '');
    return ip ? formatEndpoint({ ip, port: this.#socket.remotePort ?? 0 }) : '';
  }

  /**
   * Sends a command and waits for its reply, whatever its status.
   * @param text one line, without line break
   * @throws {Error} if the connection ends or no reply comes in time
   */
  command(text: string): Promise<TorReply> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(new Error('Tor control port does not answer')), this.#replyTimeoutMs);
      const settle =
        <T>(next: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          this.#waiting = undefined;
          next(value);
        };
      this.#waiting = { resolve: settle(resolve), reject: settle(reject) };
      this.#socket.write(`${text}\r\n`);
    });
  }

  /** Ends the connection: Tor removes the services that were added over it. */
  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Uint8Array): void {
    try {
      for (const reply of this.#parser.push(bytes)) this.#waiting?.resolve(reply);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#waiting?.reject(error);
  }
}

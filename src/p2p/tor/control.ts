import type { Socket } from 'node:net';
import { formatEndpoint, formatIp, type Ip, parseIp } from '../addresses/ip.js';
import { openSocket } from '../dial/tcp.js';
import type { Endpoint } from '../wire/net-address.js';
import { type TorReply, TorReplyParser } from './reply.js';

const CONNECT_TIMEOUT_MS = 5000;
const REPLY_TIMEOUT_MS = 20_000;

/** A command that waits for its reply. */
interface PendingCommand {
  resolve(reply: TorReply): void;
  reject(error: Error): void;
}

/** Connection to the control port of a Tor daemon. Processes one command at a time. */
export class TorControl {
  readonly #socket: Socket;
  readonly #replyTimeoutMs: number;
  readonly #parser = new TorReplyParser();
  #pending: PendingCommand | undefined;
  #failure: Error | undefined;
  /** Resolves when the connection has ended for any reason. */
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

  /** Connects. The signal aborts the attempt, and later closes the connection. @throws {Error} if the attempt fails or is aborted */
  static async open({ ip, port }: Endpoint, signal: AbortSignal, replyTimeoutMs = REPLY_TIMEOUT_MS): Promise<TorControl> {
    const control = new TorControl(await openSocket(formatIp(ip), port, CONNECT_TIMEOUT_MS, signal), replyTimeoutMs);
    const close = () => control.close();
    signal.addEventListener('abort', close, { once: true });
    void control.closed.then(() => signal.removeEventListener('abort', close));
    return control;
  }

  /** Our address on the connection. */
  get localIp(): Ip | undefined {
    return parseIp(this.#socket.localAddress ?? '');
  }

  get remote(): string {
    const ip = parseIp(this.#socket.remoteAddress ?? '');
    return ip ? formatEndpoint({ ip, port: this.#socket.remotePort ?? 0 }) : '';
  }

  /**
   * Sends a command and waits for its reply, of any status.
   * @param text one line, without line break
   * @throws {Error} if the connection ends or no reply arrives in time
   */
  command(text: string): Promise<TorReply> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(new Error('Tor control port does not answer')), this.#replyTimeoutMs);
      const finishWith =
        <T>(next: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          this.#pending = undefined;
          next(value);
        };
      this.#pending = { resolve: finishWith(resolve), reject: finishWith(reject) };
      this.#socket.write(`${text}\r\n`);
    });
  }

  /** Closes the connection; Tor then removes the services that were added over it. */
  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Uint8Array): void {
    try {
      for (const reply of this.#parser.push(bytes)) this.#pending?.resolve(reply);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#pending?.reject(error);
  }
}

import type { Socket } from 'node:net';
import type { ReplyStream } from '../reply.js';
import { replyHead } from './reply-head.js';

/** Writes the replies of one connection, one after the other, with the heads of `node:http`. */
export class PlainReply implements ReplyStream {
  readonly #keepAlive: string;
  /** Head that is not written yet. */
  #head = '';
  readonly #headers: string[] = [];
  /** True if the client, or a header of ours, ends the connection with this reply. */
  #isLast = false;
  #saysClose = false;
  #onDrain: (() => void) | undefined;
  #onClose: (() => void) | undefined;

  constructor(
    readonly socket: Socket,
    idleTimeoutMs: number,
    /** Called at the end of each reply. @param isLast the connection ends with this reply */
    readonly onEnd: (isLast: boolean) => void,
  ) {
    socket.once('close', () => this.#close());
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleTimeoutMs / 1000)}\r\n`;
  }

  /** Makes the next reply the last one of the connection. */
  endConnection(): void {
    this.#isLast = true;
  }

  get destroyed(): boolean {
    return this.socket.destroyed || this.socket.writableEnded;
  }

  setHeader(name: string, value: string): void {
    if (name === 'Connection' && value === 'close') {
      this.#isLast = true;
      this.#saysClose = true;
    }
    this.#headers.push(name, value);
  }

  writeHead(status: number, headers: string[]): void {
    const all = this.#headers.length === 0 ? headers : [...this.#headers, ...headers];
    this.#head = replyHead(status, all, this.#connectionHeaders());
  }

  #connectionHeaders(): string {
    if (this.#saysClose) return '';
    return this.#isLast ? 'Connection: close\r\n' : this.#keepAlive;
  }

  write(piece: Uint8Array): void {
    this.#writeHead();
    this.socket.write(piece);
  }

  end(body: string | Uint8Array = ''): void {
    if (typeof body === 'string') {
      const rest = this.#head + body;
      if (rest !== '') this.socket.write(rest);
      this.#head = '';
    } else {
      this.socket.cork();
      this.write(body);
      this.socket.uncork();
    }
    this.#onDrain = undefined;
    this.#close();
    this.onEnd(this.#isLast);
  }

  cork(): void {
    this.socket.cork();
  }

  uncork(): void {
    this.socket.uncork();
  }

  on(_drain: 'drain', listener: () => void): void {
    this.#onDrain = listener;
  }

  /** @param listener called at the end of this reply, or of the connection */
  once(_close: 'close', listener: () => void): void {
    this.#onClose = listener;
  }

  #close(): void {
    this.#onClose?.();
    this.#onClose = undefined;
  }

  /** To be called when the socket has room again. */
  drained(): void {
    this.#onDrain?.();
  }

  #writeHead(): void {
    if (this.#head !== '') this.socket.write(this.#head);
    this.#head = '';
  }
}

import type { Socket } from 'node:net';
import { type Frame, FrameParser } from '../wire/envelope.js';

export interface ConnectionEvents {
  /** Called for received bytes, before they are cut into messages. */
  received(bytes: number): void;
  frame(frame: Frame): void;
  /** Called when the send buffer of the socket has drained. */
  drained(): void;
  /** Called once, whichever side closed the connection. */
  closed(error: Error | undefined): void;
}

/** Network magic and message types of a connection. */
export interface ConnectionOptions {
  readonly magic: Uint8Array;
  /** Returns true for message types whose payload is read. */
  readonly known: (command: string) => boolean;
}

/** A socket that sends and receives frames. Nothing that it receives makes it throw. */
export class Connection {
  readonly #socket: Socket;
  readonly #parser: FrameParser;
  readonly #events: ConnectionEvents;
  #closed = false;
  #error: Error | undefined;

  /** @param socket connected */
  constructor(socket: Socket, { magic, known }: ConnectionOptions, events: ConnectionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#parser = new FrameParser(magic, known);
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('drain', () => events.drained());
    // The peer has closed its direction, so it expects no further answers.
    socket.on('end', () => this.close());
    socket.on('error', (error) => {
      this.#error = error;
    });
    socket.on('close', () => this.#finish());
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes to send that the system has not accepted yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  /** Bytes buffered for an incomplete message. */
  get pendingBytes(): number {
    return this.#parser.pendingBytes;
  }

  send(frame: Uint8Array): void {
    if (!this.#closed) this.#socket.write(frame);
  }

  /** Stops reading, so that TCP flow control makes the sender wait. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#closed) this.#socket.resume();
  }

  /** Closes the connection at once. Bytes that the system has accepted are still delivered. */
  close(): void {
    if (this.#closed) return;
    this.#socket.destroy();
    // Listeners are notified in the same turn, so that they do not continue with a closed connection.
    this.#finish();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#closed) return;
    this.#events.received(bytes.length);
    this.#parser.push(bytes, (frame) => {
      if (!this.#closed) this.#events.frame(frame);
    });
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.closed(this.#error);
  }
}

import type { Socket } from 'node:net';
import { type Frame, FrameParser } from '../wire/envelope.js';

export interface ConnectionEvents {
  /** Bytes came in, before they are cut into messages. */
  received(bytes: number): void;
  frame(frame: Frame): void;
  /** What was waiting to be sent has become little again. */
  drained(): void;
  /** Once, whoever ended it. */
  closed(error: Error | undefined): void;
}

export interface ConnectionOptions {
  readonly magic: Uint8Array;
  /** Whether a message of that name is read at all. */
  readonly known: (command: string) => boolean;
}

/** A socket that speaks in messages. Nothing it receives makes it throw. */
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
    socket.on('data', (bytes) => this.#take(bytes));
    socket.on('drain', () => events.drained());
    // The other side has said all it will: what we might still send, nobody has asked for.
    socket.on('end', () => this.close());
    socket.on('error', (error) => {
      this.#error = error;
    });
    socket.on('close', () => this.#finish());
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes accepted for sending that the system has not taken yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  /** Bytes held for a message of which a part is missing. */
  get pendingBytes(): number {
    return this.#parser.pendingBytes;
  }

  send(frame: Uint8Array): void {
    if (!this.#closed) this.#socket.write(frame);
  }

  /** Stops reading: the sender's window fills, and then it has to wait. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#closed) this.#socket.resume();
  }

  /** Ends the connection at once. What was sent before is delivered if the system has taken it. */
  close(): void {
    if (this.#closed) return;
    this.#socket.destroy();
    // Listeners learn of it in the same turn, or they would go on with a peer that is no more.
    this.#finish();
  }

  #take(bytes: Uint8Array): void {
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

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Rejected } from '../../metrics/rpc.js';
import { errorText, NodeError } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import { AbortableCall } from '../abortable-call.js';
import { type BodyBudget, type BodyOwner, bodyText, RequestBody } from '../body.js';
import type { EthereumService, EthereumSession } from './calls.js';
import { answerBody, refusedForSize } from './envelope.js';
import { MAX_REQUEST_BYTES } from './options.js';

/** Interval of pings; a client that did not answer the last one is disconnected. */
const PING_MS = 30_000;
/** Running messages of a connection before no more are read from it. */
const MAX_RUNNING = 8;
/** Unsent bytes of a connection before no more messages are read from it. */
const MAX_UNSENT = 1024 * 1024;
/** Unsent bytes of a connection with which a notification disconnects it: the client does not read them. */
const MAX_UNSENT_NOTIFICATIONS = 16 * 1024 * 1024;
/** Size of a message up to which its memory is not counted. */
const SHORT_MESSAGE = 64 * 1024;
/** Memory of the running messages of a connection before no more are read from it, in bytes. */
const MAX_HELD = 1024 * 1024;
/** Interval of checks of a connection that does not read its answers. */
const DRAIN_LOOK_MS = 20;

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
/** Time for a client to answer the closing handshake. */
const CLOSE_MS = 1000;

/** Connections by WebSocket. */
export class WebSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_REQUEST_BYTES, clientTracking: false });
  readonly #connections = new Set<Connection>();
  #pinging: NodeJS.Timeout | undefined;

  constructor(
    private readonly service: EthereumService,
    private readonly maxResponseBytes: number,
    private readonly bodies: BodyBudget,
    private readonly rejected: Rejected,
    private readonly log: Logger,
  ) {}

  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(req, socket, head, (client) => {
      const connection = new Connection(client, this.service, this.maxResponseBytes, this.bodies, this.rejected);
      this.#connections.add(connection);
      // Before the listener that emits the messages of the chunk.
      socket.prependListener('data', (chunk: Buffer) => connection.onBytes(chunk.length));
      this.#pinging ??= setInterval(() => this.#ping(), PING_MS).unref();
      client.on('error', (error) => this.log.debug('WebSocket connection failed', { error: error.message }));
      client.on('close', () => {
        this.#connections.delete(connection);
        connection.end();
      });
    });
  }

  /** Closes all connections. */
  close(): void {
    clearInterval(this.#pinging);
    for (const connection of this.#connections) connection.close();
  }

  #ping(): void {
    for (const connection of this.#connections) connection.ping();
  }
}

/** Memory that the messages of a connection take from the budget of all. The only connection with messages is never refused. */
class HeldMemory {
  #bytes = 0;
  #isEnded = false;

  constructor(private readonly budget: BodyBudget) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws {NodeError} `overloaded` if other connections leave too little */
  reserve(bytes: number): void {
    this.budget.reserve(bytes, this.#bytes);
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    if (this.#isEnded) return;
    this.budget.release(bytes);
    this.#bytes -= bytes;
  }

  /** Releases all memory, because the connection is closed. */
  end(): void {
    this.release(this.#bytes);
    this.#isEnded = true;
  }
}

/** End of a message, with which its memory is released. */
class MessageEnd implements BodyOwner {
  #listener: () => void = () => {};

  once(_: 'close', listener: () => void): void {
    this.#listener = listener;
  }

  reached(): void {
    this.#listener();
  }
}

class Connection {
  readonly #session: EthereumSession;
  readonly #running = new Set<AbortableCall>();
  readonly #held: HeldMemory;
  /** Bytes since the last complete message, and those of them that are reserved. */
  #arrived = 0;
  #reserved = 0;
  #isAlive = true;
  #draining: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: WebSocket,
    service: EthereumService,
    private readonly maxResponseBytes: number,
    bodies: BodyBudget,
    private readonly rejected: Rejected,
  ) {
    this.#held = new HeldMemory(bodies);
    this.#session = service.open((text) => this.#notify(text));
    client.on('pong', () => {
      this.#isAlive = true;
    });
    client.on('message', (data) => this.#onMessage(bytesOf(data)));
  }

  /** Counts the bytes of a message that is not complete: the parser of WebSockets holds them. */
  onBytes(count: number): void {
    this.#arrived = Math.min(this.#arrived + count, MAX_REQUEST_BYTES);
    if (this.#arrived <= SHORT_MESSAGE || this.client.readyState !== this.client.OPEN) return;
    try {
      this.#held.reserve(this.#arrived - this.#reserved);
      this.#reserved = this.#arrived;
    } catch (error) {
      this.rejected('size');
      this.client.pause();
      this.#close(TRY_AGAIN_LATER, errorText(error));
    }
  }

  ping(): void {
    if (!this.#isAlive) {
      this.client.terminate();
      return;
    }
    this.#isAlive = false;
    this.client.ping();
  }

  close(): void {
    this.#close(GOING_AWAY);
  }

  /** A client that does not answer the closing handshake must not delay the shutdown. */
  #close(code: number, reason?: string): void {
    this.client.close(code, reason);
    setTimeout(() => this.client.terminate(), CLOSE_MS).unref();
  }

  /** Frees what the connection holds. */
  end(): void {
    clearInterval(this.#draining);
    this.#held.end();
    this.#session.close();
    for (const call of this.#running) call.abort(new NodeError('cancelled', 'Client disconnected'));
  }

  #notify(text: string): void {
    if (this.client.bufferedAmount > MAX_UNSENT_NOTIFICATIONS) this.client.terminate();
    else this.client.send(text);
  }

  #onMessage(bytes: Buffer): void {
    this.#held.release(this.#reserved);
    this.#arrived = this.#reserved = 0;
    const end = new MessageEnd();
    const body = new RequestBody(this.#held, end);
    body.chunks = [bytes];
    try {
      if (bytes.length > SHORT_MESSAGE) body.reserve(bytes.length);
    } catch (error) {
      this.rejected('size');
      this.#send(refusedForSize(errorText(error)));
      return;
    }
    const call = new AbortableCall();
    const answer = answerBody(
      // Parsing a long body consumes it.
      { parse: () => body.parse(), text: () => bodyText(body.bytes) ?? '' },
      { calls: this.#session, call, maxBytes: this.maxResponseBytes },
    );
    if (!(answer instanceof Promise)) {
      end.reached();
      this.#send(answer);
      return;
    }
    this.#running.add(call);
    void answer.then((late) => {
      this.#running.delete(call);
      end.reached();
      this.#send(late);
    });
    this.#throttle();
  }

  #send(answer: string | undefined): void {
    if (answer !== undefined && this.client.readyState === this.client.OPEN) this.client.send(answer);
    this.#throttle();
  }

  /** Reads no more messages while too many run, or while the client does not read its answers. */
  #throttle(): void {
    if (this.client.readyState !== this.client.OPEN) return;
    const isHolding = this.#running.size > 0 && this.#held.bytes > MAX_HELD;
    const isFull = isHolding || this.#running.size >= MAX_RUNNING || this.client.bufferedAmount > MAX_UNSENT;
    if (isFull === (this.#draining !== undefined)) return;
    if (isFull) {
      this.client.pause();
      this.#draining = setInterval(() => this.#throttle(), DRAIN_LOOK_MS).unref();
    } else {
      clearInterval(this.#draining);
      this.#draining = undefined;
      this.client.resume();
    }
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { NodeError } from '../../util/errors.js';
import { type JsonValue, parseJson, parseJsonInSlices } from '../../util/json.js';
import type { Logger } from '../../util/logger.js';
import type { MaybePromise } from '../../util/slicer.js';
import { AbortableCall } from '../abortable-call.js';
import { bodyText, MAX_JSON_VALUES } from '../body.js';
import type { EthereumService, EthereumSession } from './calls.js';
import { answerBody } from './envelope.js';
import { MAX_REQUEST_BYTES } from './options.js';

/** Interval of pings; a client that did not answer the last one is disconnected. */
const PING_MS = 30_000;
/** Running messages of a connection before no more are read from it. */
const MAX_RUNNING = 8;
/** Unsent bytes of a connection before no more messages are read from it. */
const MAX_UNSENT = 1024 * 1024;
/** Unsent bytes of a connection with which a notification disconnects it: the client does not read them. */
const MAX_UNSENT_NOTIFICATIONS = 16 * 1024 * 1024;
/** Size of a message that is parsed in slices. */
const LONG_MESSAGE = 64 * 1024;
/** Interval in which a connection that does not read its answers is looked at. */
const DRAIN_LOOK_MS = 20;

const GOING_AWAY = 1001;

/** Connections by WebSocket. */
export class WebSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_REQUEST_BYTES, clientTracking: false });
  readonly #connections = new Set<Connection>();
  #pinging: NodeJS.Timeout | undefined;

  constructor(
    private readonly service: EthereumService,
    private readonly maxResponseBytes: number,
    private readonly log: Logger,
  ) {}

  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(req, socket, head, (client) => {
      const connection = new Connection(client, this.service, this.maxResponseBytes);
      this.#connections.add(connection);
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

class Connection {
  readonly #session: EthereumSession;
  readonly #running = new Set<AbortableCall>();
  #isAlive = true;
  #draining: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: WebSocket,
    service: EthereumService,
    private readonly maxResponseBytes: number,
  ) {
    this.#session = service.open((text) => this.#notify(text));
    client.on('pong', () => {
      this.#isAlive = true;
    });
    client.on('message', (data) => this.#onMessage(data));
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
    this.client.close(GOING_AWAY);
    // A client that does not answer the closing handshake must not delay the shutdown.
    setTimeout(() => this.client.terminate(), 1000).unref();
  }

  /** Frees what the connection holds. */
  end(): void {
    clearInterval(this.#draining);
    this.#session.close();
    for (const call of this.#running) call.abort(new NodeError('cancelled', 'Client disconnected'));
  }

  #notify(text: string): void {
    if (this.client.bufferedAmount > MAX_UNSENT_NOTIFICATIONS) this.client.terminate();
    else this.client.send(text);
  }

  #onMessage(data: RawData): void {
    const call = new AbortableCall();
    const answer = answerBody(
      { parse: () => parseMessage(data), text: () => messageText(data) },
      { calls: this.#session, call, maxBytes: this.maxResponseBytes },
    );
    if (!(answer instanceof Promise)) this.#send(answer);
    else {
      this.#running.add(call);
      void answer.then((late) => {
        this.#running.delete(call);
        this.#send(late);
      });
    }
    this.#throttle();
  }

  #send(answer: string | undefined): void {
    if (answer !== undefined && this.client.readyState === this.client.OPEN) this.client.send(answer);
    this.#throttle();
  }

  /** Reads no more messages while too many run, or while the client does not read its answers. */
  #throttle(): void {
    const isFull = this.#running.size >= MAX_RUNNING || this.client.bufferedAmount > MAX_UNSENT;
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

function messageText(data: RawData): string {
  const bytes = data instanceof ArrayBuffer ? Buffer.from(data) : Array.isArray(data) ? Buffer.concat(data) : data;
  return bodyText(bytes) ?? '';
}

function parseMessage(data: RawData): MaybePromise<JsonValue> {
  const text = messageText(data);
  return text.length < LONG_MESSAGE ? parseJson(text, VALUE_LIMIT) : parseJsonInSlices(text, VALUE_LIMIT);
}

const VALUE_LIMIT = {
  onValues(count: number): void {
    if (count > MAX_JSON_VALUES) throw new RangeError(`more than ${MAX_JSON_VALUES} JSON values`);
  },
};

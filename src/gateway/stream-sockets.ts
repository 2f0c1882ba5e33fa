import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Operation } from '../rpc/catalogue.js';
import { statusOf } from '../rpc/errors.js';
import { STALL_MS, tooSlow } from '../util/drain.js';
import { NodeError } from '../util/errors.js';
import { withValue } from '../util/slicer.js';
import type { Admission, Authenticator } from './auth.js';
import { HttpCall } from './http-call.js';
import type { OperationTable } from './operations.js';
import type { PendingCalls } from './pending-calls.js';
import { queryJson } from './query.js';
import { refuseSocket } from './reply.js';
import { requestIdOf } from './request-id.js';
import { streamError, streamTexts, tooManyStreams } from './streams.js';

/** Bytes of messages that a client sends; it has nothing to say. */
const MAX_RECEIVED = 1_024;
/** Unsent bytes of a connection before the next message is made. */
const MAX_UNSENT = 256 * 1024;
/** Interval in which a connection that does not read its messages is looked at. */
const DRAIN_LOOK_MS = 20;
/** Interval of pings; a client that did not answer the last one is disconnected. */
const PING_MS = 30_000;
const CHALLENGE = 'WWW-Authenticate: Basic realm="jsonrpc"';
const NORMAL_END = 1000;
const FAILED = 1011;

/** Modules that streams by WebSocket use. */
export interface StreamSocketParts {
  readonly operations: OperationTable;
  readonly auth: Authenticator;
  readonly streams: PendingCalls;
  /** Time in which a client has to read something. */
  readonly stallMs?: number | undefined;
  /** Interval of pings. */
  readonly pingMs?: number | undefined;
}

/** Streams by WebSocket, on the paths on which GET requests get server-sent events: each message is one text. */
export class StreamSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_RECEIVED, clientTracking: false });
  readonly #byPath: ReadonlyMap<string, Operation>;

  constructor(private readonly parts: StreamSocketParts) {
    const streaming = parts.operations.catalogue.operations.filter(({ streams }) => streams);
    this.#byPath = new Map(streaming.flatMap((op) => op.http.map(({ path }) => [path, op] as const)));
  }

  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const [path = '', query = ''] = (req.url ?? '').split('?', 2);
    const op = this.#byPath.get(path);
    if (!op) {
      refuseSocket(socket, 404);
      return;
    }
    socket.on('error', () => socket.destroy());
    void withValue(this.parts.auth.admit(req.headers.authorization, req.socket), (admission) =>
      this.#onAdmission(admission, op, query, { req, socket, head }),
    );
  }

  #onAdmission(admission: Admission, op: Operation, query: string, upgrade: Upgrade): void {
    const { operations, streams } = this.parts;
    const { req, socket, head } = upgrade;
    if ('refusal' in admission) {
      const status = statusOf[admission.refusal.kind].rest;
      void withValue(admission.due, () => refuseSocket(socket, status, status === 401 ? CHALLENGE : undefined));
      return;
    }
    const call = new HttpCall('rest', admission.caller, undefined, req.headers.authorization, requestIdOf(req.headers), req.headers);
    try {
      operations.requireAccess(op.name, call.caller);
      if (streams.full) throw tooManyStreams();
    } catch (error) {
      refuseSocket(socket, error instanceof NodeError ? statusOf[error.kind].rest : 500);
      return;
    }
    this.#server.handleUpgrade(req, socket, head, (client) => {
      client.on('error', () => client.terminate());
      streams.track(call, req.socket, this.#serve(client, op, query, call));
    });
  }

  async #serve(client: WebSocket, op: Operation, query: string, call: HttpCall): Promise<void> {
    client.on('close', () => call.abort(new NodeError('cancelled', 'Client disconnected')));
    this.#ping(client);
    let last: string | undefined;
    try {
      const json = queryJson(op.input, [...new URLSearchParams(query)]);
      for await (const text of streamTexts(op, json, call, this.parts.operations.invoker)) {
        client.send(text.json);
        last = text.cursor ?? last;
        if (client.bufferedAmount > MAX_UNSENT) await this.#drained(client, call);
      }
      client.close(NORMAL_END);
    } catch (error) {
      if (error instanceof NodeError) call.abort(error);
      if (client.readyState === client.OPEN) client.send(streamError(call.abortReason ?? error, last));
      client.close(FAILED);
    }
  }

  /** Ends the connection of a client that is gone without a word, which a silent stream would never notice. */
  #ping(client: WebSocket): void {
    let isAlive = true;
    client.on('pong', () => {
      isAlive = true;
    });
    const pinging = setInterval(() => {
      // A client that has much to read first may answer late; `#drained` decides about it.
      const isBusy = client.bufferedAmount > 0;
      if (!isAlive && !isBusy) client.terminate();
      else if (!isBusy) client.ping();
      isAlive = isBusy;
    }, this.parts.pingMs ?? PING_MS).unref();
    client.on('close', () => clearInterval(pinging));
  }

  async #drained(client: WebSocket, { signal }: HttpCall): Promise<void> {
    const from = performance.now();
    while (client.bufferedAmount > MAX_UNSENT) {
      if (performance.now() - from > (this.parts.stallMs ?? STALL_MS)) throw tooSlow();
      await wait(DRAIN_LOOK_MS, undefined, { signal });
    }
  }
}

/** A request for a WebSocket. */
export interface Upgrade {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

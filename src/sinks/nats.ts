import { type Sink, type SinkMessage, unlessAborted } from './sink.js';

/** Time that the server has to acknowledge a message. */
const TIMEOUT_MS = 10_000;

/** The parts of the client that are used. */
interface Connection {
  /** Information of the server; undefined if the connection is closed. */
  readonly info?: { readonly max_payload: number } | undefined;
  isClosed(): boolean;
  close(): Promise<void>;
}
interface JetStream {
  publish(subject: string, text: string, options: { readonly msgID: string; readonly timeout: number }): Promise<unknown>;
}
interface Client {
  connect(options: object): Promise<Connection>;
}
interface JetStreamClient {
  jetstream(connection: Connection): JetStream;
}

/** Room for the header with the id of the event, which counts to the length of a message. */
const HEADER_BYTES = 128;

const CLIENT = '@nats-io/transport-node';
const JETSTREAM = '@nats-io/jetstream';

export interface NatsOptions {
  /** `nats://[user:password@|token@]host:port`; `tls` for TLS. */
  readonly url: string;
  /** Beginning of the subjects: the kind of the event is appended. */
  readonly subject: string;
}

/**
 * Publishes events to NATS JetStream. The operator makes the stream; it drops messages with known ids within its window for duplicates.
 * The client is loaded when it is needed.
 */
export class NatsSink implements Sink {
  readonly name: string;
  readonly key: string;
  readonly #url: URL;
  #open: { readonly connection: Connection; readonly stream: JetStream } | undefined;

  constructor(private readonly options: NatsOptions) {
    this.#url = new URL(options.url);
    this.name = `nats (${this.#url.host})`;
    this.key = `nats ${this.#url.host} ${options.subject}`;
  }

  async publish(messages: readonly SinkMessage[], signal: AbortSignal): Promise<void> {
    const { stream, connection } = await unlessAborted(this.#connected(), signal);
    requireShort(messages, connection);
    // The server stores the messages of a connection in the order in which they are sent.
    const acknowledged = messages.map(({ id, kind, json }) =>
      stream.publish(`${this.options.subject}.${kind}`, json, { msgID: id, timeout: TIMEOUT_MS }),
    );
    const results = await unlessAborted(Promise.allSettled(acknowledged), signal);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason as Error;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.connection.close();
  }

  async #connected() {
    if (this.#open && !this.#open.connection.isClosed()) return this.#open;
    const { connect } = (await import(CLIENT)) as Client;
    const { jetstream } = (await import(JETSTREAM)) as JetStreamClient;
    const { protocol, host, username, password } = this.#url;
    const user = decodeURIComponent(username);
    const connection = await connect({
      servers: host,
      name: 'dfid',
      timeout: TIMEOUT_MS,
      ...(password !== '' ? { user, pass: decodeURIComponent(password) } : user !== '' && { token: user }),
      ...(protocol === 'tls:' && { tls: {} }),
    });
    this.#open = { connection, stream: jetstream(connection) };
    return this.#open;
  }
}

/**
 * Otherwise the messages around a long one would be stored at each retry: the last ones are more apart than a stream looks for duplicates.
 * @throws {Error} if the server refuses a message for its length
 */
function requireShort(messages: readonly SinkMessage[], { info }: Connection): void {
  const limit = info?.max_payload ?? Number.POSITIVE_INFINITY;
  const longest = Math.max(...messages.map(({ json }) => HEADER_BYTES + Buffer.byteLength(json)));
  if (longest > limit) throw new Error(`an event takes ${longest} bytes, and max_payload of the server is ${limit}`);
}

/** An event for a sink. */
export interface SinkMessage {
  /** Id of the event, by which receivers drop repeated messages. */
  readonly id: string;
  /** Place in the stream after the event. */
  readonly cursor: string;
  /** Kind of the event, as in filters; `gap` if events were missed. */
  readonly kind: string;
  /** The text that streams send. */
  readonly json: string;
}

/** A receiver of events outside of the node. */
export interface Sink {
  /** Name for logs and metrics, without secrets. */
  readonly name: string;
  /** Key under which its cursor is stored. */
  readonly key: string;
  /** Resolves when the receiver has acknowledged all messages. @throws {SinkGone} if it wants no more */
  publish(messages: readonly SinkMessage[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The receiver wants no more events. */
export class SinkGone extends Error {
  override name = 'SinkGone';
}

/** Waits for a client that does not know the signal, and could try for a while to reach its server. @throws the reason of the signal */
export function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Characters of the messages of a batch, well below the 1 MiB that brokers and many web servers accept by default. */
const MAX_BATCH = 256 * 1024;

/** Divides messages into batches that receivers accept. A longer message is a batch of its own. */
export function batchesOf(messages: readonly SinkMessage[]): SinkMessage[][] {
  const batches: SinkMessage[][] = [];
  let length = MAX_BATCH;
  for (const message of messages) {
    length += message.json.length;
    if (length > MAX_BATCH) {
      batches.push([]);
      length = message.json.length;
    }
    batches.at(-1)?.push(message);
  }
  return batches;
}

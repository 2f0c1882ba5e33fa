import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../rpc/catalogue.js';
import { bindJson } from '../rpc/document.js';
import { statusOf, toNodeError } from '../rpc/errors.js';
import { drained, STALL_MS } from '../util/drain.js';
import { NodeError } from '../util/errors.js';
import type { JsonObject } from '../util/json.js';
import type { HttpCall } from './http-call.js';
import type { CallInvoker } from './operations.js';
import { textOf } from './reply.js';

/** Streams that a gateway serves at a time. */
export const MAX_STREAMS = 1_000;

/** Time in which a client has to read the end of its stream. */
const END_MS = 5_000;

/** A message of a stream as text, with its place where it has one. */
export interface StreamText {
  /** Member `cursor` of the message or of its only member: where a client continues after it. */
  readonly cursor: string | undefined;
  readonly json: string;
}

/**
 * Messages of an operation that is answered with a stream, as JSON in the dialect of the operations document.
 * @param json arguments, all texts of a URL
 * @throws {NodeError} while it is read
 */
export async function* streamTexts(op: Operation, json: JsonObject, call: HttpCall, invoker: CallInvoker): AsyncGenerator<StreamText> {
  for await (const message of invoker.stream(op, bindJson(op, json, { textual: true }), call)) {
    let text = texts.get(message);
    if (!text) {
      text = textOfMessage(op, message);
      texts.set(message, text);
      text.then(
        (written) => texts.set(message, written),
        () => texts.delete(message),
      );
    }
    yield text instanceof Promise ? await text : text;
  }
}

/** Texts of messages, written or being written. A message may be sent to many clients: they get the same object. */
const texts = new WeakMap<object, StreamText | Promise<StreamText>>();

async function textOfMessage(op: Operation, message: object): Promise<StreamText> {
  return { cursor: cursorOf(message), json: textOf(await op.codec.write(message, undefined, 'document')) };
}

function cursorOf(message: object): string | undefined {
  if ('cursor' in message && typeof message.cursor === 'string') return message.cursor;
  const [only] = Object.values(message) as unknown[];
  return typeof only === 'object' && only !== null ? cursorOf(only) : undefined;
}

/** Error of a stream that has begun, as JSON: reason and text as in answers of REST, and the cursor of the last message. */
export function streamError(thrown: unknown, cursor: string | undefined): string {
  const { kind, message } = toNodeError(thrown);
  return JSON.stringify({ reason: statusOf[kind].reason, message, cursor });
}

/** Times of a stream of server-sent events, ms. */
export interface EventTimes {
  /** Time in which a client has to read something. */
  readonly stallMs?: number | undefined;
  /** Time after which the answer begins although there is no message yet. Until then an error is answered with its status. */
  readonly openMs?: number;
  /** Interval of comments, by which client and proxies see that a silent stream is alive. */
  readonly commentMs?: number;
}

export const OPEN_MS = 100;
const COMMENT_MS = 15_000;
/** A line that clients ignore. */
const COMMENT = Buffer.from(':\n\n');

/**
 * Answers a GET request with server-sent events. The `id` of an event is its cursor, so a browser that connects again continues where it
 * was. An error after the begin of the answer is an event `error`.
 * @throws {NodeError} if the stream fails before the answer begins
 */
export async function sendEvents(
  texts: AsyncGenerator<StreamText>,
  call: HttpCall,
  res: ServerResponse,
  { stallMs = STALL_MS, openMs = OPEN_MS, commentMs = COMMENT_MS }: EventTimes = {},
): Promise<void> {
  let last: string | undefined;
  const first = texts.next();
  const hasMessage = await settlesIn(first, openMs);
  const writer = new EventWriter(res);
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  if (!hasMessage) writer.write(COMMENT);
  const comments = setInterval(() => {
    if (!res.writableNeedDrain) writer.write(COMMENT);
  }, commentMs);
  try {
    for (let next = await first; !next.done; next = await texts.next()) {
      last = next.value.cursor ?? last;
      if (!writer.write(eventOf(next.value))) await drained(res, call.signal, stallMs);
    }
  } catch (error) {
    if (error instanceof NodeError) call.abort(error);
    writer.write(Buffer.from(`event: error\ndata: ${streamError(call.abortReason ?? error, last)}\n\n`));
  } finally {
    clearInterval(comments);
    await texts.return(undefined);
    writer.flush();
    res.end();
    destroyLater(res);
  }
}

/** Waits for a promise. @returns false if that takes longer than a time @throws the reason of a rejection in that time */
export async function settlesIn(promise: Promise<unknown>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeMs, false);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes of events of the same turn that are written as one. */
const MAX_PIECE = 64 * 1024;

/** Writes the events of a turn of the event loop together: each write costs a call of the system. */
class EventWriter {
  #events: Buffer[] = [];
  #length = 0;

  constructor(private readonly res: ServerResponse) {}

  /** @returns false if the connection is full */
  write(event: Buffer): boolean {
    if (this.#events.length === 0) setImmediate(() => this.flush());
    this.#events.push(event);
    this.#length += event.length;
    if (this.#length >= MAX_PIECE) this.flush();
    return !this.res.writableNeedDrain;
  }

  flush(): void {
    const events = this.#events;
    if (events.length === 0) return;
    this.#events = [];
    this.#length = 0;
    if (!this.res.destroyed && !this.res.writableEnded) this.res.write(events.length === 1 ? events[0] : Buffer.concat(events));
  }
}

/** Server-sent events by their messages. */
const events = new WeakMap<StreamText, Buffer>();

function eventOf(text: StreamText): Buffer {
  let event = events.get(text);
  if (!event) {
    const { cursor, json } = text;
    event = Buffer.from(`${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${json}\n\n`);
    events.set(text, event);
  }
  return event;
}

/** Ends the connection of a client that does not read the end of its stream either. */
export function destroyLater(res: ServerResponse): void {
  const timer = setTimeout(() => res.destroy(), END_MS);
  res.once('close', () => clearTimeout(timer)).once('finish', () => clearTimeout(timer));
}

/** The place at which a client that connects again wants to continue: the id of its last event. */
export function lastEventId({ headers }: IncomingMessage): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Error for a client beyond {@link MAX_STREAMS}. */
export function tooManyStreams(): NodeError {
  return new NodeError('resource-exhausted', `More than ${MAX_STREAMS} streams`);
}

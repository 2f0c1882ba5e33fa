import { setTimeout as sleep } from 'node:timers/promises';
import { JsonNumber, JsonObject, type JsonValue, writeJson } from '../util/json.js';
import { ConnectionFailed, NoReply, post, type Target } from './connection.js';
import { requestOf } from './getinfo.js';

/** Events of one call. */
const LIMIT = 100;
/** Time that a call waits for an event. */
const WAIT_MS = 25_000;
const RETRY_MS = 1_000;
/** Errors of a node that stops or starts, and of a gateway whose node does. */
const PASSING_CODES: ReadonlySet<string> = new Set(['-9', '-28']);
/** Statuses of a node or proxy that has no answer now. */
const PASSING_STATUSES: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/** Beginning and kinds of the events to print. */
export interface Watched {
  /** Kinds of events, separated by commas; empty for all. */
  readonly kinds: string;
  /** Cursor of the last event that was seen; empty to begin with the next one. */
  readonly cursor: string;
}

/**
 * Prints events as they happen, each as a line of JSON. A node that does not answer, stops or starts is asked again: the cursor makes sure that
 * no event is missed or printed twice.
 * @throws {Error} for an error of the node, such as a cursor that is too old
 */
export async function watch({ kinds, cursor }: Watched, target: Target, print: (line: string) => void): Promise<never> {
  for (let place = cursor; ; ) {
    try {
      const { events, next } = await eventsAfter(place, kinds, target);
      for (const event of events) print(`${writeJson(event)}\n`);
      place = next;
    } catch (error) {
      const isPassing = error instanceof ConnectionFailed || (error instanceof NoReply && PASSING_STATUSES.has(error.status));
      if (!isPassing) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function eventsAfter(cursor: string, kinds: string, target: Target): Promise<{ events: readonly JsonValue[]; next: string }> {
  const reply = await post(
    target,
    `${writeJson(requestOf('getevents', [cursor, new JsonNumber(String(LIMIT)), new JsonNumber(String(WAIT_MS)), kinds], 1))}\n`,
  );
  const error = memberOf(reply, 'error');
  const [code, message] = [memberOf(error, 'code'), memberOf(error, 'message')];
  if (code instanceof JsonNumber && PASSING_CODES.has(code.text)) throw new ConnectionFailed(String(message));
  if (typeof message === 'string') throw new Error(message);
  const result = memberOf(reply, 'result');
  const [events, next] = [memberOf(result, 'events'), memberOf(result, 'cursor')];
  if (!Array.isArray(events) || typeof next !== 'string') throw new Error('the answer holds no events');
  return { events, next };
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value instanceof JsonObject ? value.get(name) : undefined;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Event, SubscribeEventsResponse } from '../../gen/ts/dfi/events/v1/events.js';
import type { TargetCursors } from '../events/target-cursors.js';
import type { EventTest } from '../services/events/filter.js';
import { responseOf } from '../services/events/log.js';
import type { EventsModules } from '../services/events/modules.js';
import { News } from '../services/events/news.js';
import { EventReader } from '../services/events/reader.js';
import { kindOf } from '../services/events/sources.js';
import { errorText, NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { systemRandom } from '../util/random.js';
import { type Sink, SinkGone, type SinkMessage } from './sink.js';

/** Events that a sink gets at a time. */
const BATCH = 100;
/** Time without events of the wanted kinds after which the cursor is stored. */
const IDLE_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;

export interface DeliveryParts {
  readonly modules: EventsModules;
  readonly cursors: TargetCursors;
  readonly test: EventTest;
  /** Text of a message, as streams send it. */
  readonly write: (message: SubscribeEventsResponse) => Promise<string>;
  readonly log: Logger;
  /** First time to wait before a retry; shorter in tests. */
  readonly firstRetryMs?: number;
}

/** Sends the stream of events to a sink, from its stored cursor on, or from now on if it has none. */
export class Delivery {
  /** Events that the sink has acknowledged. */
  sent = 0;
  failures = 0;
  readonly #stopping = new AbortController();
  #reader: EventReader | undefined;
  /** Block of the log whose events before the place are all acknowledged; undefined until the log was opened. */
  #delivered: number | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    readonly sink: Sink,
    private readonly parts: DeliveryParts,
  ) {}

  /** Blocks of the log that the sink has not acknowledged. They grow while it fails. */
  get lag(): number {
    return this.#delivered === undefined ? 0 : Math.max(0, this.parts.modules.log.state().next - this.#delivered);
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.sink.close().catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { log, modules, firstRetryMs = FIRST_RETRY_MS } = this.parts;
    const news = new News(modules);
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      try {
        news.forget();
        if (await this.#deliver(signal)) retryMs = firstRetryMs;
        else if (!(await news.wait(IDLE_MS, signal))) this.#store();
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof SinkGone) {
          log.error('a sink refuses all further events; it is tried again at the next start', { sink: this.sink.name });
          break;
        }
        this.failures += 1;
        log.warn('events were not delivered, will retry', { sink: this.sink.name, error: errorText(error), seconds: retryMs / 1_000 });
        // Events since the last stored cursor are sent again.
        this.#reader = undefined;
        await this.sink.close().catch(() => {});
        await sleep(retryMs * (0.5 + systemRandom() / 2), undefined, { signal }).catch(() => {});
        retryMs = Math.min(LAST_RETRY_MS, 2 * retryMs);
      }
    }
    news.close();
  }

  /** @returns false if there are no events now */
  async #deliver(signal: AbortSignal): Promise<boolean> {
    this.#reader ??= this.#open();
    this.#delivered = this.#reader.block;
    const events = await this.#read(this.#reader, signal);
    if (events.length > 0) {
      const messages = await Promise.all(events.map((event) => this.#messageOf(event)));
      await this.sink.publish(messages, signal);
      this.sent += messages.length;
      this.#store();
    }
    this.#delivered = this.#reader.block;
    return events.length > 0;
  }

  #store(): void {
    if (this.#reader) this.parts.cursors.put(this.sink.key, this.#reader.cursor);
  }

  async #read(reader: EventReader, signal: AbortSignal): Promise<readonly Event[]> {
    try {
      return await reader.read(BATCH, signal);
    } catch (error) {
      if (!isLost(error)) throw error;
      this.#reader = this.#oldest(error);
      return this.#reader.read(BATCH, signal);
    }
  }

  #open(): EventReader {
    const { modules, test, cursors } = this.parts;
    try {
      const reader = new EventReader(modules, test, cursors.get(this.sink.key) ?? '');
      cursors.put(this.sink.key, reader.cursor);
      return reader;
    } catch (error) {
      if (!isLost(error)) throw error;
      return this.#oldest(error);
    }
  }

  #oldest(error: NodeError): EventReader {
    const { modules, test, log } = this.parts;
    log.warn('a sink of events missed some', { sink: this.sink.name, reason: error.message });
    return new EventReader(modules, test, '', 'oldest');
  }

  async #messageOf(event: Event): Promise<SinkMessage> {
    return { id: event.id, cursor: event.cursor, kind: kindOf(event), json: await this.parts.write(responseOf(event)) };
  }
}

/** True if events after the cursor are no longer kept, or it is of another log. */
function isLost(error: unknown): error is NodeError {
  return error instanceof NodeError && (error.kind === 'out-of-range' || error.kind === 'invalid-parameter');
}

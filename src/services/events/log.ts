import type { Event, SubscribeEventsResponse } from '../../../gen/ts/dfi/events/v1/events.js';
import type { Chain } from '../../chain/chain.js';
import { type BlockRow, blockRows, LOG_ID_SIZE, LOG_KEY, type LogState, logStates } from '../../events/columns.js';
import { CHECK_SIZE } from '../../events/cursor.js';
import type { PassingEvent } from '../../events/passing.js';
import { toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';
import { Slicer } from '../../util/slicer.js';
import type { FoundEvent } from './observed.js';
import { eventsOf, message, passingEvent } from './sources.js';

/** A block of the log with its events. */
export interface LoggedBlock {
  /** Facts of the block, without its changes. */
  readonly row: Omit<BlockRow, 'differences'>;
  readonly events: readonly FoundEvent[];
  /** Text in cursors that identifies the block. */
  readonly check: string;
}

/** A message, with the values besides the event on which its cursor depends. */
interface BlockMessage {
  readonly passing: number;
  /** Id of the log. */
  readonly log: string;
  readonly event: Event;
}

const NO_LOG: LogState = { id: new Uint8Array(LOG_ID_SIZE), first: 0, next: 0, tip: new Uint8Array(0) };
/** Identification in a cursor that has no block before it. */
export const NO_CHECK = '0'.repeat(2 * CHECK_SIZE);
/** Number of blocks and other events whose messages are kept, since most readers are at the same place. */
const KEPT_BLOCKS = 32;
/** Events of blocks that are kept. */
const KEPT_EVENTS = 10_000;
const KEPT_PASSING = 2_000;

/** Reads blocks of the log for all readers. The newest blocks are decoded, and their messages made, once for all of them. */
export class EventLog {
  readonly #blocks = new Lru<number, LoggedBlock>(KEPT_BLOCKS);
  #keptEvents = 0;
  readonly #reading = new Map<number, Promise<LoggedBlock | undefined>>();
  readonly #passing = new Lru<PassingEvent, FoundEvent>(KEPT_PASSING);
  readonly #messages = new WeakMap<FoundEvent, Event>();
  readonly #blockMessages = new WeakMap<FoundEvent, BlockMessage>();
  #state = NO_LOG;
  #id = toHex(NO_LOG.id);
  #isStale = true;

  constructor(private readonly chain: Pick<Chain, 'params' | 'state' | 'on'>) {
    const changed = (): void => {
      this.#isStale = true;
    };
    chain.on('connected', changed);
    chain.on('disconnected', changed);
    // A development network may revert to an earlier state, after which other blocks get the same numbers.
    chain.on('tip', () => {
      changed();
      this.state();
    });
  }

  /** The present state of the log; an empty one until the first block is logged. */
  state(): LogState {
    if (!this.#isStale) return this.#state;
    const state = this.chain.state.get(logStates, LOG_KEY) ?? NO_LOG;
    const id = toHex(state.id);
    if (state.next < this.#state.next || id !== this.#id) this.#forget();
    this.#state = state;
    this.#id = id;
    this.#isStale = false;
    return state;
  }

  /** Id of the log, in hex. */
  get id(): string {
    return this.#id;
  }

  /** Text by which a cursor after a block recognises it; undefined if the block is not kept. */
  checkOf(number: number): string | undefined {
    const known = this.#blocks.get(number);
    if (known) return known.check;
    const row = this.chain.state.get(blockRows, number);
    return row && checkOf(row);
  }

  /** Events of a block; undefined if it is not kept. */
  block(number: number): LoggedBlock | Promise<LoggedBlock | undefined> {
    const known = this.#blocks.get(number);
    if (known) return known;
    const running = this.#reading.get(number) ?? this.#read(number).finally(() => this.#reading.delete(number));
    this.#reading.set(number, running);
    return running;
  }

  /** Event that is not stored. */
  passing(event: PassingEvent, run: string): FoundEvent {
    const known = this.#passing.get(event);
    if (known) return known;
    const found = { ...passingEvent(event.change), id: `${run}-${event.number}` };
    this.#passing.set(event, found);
    return found;
  }

  /** Message of an event that is not stored; the same object for all readers that give the event the same cursor. */
  passingMessage(found: FoundEvent, cursor: string): Event {
    const known = this.#messages.get(found);
    if (known?.cursor === cursor) return known;
    const made = message(cursor, { id: found.id ?? '', ...found.body });
    this.#messages.set(found, made);
    return made;
  }

  /**
   * Message of an event of a block; the same object for all readers that have seen the same events that are not stored, because nothing else
   * in their cursors differs.
   * @param passing number of the last one
   * @param cursorOf makes the cursor
   */
  blockMessage(found: FoundEvent, passing: number, cursorOf: () => string, row: LoggedBlock['row']): Event {
    const known = this.#blockMessages.get(found);
    if (known && known.passing === passing && known.log === this.#id) return known.event;
    const event = message(cursorOf(), { id: found.id ?? '', ...found.body }, row);
    this.#blockMessages.set(found, { passing, log: this.#id, event });
    return event;
  }

  /** Reads a block for all streams that wait for it. The read continues when one of them ends. */
  async #read(number: number): Promise<LoggedBlock | undefined> {
    const { chain } = this;
    const row = chain.state.get(blockRows, number);
    if (!row) return undefined;
    const check = checkOf(row);
    const found = await new Slicer().run(eventsOf(row, chain.state, chain.params));
    const events = found.map((event, i) => ({ ...event, id: `${number}-${i}-${check}` }));
    const { differences: _, ...facts } = row;
    const block = { row: facts, events, check };
    // Only if the log was not reverted meanwhile.
    if (this.#state.next > number) this.#keep(number, block);
    return block;
  }

  #keep(number: number, block: LoggedBlock): void {
    this.#blocks.set(number, block);
    this.#keptEvents = [...this.#blocks.values()].reduce((sum, { events }) => sum + events.length, 0);
    while (this.#keptEvents > KEPT_EVENTS && this.#blocks.size > 1) this.#keptEvents -= this.#blocks.deleteOldest()?.events.length ?? 0;
  }

  #forget(): void {
    this.#blocks.clear();
    this.#reading.clear();
  }
}

function checkOf({ hash, isUndone }: BlockRow): string {
  return `${toHex(hash.subarray(0, CHECK_SIZE - 1))}${isUndone ? '01' : '00'}`;
}

const responses = new WeakMap<Event, SubscribeEventsResponse>();

/** Message of the stream with an event; the same object for the same event, so that it is encoded once for all clients. */
export function responseOf(event: Event): SubscribeEventsResponse {
  const known = responses.get(event);
  if (known) return known;
  const made = { event };
  responses.set(event, made);
  return made;
}

import type { Event } from '../../../gen/ts/dfi/events/v1/events.js';
import { type Cursor, formatCursor, parseCursor } from '../../events/cursor.js';
import { NodeError } from '../../util/errors.js';
import { Slicer } from '../../util/slicer.js';
import type { EventTest } from './filter.js';
import { type LoggedBlock, NO_CHECK } from './log.js';
import type { EventsModules } from './modules.js';
import { message } from './sources.js';

/** A client's place in the stream. */
type Place = Pick<Cursor, 'block' | 'seen' | 'passing'>;

/** Place of a reader without a cursor: before the next event, or before the oldest one that is kept. */
export type Beginning = 'next' | 'oldest';

/** Kinds of events that are not stored. */
const PASSING_KINDS = ['mempool', 'wallet', 'node'] as const;
/** Id of an empty log, in cursors from before the first block. */
const NO_LOG_ID = '0'.repeat(16);
/** Blocks between two checks of the signal. Most blocks have few events, and a check takes as long as one event. */
const BLOCKS_PER_LOOK = 64;
/** Events that are not stored, between two checks of the time. */
const PASSING_STEP = 100;

/** Reads the stream from a place on. It holds nothing but its place. */
export class EventReader {
  #place: Place;
  /** Texts that identify the block before that of the place, and the block of the place, as far as they are known. */
  #before: string;
  #current = NO_CHECK;
  /** Reason for which events that are not stored are missing before this place. */
  #gap: string | undefined;
  #missedBlocks: boolean;

  /**
   * @param cursor empty to begin with the next event
   * @throws {NodeError} `invalid-parameter` for a text that is no cursor, `out-of-range` for a place that is no longer kept
   */
  constructor(
    private readonly modules: EventsModules,
    private readonly test: EventTest,
    cursor: string,
    beginning: Beginning = 'next',
  ) {
    if (!modules.keepsEvents) throw new NodeError('misc', 'Events are not kept (-eventretention=0)');
    const { first, next } = modules.log.state();
    this.#missedBlocks = cursor === '' && beginning === 'oldest';
    if (cursor === '') {
      this.#place = beginning === 'next' ? { block: next, seen: 0, passing: modules.passing.last } : { block: first, seen: 0, passing: 0 };
      this.#before = modules.log.checkOf(this.#place.block - 1) ?? NO_CHECK;
      if (this.#missedBlocks) this.#gap = 'events before the oldest ones that are kept';
    } else {
      const known = requireCursor(cursor);
      this.#place = this.#placeOf(known);
      [this.#before, this.#current] = known.seen > 0 ? [NO_CHECK, known.check] : [known.check, NO_CHECK];
    }
  }

  get cursor(): string {
    return this.#cursorAt(this.#place);
  }

  /** Block of the log that contains the place. */
  get block(): number {
    return this.#place.block;
  }

  /** Number of blocks of the log after the place. */
  get lag(): number {
    return Math.max(0, this.modules.log.state().next - this.#place.block);
  }

  /** The next events, at most `limit`; none if there are none yet. @throws {NodeError} `out-of-range` if they are no longer kept */
  async read(limit: number, signal: AbortSignal): Promise<readonly Event[]> {
    const events: Event[] = [];
    const slicer = new Slicer(signal);
    for (let blocks = 1; events.length < limit; blocks++) {
      const before = this.#place;
      this.#readGap(events);
      const hasAll = before.seen > 0 || (await this.#readPassing(events, limit, slicer));
      if (hasAll && events.length < limit) await this.#readBlock(events, limit);
      if (blocks % BLOCKS_PER_LOOK === 0) signal.throwIfAborted();
      const { block, seen, passing } = this.#place;
      if (block === before.block && seen === before.seen && passing === before.passing) break;
    }
    signal.throwIfAborted();
    return events;
  }

  #readGap(events: Event[]): void {
    if (this.#gap === undefined) return;
    const concerns = this.#missedBlocks || PASSING_KINDS.some((kind) => this.test({ kind, body: {} }));
    if (concerns) events.push(message(this.cursor, { gap: { reason: this.#gap }, id: `gap-${this.cursor}` }));
    this.#missedBlocks = false;
    this.#gap = undefined;
  }

  /** @returns false if more events may come before the block of the place */
  async #readPassing(events: Event[], limit: number, slicer: Slicer): Promise<boolean> {
    const { passing, log } = this.modules;
    for (;;) {
      if (this.#place.passing + 1 < passing.oldest) {
        this.#place = { ...this.#place, passing: passing.oldest - 1 };
        this.#gap = 'more events than are kept in memory';
        this.#readGap(events);
      }
      const step = passing.after(this.#place.passing, PASSING_STEP);
      for (const event of step) {
        if (event.block > this.#place.block) return true;
        if (events.length >= limit) return false;
        this.#place = { ...this.#place, passing: event.number };
        const found = log.passing(event, passing.run);
        if (this.test(found)) events.push(log.passingMessage(found, this.cursor));
      }
      if (step.length < PASSING_STEP) return true;
      const wait = slicer.pause();
      if (wait) await wait;
    }
  }

  async #readBlock(events: Event[], limit: number): Promise<void> {
    const { log } = this.modules;
    const { block, seen } = this.#place;
    const { first, next } = log.state();
    if (block < first) throw tooOld();
    if (block >= next) return;
    const logged = await log.block(block);
    if (!logged) throw tooOld();
    this.#current = logged.check;
    const { events: found, row } = logged;
    const { passing } = this.#place;
    let at = seen;
    const cursorOf = (): string => this.#cursorAt(this.#after(at, logged), logged);
    for (; at < found.length && events.length < limit; at++) {
      const event = found[at] as (typeof found)[number];
      if (this.test(event)) events.push(log.blockMessage(event, passing, cursorOf, row));
    }
    this.#place = at === found.length ? this.#after(at - 1, logged) : { ...this.#place, seen: at };
    if (this.#place.block > block) this.#before = logged.check;
  }

  /** Place after an event of a block. */
  #after(index: number, { events }: LoggedBlock): Place {
    const { block, passing } = this.#place;
    return index + 1 >= events.length ? { block: block + 1, seen: 0, passing } : { block, seen: index + 1, passing };
  }

  #placeOf({ log: id, block, seen, check, passing, run }: Cursor): Place {
    const { log } = this.modules;
    const { first, next } = log.state();
    if (id !== log.id && id !== NO_LOG_ID) {
      throw new NodeError('out-of-range', 'The cursor is of another node, or of data that was rebuilt since');
    }
    if (block < first) throw tooOld();
    // The last block of which events were seen.
    const last = seen > 0 ? block : block - 1;
    if (last >= next || (last >= first && check !== NO_CHECK && log.checkOf(last) !== check)) throw lost();
    if (run === this.modules.passing.run) return { block, seen, passing: Math.min(passing, this.modules.passing.last) };
    this.#gap = 'the node was started again';
    return { block, seen, passing: 0 };
  }

  /** @param logged the block of the place if it was just read */
  #cursorAt(place: Place, logged?: LoggedBlock): string {
    const { log, passing } = this.modules;
    const before = logged && place.block > this.#place.block ? logged.check : this.#before;
    return formatCursor({ ...place, check: place.seen > 0 ? this.#current : before, log: log.id, run: passing.run });
  }
}

function requireCursor(text: string): Cursor {
  const cursor = parseCursor(text);
  if (!cursor) throw new NodeError('invalid-parameter', 'Not a cursor of this stream');
  return cursor;
}

function tooOld(): NodeError {
  return new NodeError('out-of-range', 'The events after this cursor are no longer kept (-eventretention); start again without a cursor');
}

function lost(): NodeError {
  return new NodeError('out-of-range', 'The node no longer has the blocks that the cursor follows; start again without a cursor');
}

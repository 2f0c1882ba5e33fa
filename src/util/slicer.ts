import { setTimeout } from 'node:timers/promises';

/** Maximum time of sliced work in a turn of the event loop. A long step or a garbage collection adds to it; the goal is 20 ms in all. */
const TURN_MS = 5;

/**
 * Time budget of sliced work per turn of the event loop, shared by all calls. A turn resumes one waiting slice, in order of arrival; new
 * calls use only the time that it leaves.
 */
class Turns {
  readonly #waiting: (() => void)[] = [];
  /** `performance.now()` at the start of the slice of this turn; undefined before it. */
  #since: number | undefined;

  get isSpent(): boolean {
    const now = performance.now();
    const since = this.#since ?? this.#begin(now);
    // Tests install clocks that start at zero.
    if (now < since) this.#since = now;
    return now - since >= TURN_MS;
  }

  /** Resolves at the start of a slice in a later turn. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(now: number): number {
    this.#since = now;
    setImmediate(() => this.#advance());
    return now;
  }

  #advance(): void {
    this.#since = undefined;
    const resume = this.#waiting.shift();
    if (!resume) return;
    this.#begin(performance.now());
    resume();
  }
}

const turns = new Turns();

/** A signal, or a call that has one. A call is passed on whole: creating its signal costs more than most calls. */
export type Abortable = AbortSignal | { readonly signal: AbortSignal };

/** For work that must be completed. */
export const NOT_ABORTED: Abortable = { signal: new AbortController().signal };

/** Waits for a slice in a later turn. The signal of a call is read only here. */
async function nextSlice(work: Abortable | undefined): Promise<void> {
  await turns.next();
  (work instanceof AbortSignal ? work : work?.signal)?.throwIfAborted();
}

/** Divides long work into time slices: call `pause` after each step and await the promise, if there is one. */
export class Slicer {
  constructor(private readonly work?: Abortable | undefined) {}

  /** @returns undefined while the turn has time left; else a promise that rejects with the reason of the signal if the work is aborted */
  pause(): Promise<void> | undefined {
    return turns.isSpent ? nextSlice(this.work) : undefined;
  }

  /** Runs steps in time slices. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const paused = this.pause();
      if (paused) await orEnd(paused, steps);
    }
  }
}

/** Waits for the next slice of steps. If they are aborted, the generator receives the reason, so that it can clean up. */
async function orEnd(pause: Promise<void>, steps: Steps<unknown>): Promise<void> {
  try {
    await pause;
  } catch (error) {
    steps.throw(error);
  }
}

/** Long work as a generator that yields at each point of possible interruption, at least every fraction of a millisecond. */
export type Steps<T> = Generator<void, T, void>;

/** Units of work between two points of interruption. */
const UNITS_PER_STEP = 64;

/**
 * Counts units of work that take microseconds, such as words that are read. Nested loops share a count: with one each, they would yield
 * only after the product of their numbers.
 */
export class UnitCount {
  #units = 0;

  /** Counts a unit. @returns true after every 64th, when the steps yield */
  add(): boolean {
    this.#units += 1;
    return this.#units % UNITS_PER_STEP === 0;
  }
}

/** Visits items as units of work, in steps. @param units count of the work that this is a part of */
export function* eachInSteps<T>(items: Iterable<T>, visit: (item: T) => void, units: UnitCount): Steps<void> {
  for (const item of items) {
    visit(item);
    if (units.add()) yield;
  }
}

/** Runs all steps synchronously. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Runs steps in time slices; synchronously if everything fits into the first.
 * @returns the result, or a promise that rejects with the reason of the signal if the work is aborted
 */
export function inSlices<T>(steps: Steps<T>, call: Abortable): MaybePromise<T> {
  const go = (): MaybePromise<T> => {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (turns.isSpent) return nextSlice(call).then(go);
    }
  };
  return go();
}

/** Time of work in the background per turn of the event loop, and its rest after it as a multiple of the time that it took. */
const BACKGROUND_TURN_MS = 2;
const BACKGROUND_REST = 3;
/** Rest as a multiple of the time of work, if other work kept the event loop busy for more than this part of the rest before. */
const BUSY_REST = 19;
const BUSY_PART = 0.3;

/**
 * Runs long steps whose result no call needs, in a quarter of the time at most, and in a twentieth while there is other work, so that
 * calls are answered nearly as fast as without them.
 * @returns a promise that rejects with the reason of the signal if the work is aborted
 */
export async function inBackground<T>(steps: Steps<T>, { signal }: { readonly signal: AbortSignal }): Promise<T> {
  let rest = BACKGROUND_REST;
  for (;;) {
    const since = performance.now();
    let elapsed = 0;
    while (elapsed < BACKGROUND_TURN_MS) {
      const { done, value } = steps.next();
      if (done) return value;
      elapsed = performance.now() - since;
    }
    const load = performance.eventLoopUtilization();
    const resting = setTimeout(elapsed * rest, undefined, { signal }).catch(() => signal.throwIfAborted());
    await orEnd(resting, steps);
    rest = performance.eventLoopUtilization(load).utilization > BUSY_PART ? BUSY_REST : BACKGROUND_REST;
  }
}

/**
 * Runs steps that read the present state: synchronously if they fit into the time left, else again from the start in a later turn, so that all steps of the
 * run that finishes see one state. The work must keep what it has computed, or it never finishes.
 * @returns the result, or a promise that rejects with the reason of the signal if the work is aborted
 */
export function inOneTurn<T>(begin: () => Steps<T>, call: Abortable): MaybePromise<T> {
  const steps = begin();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (turns.isSpent) return nextSlice(call).then(() => inOneTurn(begin, call));
  }
}

/** A value, or a promise of it if the work did not fit into one slice. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies a function to a value, synchronously unless it is a promise. */
export function withValue<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** @returns undefined while the turn has time left; else a promise that rejects with the reason of the signal if the call is aborted */
export function pause(call: Abortable): Promise<void> | undefined {
  return turns.isSpent ? nextSlice(call) : undefined;
}

/** Number of items between two checks of the clock, which costs more than a short item. */
const ITEMS_PER_LOOK = 16;

/**
 * Iterates in time slices; synchronously if everything fits into the first.
 * @param visit must take at most a fraction of a millisecond
 * @returns undefined, or a promise that rejects with the reason of the signal if the work is aborted
 */
export function eachInSlices<T>(items: Iterable<T>, visit: (item: T) => void, call: Abortable): MaybePromise<void> {
  let visited = 0;
  const iterator = items[Symbol.iterator]();
  const go = (): MaybePromise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      visit(next.value);
      visited += 1;
      if (visited % ITEMS_PER_LOOK === 0 && turns.isSpent) return nextSlice(call).then(go);
    }
  };
  return go();
}

/** Maps items as `eachInSlices` visits them. */
export function mapInSlices<T, U>(items: Iterable<T>, map: (item: T) => U, call: Abortable): MaybePromise<U[]> {
  const mapped: U[] = [];
  const visited = eachInSlices(items, (item) => void mapped.push(map(item)), call);
  return withValue(visited, () => mapped);
}

/** Longest time that sliced work may hold one turn of the event loop. A long step or a garbage collection comes on top; the aim is 20 ms in all. */
const TURN_MS = 5;

/**
 * The time of each turn of the event loop that all sliced work shares. However many calls there are, a turn runs one waiting slice,
 * first come first served, and new calls get only the time that it leaves.
 */
class Turns {
  readonly #waiting: (() => void)[] = [];
  /** `performance.now()` at the beginning of this turn's slice; undefined before it. */
  #since: number | undefined;

  get isSpent(): boolean {
    const now = performance.now();
    const since = this.#since ?? this.#begin(now);
    // Tests put clocks in place that begin at zero.
    if (now < since) this.#since = now;
    return now - since >= TURN_MS;
  }

  /** Resolves at the beginning of a slice in a later turn. */
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

/** Runs a long scan in slices: `await slicer.pause()` once per step costs next to nothing until the turn's time is spent. */
export class Slicer {
  constructor(private readonly signal?: AbortSignal) {}

  /** @throws the signal's reason once the work is no longer wanted */
  pause(): Promise<void> | undefined {
    return turns.isSpent ? this.#yield() : undefined;
  }

  /** Does long work in slices. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const paused = this.pause();
      if (paused) await paused;
    }
  }

  async #yield(): Promise<void> {
    await turns.next();
    this.signal?.throwIfAborted();
  }
}

/** Long work, a generator that yields wherever it may be interrupted: every fraction of a millisecond. */
export type Steps<T> = Generator<void, T, void>;

/** Does all of it at once, for callers that cannot wait. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Does it in slices, at once where all of it fits into one.
 * @returns a promise that rejects with the signal's reason once the work is no longer wanted
 */
export function inSlices<T>(steps: Steps<T>, call: { readonly signal: AbortSignal }): MaybePromise<T> {
  const slicer = new Slicer(call.signal);
  const go = (): MaybePromise<T> => {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const paused = slicer.pause();
      if (paused) return paused.then(go);
    }
  };
  return go();
}

/** A value at once, or a promise of it where there was too much to do for one slice. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value, at once where it is at hand. */
export function withValue<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Items between two looks at the clock: some take less time than the look. */
const ITEMS_PER_LOOK = 16;

/**
 * Visits items in slices, at once where all of them fit into one.
 * @param visit takes a fraction of a millisecond at most
 * @returns a promise that rejects with the signal's reason once the work is no longer wanted
 */
export function eachInSlices<T>(items: Iterable<T>, visit: (item: T) => void, call: { readonly signal: AbortSignal }): MaybePromise<void> {
  let slicer: Slicer | undefined;
  let visited = 0;
  const iterator = items[Symbol.iterator]();
  const go = (): MaybePromise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      visit(next.value);
      visited += 1;
      if (visited % ITEMS_PER_LOOK !== 0) continue;
      slicer ??= new Slicer(call.signal);
      const paused = slicer.pause();
      if (paused) return paused.then(go);
    }
  };
  return go();
}

/** Maps items in the same way. */
export function mapInSlices<T, U>(items: Iterable<T>, map: (item: T) => U, call: { readonly signal: AbortSignal }): MaybePromise<U[]> {
  const mapped: U[] = [];
  const visited = eachInSlices(items, (item) => void mapped.push(map(item)), call);
  return withValue(visited, () => mapped);
}

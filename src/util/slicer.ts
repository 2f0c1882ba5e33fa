import { setImmediate } from 'node:timers/promises';

/** Longest time that a scan may hold the event loop. A long step or a collection of garbage comes on top, and all together should stay below 20 ms. */
const SLICE_MS = 5;

/** Lets a long scan run in slices: `await slicer.pause()` once per step costs next to nothing until a slice is over. */
export class Slicer {
  #end = performance.now() + SLICE_MS;

  constructor(private readonly signal?: AbortSignal) {}

  /** @throws the signal's reason once the work is no longer wanted */
  pause(): Promise<void> | undefined {
    if (performance.now() < this.#end) return undefined;
    return this.#yield();
  }

  async #yield(): Promise<void> {
    await setImmediate();
    this.signal?.throwIfAborted();
    this.#end = performance.now() + SLICE_MS;
  }
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

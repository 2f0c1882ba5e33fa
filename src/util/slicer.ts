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

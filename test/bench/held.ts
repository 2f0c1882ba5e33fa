import { closeSync, openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const NS_PER_MS = 1e6;
/** Turns of at least this time are measured exactly. */
const EXACT_FROM_MS = 5;

/** Time that work blocks the event loop. */
export interface Held<T> {
  readonly result: T;
  readonly totalMs: number;
  /** Longest time between two turns of the event loop, sampled every millisecond. */
  readonly heldMs: number;
  /** Most CPU time of the main thread between two turns, which excludes other work on a busy machine and the helper threads of V8. */
  readonly cpuMs: number;
}

/** CPU time of the main thread, on Linux. */
class MainThreadTime {
  readonly #fd = openSync('/proc/self/schedstat', 'r');
  readonly #bytes = Buffer.alloc(128);
  readonly #cell = new Int32Array(new SharedArrayBuffer(4));

  /** In milliseconds, as of the last tick of the kernel. */
  read(): number {
    const length = readSync(this.#fd, this.#bytes, 0, this.#bytes.length, 0);
    return Number.parseInt(this.#bytes.toString('latin1', 0, length), 10) / NS_PER_MS;
  }

  /** In milliseconds, exactly: the kernel also counts when a thread sleeps, so it does, for an instant. */
  readNow(): number {
    Atomics.wait(this.#cell, 0, 0, 0.01);
    return this.read();
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Measures the time that work blocks the event loop. */
export async function heldBy<T>(work: () => Promise<T>): Promise<Held<T>> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first tick starts the measurement.
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.reset();
  const clock = new MainThreadTime();
  let cpuMs = 0;
  let over = false;
  let [since, before] = [performance.now(), clock.readNow()];
  const turn = (): void => {
    const elapsed = performance.now() - since;
    const after = elapsed > EXACT_FROM_MS ? clock.readNow() : clock.read();
    cpuMs = Math.max(cpuMs, Math.min(elapsed, after - before));
    [since, before] = [performance.now(), after];
    if (!over) setImmediate(turn);
    else clock.close();
  };
  setImmediate(turn);
  const from = performance.now();
  const result = await work();
  const totalMs = performance.now() - from;
  await new Promise((resolve) => setTimeout(resolve, 20));
  over = true;
  delay.disable();
  return { result, totalMs, heldMs: delay.max / NS_PER_MS, cpuMs };
}

import { monitorEventLoopDelay } from 'node:perf_hooks';

const NS_PER_MS = 1e6;

/** Time that work blocks the event loop. */
export interface Held<T> {
  readonly result: T;
  readonly totalMs: number;
  /** Longest time between two turns of the event loop, sampled every millisecond. */
  readonly heldMs: number;
  /** Most CPU time of the process between two turns, which excludes other work on a busy machine. */
  readonly cpuMs: number;
}

/** Measures the time that work blocks the event loop. */
export async function heldBy<T>(work: () => Promise<T>): Promise<Held<T>> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first tick starts the measurement.
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.reset();
  let cpuMs = 0;
  let over = false;
  const turn = (before: NodeJS.CpuUsage): void => {
    const { user, system } = process.cpuUsage(before);
    cpuMs = Math.max(cpuMs, (user + system) / 1000);
    if (!over) setImmediate(turn, process.cpuUsage());
  };
  setImmediate(turn, process.cpuUsage());
  const from = performance.now();
  const result = await work();
  const totalMs = performance.now() - from;
  await new Promise((resolve) => setTimeout(resolve, 20));
  over = true;
  delay.disable();
  return { result, totalMs, heldMs: delay.max / NS_PER_MS, cpuMs };
}

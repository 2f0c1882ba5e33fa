import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { coins } from '../../src/chain/coins.js';
import { dfiColumns } from '../../src/dfi/state/columns.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { fillState, longReads, readsOf } from '../long-reads.js';

const ROWS = 100_000;
const BATCH = 20_000;
/** Nobody should wait longer for a turn. */
const LIMIT_MS = 20;
const WIDTH = 20;

/** How long reads of large tables hold the event loop, while they walk and while their answer is written. */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-long-reads-'));
  const store = await RocksStore.open(directory, [coins, ...dfiColumns]);
  try {
    for (let from = 0; from < ROWS; from += BATCH) {
      const view = new Overlay(store);
      fillState(view, from, from + BATCH);
      store.write(view.changes());
    }
    const { handle, write } = readsOf(store);
    for (const { method, args } of longReads) {
      const walking = await delayOf(() => handle(method, args));
      const from = performance.now();
      const text = write(method, walking.result);
      console.log(
        `${method.padEnd(WIDTH)}${ROWS} rows in ${walking.totalMs.toFixed(0)} ms, held for ${walking.mostMs.toFixed(1)} ms at most (limit ${LIMIT_MS}), of it ${walking.cpuMs.toFixed(1)} ms of CPU time; ` +
          `${(text.length / 1e6).toFixed(1)} MB written in ${(performance.now() - from).toFixed(1)} ms`,
      );
    }
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Held {
  readonly result: unknown;
  readonly totalMs: number;
  /** Longest time between two turns of the event loop, which is asked every millisecond. */
  readonly mostMs: number;
  /** Most CPU time of the process between two turns: what a busy machine adds to the other is not in it. */
  readonly cpuMs: number;
}

/** How long the work holds the event loop at a time. */
async function delayOf(work: () => Promise<unknown>): Promise<Held> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first tick begins to count.
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
  return { result, totalMs, mostMs: delay.max / 1e6, cpuMs };
}

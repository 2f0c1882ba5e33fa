import type { Slicer } from './slicer.js';

/** Number of items sorted at once, in about a millisecond. */
const RUN = 2_000;

/** Sorts in time slices: short runs first, which are then merged by pairs. The sort is stable. */
export async function sortInSlices<T>(items: readonly T[], isBefore: (a: T, b: T) => boolean, slicer: Slicer): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0)));
    const paused = slicer.pause();
    if (paused) await paused;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(runs[i] ?? [], runs[i + 1] ?? [], isBefore, slicer));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(a: readonly T[], b: readonly T[], isBefore: (a: T, b: T) => boolean, slicer: Slicer): Promise<T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const fromB = i >= a.length || (j < b.length && isBefore(b[j] as T, a[i] as T));
    merged.push((fromB ? b[j++] : a[i++]) as T);
    const paused = merged.length % RUN === 0 ? slicer.pause() : undefined;
    if (paused) await paused;
  }
  return merged;
}

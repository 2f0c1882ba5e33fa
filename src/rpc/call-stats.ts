/** Receives every call that was answered with a result. */
export interface CallRecorder {
  /** @param sizeBytes size of the whole reply */
  record(method: string, latencyMs: number, sizeBytes: number): void;
}

/** Range of latencies (whole ms) or reply sizes (bytes). */
export interface StatRange {
  readonly min: number;
  readonly avg: number;
  readonly max: number;
}

/** One answered call. */
export interface PastCall {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Whole milliseconds. */
  readonly latency: number;
  /** Bytes of the reply. */
  readonly payload: number;
}

/** Statistics of one operation: latencies in whole milliseconds, reply sizes in bytes. */
export interface OperationStats {
  readonly name: string;
  readonly count: number;
  /** Seconds since 1970. */
  readonly lastUsedTime: number;
  readonly latency: StatRange;
  readonly payload: StatRange;
  /** The last calls, oldest first. */
  readonly history: readonly PastCall[];
}

const HISTORY_SIZE = 5;

/** Statistics of the calls since the node was started. @see docs/protocol/rpc-chain.md 4, getrpcstats */
export class CallStats implements CallRecorder {
  readonly #byName = new Map<string, OperationStats>();

  /** @param now wall clock, milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  record(name: string, latencyMs: number, sizeBytes: number): void {
    const known = this.#byName.get(name);
    const call = { timestamp: Math.floor(this.now() / 1000), latency: Math.floor(latencyMs), payload: sizeBytes };
    const count = (known?.count ?? 0) + 1;
    this.#byName.set(name, {
      name,
      count,
      lastUsedTime: call.timestamp,
      latency: extended(known?.latency, call.latency, count),
      payload: extended(known?.payload, call.payload, count),
      history: [...(known?.history ?? []), call].slice(-HISTORY_SIZE),
    });
  }

  get(name: string): OperationStats | undefined {
    return this.#byName.get(name);
  }

  /** All operations that were called, sorted by name. */
  list(): OperationStats[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Adds a value to a range. As in `defid`, the average moves by a whole number. */
function extended(range: StatRange | undefined, value: number, count: number): StatRange {
  if (!range) return { min: value, avg: value, max: value };
  const avg = range.avg + Math.trunc((value - range.avg) / count);
  return { min: Math.min(range.min, value), avg, max: Math.max(range.max, value) };
}

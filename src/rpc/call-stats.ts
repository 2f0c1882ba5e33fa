/** Told of every call that was answered with a result. */
export interface CallRecorder {
  /** @param sizeBytes of the whole reply */
  record(method: string, latencyMs: number, sizeBytes: number): void;
}

export interface StatRange {
  readonly min: number;
  readonly avg: number;
  readonly max: number;
}

export interface PastCall {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly latency: number;
  readonly payload: number;
}

/** What is known of the calls of one operation: whole milliseconds and bytes. */
export interface OperationStats {
  readonly name: string;
  readonly count: number;
  /** Seconds since 1970. */
  readonly lastUsedTime: number;
  readonly latency: StatRange;
  readonly payload: StatRange;
  /** The last ones, oldest first. */
  readonly history: readonly PastCall[];
}

const HISTORY_SIZE = 5;

/** Statistics of the calls since the node was started. @see docs/protocol/rpc-chain.md 4, getrpcstats */
export class CallStats implements CallRecorder {
  readonly #byName = new Map<string, OperationStats>();

  /** @param now milliseconds since 1970, in real time */
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

  /** By name. */
  list(): OperationStats[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The average moves by a whole number, as the reference has it. */
function extended(range: StatRange | undefined, value: number, count: number): StatRange {
  if (!range) return { min: value, avg: value, max: value };
  const avg = range.avg + Math.trunc((value - range.avg) / count);
  return { min: Math.min(range.min, value), avg, max: Math.max(range.max, value) };
}

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

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Changed in place by each call. */
interface Recorded extends Mutable<OperationStats> {
  readonly latency: Mutable<StatRange>;
  readonly payload: Mutable<StatRange>;
  readonly history: PastCall[];
}

/** Statistics of the calls since the node was started. @see docs/protocol/rpc-chain.md 4, getrpcstats */
export class CallStats implements CallRecorder {
  readonly #byName = new Map<string, Recorded>();

  /** @param now wall clock, milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  record(name: string, latencyMs: number, sizeBytes: number): void {
    const call = { timestamp: Math.floor(this.now() / 1000), latency: Math.floor(latencyMs), payload: sizeBytes };
    const known = this.#byName.get(name);
    if (!known) {
      this.#byName.set(name, {
        name,
        count: 1,
        lastUsedTime: call.timestamp,
        latency: rangeOf(call.latency),
        payload: rangeOf(call.payload),
        history: [call],
      });
      return;
    }
    known.count += 1;
    known.lastUsedTime = call.timestamp;
    extend(known.latency, call.latency, known.count);
    extend(known.payload, call.payload, known.count);
    known.history.push(call);
    if (known.history.length > HISTORY_SIZE) known.history.shift();
  }

  get(name: string): OperationStats | undefined {
    return this.#byName.get(name);
  }

  /** All operations that were called, sorted by name. */
  list(): OperationStats[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function rangeOf(value: number): Mutable<StatRange> {
  return { min: value, avg: value, max: value };
}

/** Adds a value to a range. As in `defid`, the average moves by a whole number. */
function extend(range: Mutable<StatRange>, value: number, count: number): void {
  range.avg += Math.trunc((value - range.avg) / count);
  range.min = Math.min(range.min, value);
  range.max = Math.max(range.max, value);
}

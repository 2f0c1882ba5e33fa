import { Histogram, type MetricValueWithName, type Registry } from 'prom-client';

/** Observations with one value of the label: count and sum, and the number in each bucket, not cumulative. */
class Observed {
  count = 0;
  sum = 0;
  readonly inBucket: number[];

  constructor(readonly upperBounds: readonly number[]) {
    this.inBucket = upperBounds.map(() => 0);
  }

  add(value: number): void {
    this.count += 1;
    this.sum += value;
    const bucket = this.upperBounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.inBucket[bucket] = (this.inBucket[bucket] as number) + 1;
  }
}

/** Names and buckets of a {@link Durations}. */
export interface DurationsOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: Label;
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[];
}

/**
 * A histogram for the path of every call. The one of the library checks and hashes the labels at each observation, which takes longer than a
 * short call; this one looks the value of its single label up and prepares the output on scrape.
 */
export class Durations<Label extends string> extends Histogram<Label> {
  readonly #options: DurationsOptions<Label>;
  readonly #observed = new Map<string, Observed>();

  constructor(registry: Registry, options: DurationsOptions<Label>) {
    const { name, help, label, buckets } = options;
    super({ name, help, labelNames: [label], buckets: [...buckets], registers: [registry] });
    this.#options = options;
  }

  add(labelValue: string, seconds: number): void {
    let observed = this.#observed.get(labelValue);
    if (!observed) {
      observed = new Observed(this.#options.buckets);
      this.#observed.set(labelValue, observed);
    }
    observed.add(seconds);
  }

  /** Output of the metric: the library reads it from here for its text format, and through `get` for JSON. */
  async getForPromString() {
    const { name, help } = this.#options;
    const values = [...this.#observed].flatMap(([value, observed]) => this.#valuesOf(value, observed));
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }

  #valuesOf(value: string, { upperBounds, inBucket, count, sum }: Observed): MetricValueWithName<Label>[] {
    const { name, label } = this.#options;
    const labels = { [label]: value } as Record<Label, string>;
    let below = 0;
    const buckets = upperBounds.map((le, at) => {
      below += inBucket[at] as number;
      return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels: { le: '+Inf', ...labels }, value: count, metricName: `${name}_bucket` },
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ];
  }
}

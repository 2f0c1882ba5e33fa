import { Counter, Gauge, type Registry } from 'prom-client';

/** Adds a gauge whose value is read on scrape. */
export function watch(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

/** Adds a counter whose value is read on scrape. */
export function count(registry: Registry, name: string, help: string, value: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

/** Adds a counter with a label, whose values are read on scrape. */
export function tally(registry: Registry, name: string, help: string, label: string, values: () => Readonly<Record<string, number>>): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, total] of Object.entries(values())) this.inc({ [label]: value }, total);
    },
  });
}

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

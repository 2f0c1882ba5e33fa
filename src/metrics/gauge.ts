import { Gauge, type Registry } from 'prom-client';

/** A gauge whose value is asked for when the metrics are read. */
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

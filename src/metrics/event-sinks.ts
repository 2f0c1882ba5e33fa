import { Counter, Gauge, type Registry } from 'prom-client';

/** The part of a delivery to a sink that metrics read. */
export interface ObservedDelivery {
  readonly sink: { readonly name: string };
  readonly sent: number;
  readonly failures: number;
  readonly lag: number;
}

/** Metrics of the sinks of events, read on scrape. */
export function observeSinks(registry: Registry, deliveries: readonly ObservedDelivery[]): void {
  const total = (name: string, help: string, value: (delivery: ObservedDelivery) => number): void => {
    new Counter({
      name,
      help,
      labelNames: ['sink'],
      registers: [registry],
      collect() {
        this.reset();
        for (const delivery of deliveries) this.inc({ sink: delivery.sink.name }, value(delivery));
      },
    });
  };
  total('dfi_event_sink_sent_total', 'Events that a sink has acknowledged', ({ sent }) => sent);
  total('dfi_event_sink_failures_total', 'Failures of a sink, each of which is retried', ({ failures }) => failures);
  new Gauge({
    name: 'dfi_event_sink_lag_blocks',
    help: 'Blocks that a sink is behind the log of events',
    labelNames: ['sink'],
    registers: [registry],
    collect() {
      for (const { sink, lag } of deliveries) this.set({ sink: sink.name }, lag);
    },
  });
}

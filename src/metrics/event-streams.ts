import { Gauge, type Registry } from 'prom-client';
import { count, tally, watch } from './gauge.js';

/** The part of the table of streams that metrics read. */
export interface ObservedStreams {
  readonly sent: number;
  readonly ended: Readonly<Record<string, number>>;
  all(): Iterable<{ readonly id: number; readonly transport: string; readonly reader: { readonly lag: number } }>;
}

/** Streams that are shown one by one: those furthest behind. */
const MAX_SHOWN = 20;

/** Metrics of the streams of events, read on scrape. */
export function observeStreams(registry: Registry, streams: ObservedStreams): void {
  watch(registry, 'dfi_event_streams_open', 'Streams of events that are open', () => [...streams.all()].length);
  count(registry, 'dfi_event_streams_sent_total', 'Events that clients of streams received', () => streams.sent);
  tally(registry, 'dfi_event_streams_ended_total', 'Streams of events that ended, by reason', 'reason', () => streams.ended);
  new Gauge({
    name: 'dfi_event_stream_lag_blocks',
    help: `Blocks that a stream of events is behind the log, of the ${MAX_SHOWN} streams furthest behind`,
    labelNames: ['stream', 'transport'],
    registers: [registry],
    collect() {
      this.reset();
      const lags = [...streams.all()].map(({ id, transport, reader }) => ({ id, transport, lag: reader.lag }));
      lags.sort((a, b) => b.lag - a.lag);
      for (const { id, transport, lag } of lags.slice(0, MAX_SHOWN)) this.set({ stream: String(id), transport }, lag);
    },
  });
}

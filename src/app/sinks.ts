import { TargetCursors } from '../events/target-cursors.js';
import { observeSinks } from '../metrics/event-sinks.js';
import type { Catalogue } from '../rpc/catalogue.js';
import { readFilter } from '../services/events/filter.js';
import type { EventsModules } from '../services/events/modules.js';
import { Delivery } from '../sinks/delivery.js';
import { KafkaSink } from '../sinks/kafka.js';
import { NatsSink } from '../sinks/nats.js';
import type { Sink } from '../sinks/sink.js';
import { Webhook } from '../sinks/webhook.js';
import type { Store } from '../storage/view.js';
import type { StartParts } from './parts.js';

/** Starts to send events to the sinks of the operator. @throws {NodeError} for unknown kinds */
export function startSinks(
  { config, log, lifecycle, registry }: StartParts,
  { modules, store, catalogue }: { readonly modules: EventsModules; readonly store: Store; readonly catalogue: Catalogue },
): void {
  const { kinds, webhooks, nats, kafka } = config.events;
  const sinks: Sink[] = [
    ...webhooks.map((options, i) => new Webhook(options, i + 1)),
    ...(nats ? [new NatsSink(nats)] : []),
    ...(kafka ? [new KafkaSink(kafka)] : []),
  ];
  if (sinks.length === 0) return;
  const limits = { owners: [], tokens: [], pools: [], vaults: [], wallets: [] };
  const test = readFilter({ kinds: [...kinds], ...limits }, modules.chain, () => true);
  const stream = catalogue.byName('subscribeevents');
  if (!stream) throw new Error('no operation subscribeevents');
  const write = async (message: object): Promise<string> => {
    const body = await stream.codec.write(message, undefined, 'document');
    return typeof body === 'string' ? body : Buffer.concat(body).toString();
  };
  const cursors = new TargetCursors(store);
  const deliveries = sinks.map((sink) => new Delivery(sink, { modules, cursors, test, write, log: log.child('events') }));
  for (const delivery of deliveries) delivery.start();
  lifecycle.onStop('sinks of events', async () => {
    await Promise.all(deliveries.map((delivery) => delivery.stop()));
  });
  observeSinks(registry, deliveries);
}

import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TargetCursors } from '../../src/events/target-cursors.js';
import { Delivery } from '../../src/sinks/delivery.js';
import type { Sink } from '../../src/sinks/sink.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { parseJson } from '../../src/util/json.js';
import { silentLogger } from '../../src/util/logger.js';
import { balancesOf, numbers } from '../event-numbers.js';
import { readRecording, recordings } from '../shared.js';
import { until } from '../until.js';
import { type Client, type Delivered, END, type EventNode, plain, startEventNode } from './event-fixture.js';
import { catalogue } from './gateway-fixture.js';

/** Recording whose blocks are delivered; undefined if it is not there. */
export const path = [...recordings('finance'), ...recordings('state')].find(
  (each) => basename(each, '.jsonl.gz') === 'feature_poolpair_liquidity',
);
const BLOCKS = 250;

/** Runs a recording with reorganisations, while a delivery to a sink is stopped and started again. */
export async function deliverAll(t: TestContext, makeSink: () => Sink, client: Client): Promise<EventNode> {
  const recording = readRecording(path as string);
  const node = await startEventNode(t, recording);
  const { chain, modules } = node;
  const cursors = new TargetCursors(new MemoryStore());
  const stream = catalogue().byName('subscribeevents');
  const write = async (message: object): Promise<string> => String(await stream?.codec.write(message, undefined, 'document'));
  const start = (): Delivery => {
    const parts = { modules, cursors, test: () => true, write, log: silentLogger, firstRetryMs: 1 };
    const delivery = new Delivery(makeSink(), parts);
    delivery.start();
    return delivery;
  };
  const random = numbers(5);
  let delivery = start();
  for (const step of recording.steps.filter((each) => 'hex' in each).slice(0, BLOCKS)) {
    node.submit(step);
    if (random() < 0.1 && chain.tip.height > 3) {
      const from = chain.entryAt(chain.tip.height - Math.floor(random() * 3));
      if (from) {
        chain.invalidate(from);
        chain.reconsider(from);
      }
    }
    if (random() < 0.3) await sleep(0);
    if (random() < 0.05) {
      await delivery.stop();
      delivery = start();
    }
  }
  modules.passing.add(modules.log.state().next, { kind: 'node', state: 'warning', text: END });
  await until(() => client.isDone, 'the sink has all events');
  await delivery.stop();
  assert.deepEqual(client.balances, balancesOf(chain));
  assert.ok(client.balances.size > 0);
  return node;
}

/** The event of a message. */
export function deliveredOf(json: string): Delivered {
  return (plain(parseJson(json)) as { event: Delivered }).event;
}

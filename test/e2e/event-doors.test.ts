import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatHash } from '../../src/primitives/hash.js';
import { EventReader } from '../../src/services/events/reader.js';
import { balancesOf, numbers } from '../event-numbers.js';
import { readRecording, recordings } from '../shared.js';
import { until } from '../until.js';
import { Client, type Door, END, type EventNode, startEventNode } from './event-fixture.js';

const path = [...recordings('finance'), ...recordings('state')].find(
  (each) => basename(each, '.jsonl.gz') === 'feature_poolpair_liquidity',
);
const BLOCKS = 300;

function blocksOf(recordingPath: string) {
  const recording = readRecording(recordingPath);
  const steps = recording.steps.filter((step) => 'hex' in step).slice(0, BLOCKS);
  return { recording, steps };
}

function startOf({ modules }: EventNode): string {
  return new EventReader(modules, () => true, '').cursor;
}

/** Lets a client come and go until it has seen the last event. */
async function follow(client: Client, door: Door, random: () => number): Promise<void> {
  while (!client.isDone) {
    await door(client.cursor, (event) => client.apply(event) && random() > 0.02);
    if (random() < 0.3) await sleep(1);
  }
}

test('clients of all doors that come and go know the balances of the node, through reorganisations', { skip: !path }, async (t) => {
  const { recording, steps } = blocksOf(path as string);
  const node = await startEventNode(t, recording);
  const { chain, modules } = node;
  const random = numbers(11);
  const start = startOf(node);
  const clients = Object.entries(node.doors).map(([name, door], i) => ({ client: new Client(name, start), door, random: numbers(i + 1) }));
  const done = Promise.all(clients.map((each) => follow(each.client, each.door, each.random)));
  let undone = 0;
  for (const step of steps) {
    node.submit(step);
    if (random() < 0.1 && chain.tip.height > 3) {
      const depth = 1 + Math.floor(random() * 3);
      const from = chain.entryAt(chain.tip.height - depth + 1);
      if (from) {
        chain.invalidate(from);
        chain.reconsider(from);
        undone += depth;
      }
    }
    if (random() < 0.3) await sleep(0);
  }
  const { next } = modules.log.state();
  modules.passing.add(next, { kind: 'node', state: 'progress', work: { work: 'pruning blocks', percent: 100, isOver: true } });
  modules.passing.add(next, { kind: 'node', state: 'warning', text: END });
  await done;
  assert.ok(undone > 10, 'no block was disconnected');
  const expected = balancesOf(chain);
  assert.ok(expected.size > 0);
  const [first] = clients;
  for (const { client } of clients) {
    assert.deepEqual(client.balances, expected, client.name);
    assert.equal(client.tip, formatHash(chain.tip.hash));
    assert.deepEqual(client.cursors, first?.client.cursors, `${client.name} saw other events`);
  }
  await until(() => [...modules.streams.all()].length === 0, 'all streams are closed');
  assert.ok(modules.streams.sent > 0);
});

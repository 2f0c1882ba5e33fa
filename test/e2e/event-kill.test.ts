import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ChannelCredentials } from '@grpc/grpc-js';
import { EventsServiceClient } from '../../gen/ts/dfi/events/v1/events.js';
import { parseJson } from '../../src/util/json.js';
import { Daemon } from '../daemon.js';
import { balancesOf, numbers } from '../event-numbers.js';
import { readRecording } from '../shared.js';
import { until } from '../until.js';
import { deliveredOf, path } from './event-delivery.js';
import { Client, type Delivered, doorsOf, plain, startEventNode } from './event-fixture.js';
import { KafkaBroker } from './kafka-broker.js';

/** Unclean shutdowns in this run; each costs a start of the daemon. */
const KILLS = Number(process.env.EVENT_KILLS ?? 1);
/** Blocks before the first kill; later ones change balances. */
const EARLY_BLOCKS = 150;
/** Longest time from the submission of a block to the kill. */
const MAX_DELAY_MS = 30;

const random = numbers(Number(process.env.EVENT_SEED ?? 17));

/** A daemon, with the clients of its gRPC port that changes with each start. */
class Node {
  readonly daemon: Daemon;
  isOver = false;
  #grpc: EventsServiceClient | undefined;

  constructor(flags: readonly string[]) {
    this.daemon = new Daemon(flags);
  }

  /** Asked before each request. @throws {Error} once the test is over, which ends those who try again for ever */
  get login(): string {
    if (this.isOver) throw new Error('the test is over');
    return 'user:password';
  }

  get port(): number {
    return this.daemon.rpcPort;
  }

  get grpc(): EventsServiceClient {
    this.#grpc ??= new EventsServiceClient(`127.0.0.1:${this.daemon.grpcPort}`, ChannelCredentials.createInsecure());
    return this.#grpc;
  }

  async start(): Promise<void> {
    await this.daemon.start();
    this.#grpc?.close();
    this.#grpc = undefined;
  }

  async destroy(): Promise<void> {
    this.isOver = true;
    this.#grpc?.close();
    await this.daemon.destroy();
  }
}

/** Receives webhooks. @returns the address */
async function webhookFor(t: TestContext, client: Client): Promise<string> {
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += String(part);
    for (const { event } of plain(parseJson(body)) as { event: Delivered }[]) client.apply(event);
    res.end();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Events of blocks, which outlive the run of a node. */
function stored({ ids }: Client): string[] {
  return [...ids].filter((id) => /^\d+-\d+-/.test(id));
}

test('readers and sinks of a node that is killed miss no event of a block and get none twice', { skip: !path }, async (t) => {
  const recording = readRecording(path as string);
  const steps = recording.steps.filter((step) => 'hex' in step);
  const sinks = [new Client('webhook', '', true), new Client('kafka', '', true)] as const;
  const broker = new KafkaBroker(() => 'none');
  const kafkaPort = await broker.start(t);
  const webhook = await webhookFor(t, sinks[0]);
  const feed = setInterval(() => {
    for (const { value } of broker.stored.splice(0)) sinks[1].apply(deliveredOf(value));
  }, 5);
  const targets = [`-eventwebhook=${webhook}`, '-eventwebhookkey=key', `-eventkafka=kafka://127.0.0.1:${kafkaPort}`];
  const node = new Node([...recording.header.flags, ...targets]);
  t.after(async () => {
    clearInterval(feed);
    await node.destroy();
  });
  const { daemon } = node;
  await node.start();
  const { cursor } = (await daemon.ask('getevents')) as { cursor: string };
  const readers = Object.entries(doorsOf(node)).map(([name, door]) => ({ client: new Client(name, cursor), door }));
  const clients = [...sinks, ...readers.map(({ client }) => client)];
  const done = Promise.all(
    readers.map(async ({ client, door }) => {
      while (!node.isOver) {
        await door(client.cursor, (event) => !node.isOver && client.apply(event) && random() > 0.01).catch((error: unknown) => {
          if (error instanceof assert.AssertionError) throw error;
        });
        await sleep(5);
      }
    }),
  );
  // Awaited at the end.
  done.catch(() => {});

  let [next, invalid] = [0, ''];
  /** Imports blocks, and disconnects some now and then. @param onBlock called after each */
  const run = async (onBlock: () => void = () => {}): Promise<void> => {
    if (invalid !== '') await daemon.ask('reconsiderblock', invalid);
    next = Number(await daemon.ask('getblockcount'));
    for (let step = steps[next]; step; step = steps[next]) {
      await daemon.ask('setmocktime', step.time);
      await daemon.ask('submitblock', step.hex);
      next += 1;
      onBlock();
      if (next > EARLY_BLOCKS && random() < 0.3) {
        invalid = String(await daemon.ask('getblockhash', next - Math.floor(random() * 3)));
        await daemon.ask('invalidateblock', invalid);
        await daemon.ask('reconsiderblock', invalid);
      }
    }
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const height = EARLY_BLOCKS + Math.floor(((steps.length - EARLY_BLOCKS) * (kill + random())) / KILLS);
    let killed: Promise<unknown> | undefined;
    const submitted = run(() => {
      if (next >= height) killed ??= sleep(random() * MAX_DELAY_MS).then(() => daemon.end('SIGKILL'));
    });
    await submitted.catch((error: unknown) => {
      if (!killed) throw error;
    });
    await killed;
    await node.start();
  }
  await run();

  const undisturbed = await startEventNode(t, recording);
  for (const step of steps) undisturbed.submit(step);
  const expected = balancesOf(undisturbed.chain);
  const tip = await daemon.ask('getbestblockhash');
  const counts = (): number[] => clients.map((client) => stored(client).length);
  await until(
    () => clients.every((client) => client.tip === tip && isDeepStrictEqual(client.balances, expected)) && new Set(counts()).size === 1,
    'all have the events of the last block',
  );
  await node.destroy();
  await done;
  const [first] = clients;
  assert.ok(expected.size > 0 && stored(first as Client).length > steps.length);
  for (const client of clients) {
    assert.deepEqual(client.balances, expected, client.name);
    assert.deepEqual(stored(client), stored(first as Client), `${client.name} saw other events`);
  }
});

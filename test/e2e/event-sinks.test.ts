import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TargetCursors } from '../../src/events/target-cursors.js';
import { Delivery } from '../../src/sinks/delivery.js';
import { NatsSink } from '../../src/sinks/nats.js';
import { Webhook } from '../../src/sinks/webhook.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { parseJson } from '../../src/util/json.js';
import { silentLogger } from '../../src/util/logger.js';
import { freePort } from '../daemon.js';
import { numbers } from '../event-numbers.js';
import { readRecording } from '../shared.js';
import { until } from '../until.js';
import { deliverAll, deliveredOf, path } from './event-delivery.js';
import { Client, type Delivered, plain, startEventNode } from './event-fixture.js';

const SECRET = 'secret of the test';

/** A server that calls `answer` with the body of each request, and replies with its status. */
async function receiver(t: TestContext, answer: (req: IncomingMessage, body: string) => number | undefined): Promise<string> {
  const server: Server = createServer(async (req, res) => {
    let body = '';
    for await (const part of req) body += String(part);
    const code = answer(req, body);
    if (code === undefined) req.socket.destroy();
    else res.writeHead(code, code === 302 ? { location: '/elsewhere' } : {}).end('answers are not read');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close().closeAllConnections());
  return `http://user:pass@127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

function isSigned({ headers }: IncomingMessage, body: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`;
}

test('a webhook gets every event, although it fails, redirects and is started again', { skip: !path }, async (t) => {
  const client = new Client('webhook', '', true);
  const random = numbers(3);
  const url = await receiver(t, (req, body) => {
    assert.equal(req.url, '/hook', 'a redirect was followed');
    assert.ok(isSigned(req, body), 'bad signature');
    assert.equal(req.headers.authorization, `Basic ${Buffer.from('user:pass').toString('base64')}`);
    const luck = random();
    if (luck < 0.05) return 500;
    if (luck < 0.1) return 302;
    if (luck < 0.15) return undefined;
    for (const message of plain(parseJson(body)) as { event: Delivered }[]) client.apply(message.event);
    // The sender does not see that this batch was processed.
    return luck < 0.2 ? undefined : 200;
  });
  await deliverAll(t, () => new Webhook({ url, secret: SECRET }, 1), client);
});

test('a webhook that cannot be reached is reported with the reason', async () => {
  const sink = new Webhook({ url: `http://user:pass@127.0.0.1:${await freePort()}/hook/key`, secret: SECRET }, 1);
  const sent = sink.publish([{ id: '1', cursor: '1', kind: 'block', json: '{}' }], new AbortController().signal);
  await assert.rejects(sent, /^Error: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
});

test('long events are posted in several requests, each signed', async (t) => {
  const bodies: string[] = [];
  const url = await receiver(t, (req, body) => {
    assert.ok(isSigned(req, body), 'bad signature');
    bodies.push(body);
    return 200;
  });
  const json = (name: string, length: number) => JSON.stringify({ name, data: 'x'.repeat(length) });
  const lengths = [10, 200_000, 60_000, 60_000, 2_000_000, 10];
  const messages = lengths.map((length, i) => ({ id: `${i}`, cursor: `${i}`, kind: 'evm_log', json: json(`${i}`, length) }));
  await new Webhook({ url, secret: SECRET }, 1).publish(messages, new AbortController().signal);
  const names = bodies.map((body) => (JSON.parse(body) as { name: string }[]).map(({ name }) => name));
  assert.deepEqual(names, [['0', '1', '2'], ['3'], ['4'], ['5']]);
});

test('the stop of the node does not wait for a server of NATS that says nothing', async (t) => {
  const silent = createTcpServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.close());
  const sink = new NatsSink({ url: `nats://127.0.0.1:${(silent.address() as AddressInfo).port}`, subject: 'dfi' });
  const [stopping, connected] = [new AbortController(), once(silent, 'connection')];
  const sent = sink.publish([{ id: '1', cursor: '1', kind: 'block', json: '{}' }], stopping.signal);
  const [socket] = (await connected) as [Socket];
  stopping.abort(new Error('stopping'));
  await assert.rejects(sent, /stopping/);
  socket.destroy();
});

test('nothing is published to NATS while an event is too long for the server', async (t) => {
  let received = '';
  const server = createTcpServer((socket) => {
    t.after(() => socket.destroy());
    socket.write('INFO {"server_id":"A","version":"2.10.0","headers":true,"max_payload":1000,"proto":1}\r\n');
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (data.includes('PING')) socket.write('PONG\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const sink = new NatsSink({ url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`, subject: 'dfi' });
  const publish = (...lengths: readonly number[]) => {
    const messages = lengths.map((length, i) => ({ id: `${i}`, cursor: `${i}`, kind: 'block', json: 'x'.repeat(length) }));
    return sink.publish(messages, AbortSignal.timeout(5_000));
  };
  await assert.rejects(publish(10, 990), /an event takes 1118 bytes, and max_payload of the server is 1000/);
  assert.doesNotMatch(received, /PUB/);
  const sent = publish(10, 800).catch(() => undefined);
  await until(() => received.match(/HPUB dfi\.block/g)?.length === 2, 'both are sent', 5_000);
  await sink.close();
  await sent;
});

test('the lag of a delivery counts the blocks that its sink has not acknowledged', { skip: !path }, async (t) => {
  const recording = readRecording(path as string);
  const node = await startEventNode(t, recording);
  let fails = true;
  const publish = async (): Promise<void> => {
    if (fails) throw new Error('down');
  };
  const parts = { modules: node.modules, cursors: new TargetCursors(new MemoryStore()), test: () => true, write: async () => '{}' };
  const sink = { name: 'sink', key: 'sink', publish, close: async () => {} };
  const delivery = new Delivery(sink, { ...parts, log: silentLogger, firstRetryMs: 1 });
  delivery.start();
  t.after(() => delivery.stop());
  const { next } = node.modules.log.state();
  for (const step of recording.steps.filter((each) => 'hex' in each).slice(0, 5)) node.submit(step);
  const blocks = node.modules.log.state().next - next;
  assert.equal(blocks, 5);
  for (const failures of [1, 2, 3]) {
    await until(() => delivery.failures >= failures, 'the sink fails');
    assert.equal(delivery.lag, blocks);
  }
  fails = false;
  await until(() => delivery.lag === 0, 'the sink has all events');
  assert.ok(delivery.sent >= blocks);
});

test('the name of a webhook has no secrets, and 410 ends its delivery', { skip: !path }, async (t) => {
  let calls = 0;
  const url = await receiver(t, () => {
    calls += 1;
    return 410;
  });
  const sink = new Webhook({ url, secret: `whsec_${Buffer.from(SECRET).toString('base64')}` }, 2);
  assert.match(sink.name, /^webhook 2 \(127\.0\.0\.1:\d+\)$/);
  assert.doesNotMatch(sink.key, /pass|hook\/|127/);
  const node = await startEventNode(t, readRecording(path as string));
  const parts = { modules: node.modules, cursors: new TargetCursors(new MemoryStore()), test: () => true, firstRetryMs: 1 };
  const delivery = new Delivery(sink, { ...parts, write: async () => '{}', log: silentLogger });
  delivery.start();
  for (const text of ['a', 'b']) {
    node.modules.passing.add(0, { kind: 'node', state: 'warning', text });
    await sleep(50);
  }
  await delivery.stop();
  assert.deepEqual([calls, delivery.sent, delivery.failures], [1, 0, 0]);
});

/** The parts of the client of NATS that a consumer uses. */
interface Nats {
  connect(options: object): Promise<{ close(): Promise<void> }>;
}
interface JetStream {
  jetstreamManager(connection: object): Promise<{ readonly streams: { add(options: object): Promise<unknown> } }>;
  jetstream(connection: object): { readonly consumers: { get(stream: string): Promise<{ consume(): Promise<AsyncIterable<Message>> }> } };
}
interface Message {
  ack(): void;
  string(): string;
}

const CLIENT = '@nats-io/transport-node';
const JETSTREAM = '@nats-io/jetstream';

/** A server of Debian's package nats-server, or that of the variable; undefined if there is none. */
const natsServer = [process.env.NATS_SERVER, 'nats-server'].find(
  (program) => program !== undefined && spawnSync(program, ['--version']).status === 0,
);
if (natsServer === undefined) console.log('no nats-server (NATS_SERVER): JetStream is not tested');

test('JetStream has every event once, although the sink is started again', { skip: !path || !natsServer }, async (t) => {
  const { connect } = (await import(CLIENT)) as Nats;
  const { jetstream, jetstreamManager } = (await import(JETSTREAM)) as JetStream;
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'dfi-nats-'));
  const server = spawn(natsServer as string, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', directory], { stdio: 'ignore' });
  t.after(async () => {
    server.kill();
    await new Promise((resolve) => server.once('exit', resolve));
    rmSync(directory, { recursive: true, force: true });
  });
  const connection = await connect({ servers: `127.0.0.1:${port}`, waitOnFirstConnect: true, reconnectTimeWait: 50 });
  t.after(() => connection.close());
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'dfi', subjects: ['dfi.events.>'] });
  const client = new Client('jetstream', '');
  const messages = await (await jetstream(connection).consumers.get('dfi')).consume();
  const consumed = (async () => {
    for await (const message of messages) {
      message.ack();
      if (!client.apply(deliveredOf(message.string()))) break;
    }
  })();
  await deliverAll(t, () => new NatsSink({ url: `nats://127.0.0.1:${port}`, subject: 'dfi.events' }), client);
  await consumed;
});

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKafkaClient, type Client as KafkaClient, saslPlain } from 'kafka-ts';
import { KafkaSink } from '../../src/sinks/kafka.js';
import { freePort } from '../daemon.js';
import { numbers } from '../event-numbers.js';
import { deliverAll, deliveredOf, path } from './event-delivery.js';
import { Client } from './event-fixture.js';
import { KafkaBroker, type Stored } from './kafka-broker.js';

const TOPIC = 'dfi.events';

function applyAll(client: Client, messages: readonly Stored[]): void {
  for (const { key, value, headers } of messages) {
    const event = deliveredOf(value);
    assert.deepEqual([key, headers.cursor], [event.id, event.cursor]);
    assert.ok(headers.kind !== undefined && headers.kind !== '');
    client.apply(event);
  }
}

test('the messages of a producer of Kafka are all events in order, although connections are cut', { skip: !path }, async (t) => {
  const random = numbers(7);
  const broker = new KafkaBroker(() => {
    const luck = random();
    return luck < 0.03 ? 'lost' : luck < 0.06 ? 'refused' : 'none';
  });
  const port = await broker.start(t);
  const client = new Client('kafka', '', true);
  const feed = setInterval(() => applyAll(client, broker.stored.splice(0)), 5);
  t.after(() => clearInterval(feed));
  const brokers = [{ host: '127.0.0.1', port }];
  await deliverAll(t, () => new KafkaSink({ brokers, hasTls: false, login: undefined, topic: TOPIC }), client);
});

/** Directory with the packages of a broker of Kafka, such as `libs` of a release. */
const libraries = process.env.KAFKA_LIBS;
const hasBroker = libraries !== undefined && spawnSync('java', ['-version']).status === 0;
if (!hasBroker) console.log('no broker of Kafka (KAFKA_LIBS): only its protocol is tested');

/** Starts a broker with a login. @returns its port */
async function startBroker(t: TestContext): Promise<number> {
  const [port, controllerPort] = [await freePort(), await freePort()];
  const directory = mkdtempSync(join(tmpdir(), 'dfi-kafka-'));
  const settings = [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=SASL_PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=SASL_PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT',
    'inter.broker.listener.name=SASL_PLAINTEXT',
    'sasl.enabled.mechanisms=PLAIN',
    'sasl.mechanism.inter.broker.protocol=PLAIN',
    'listener.name.sasl_plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ' +
      'username="dfi" password="secret" user_dfi="secret";',
    `log.dirs=${join(directory, 'data')}`,
    'offsets.topic.replication.factor=1',
  ];
  const file = join(directory, 'server.properties');
  writeFileSync(file, settings.join('\n'));
  const java = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-cp', join(libraries as string, '*')];
  spawnSync('java', [...java, 'kafka.tools.StorageTool', 'format', '-t', 'AAAAAAAAQACAAAAAAAAAAA', '-c', file]);
  const server = spawn('java', [...java, 'kafka.Kafka', file], { stdio: 'ignore' });
  t.after(async () => {
    server.kill('SIGKILL');
    await new Promise((resolve) => server.once('exit', resolve));
    rmSync(directory, { recursive: true, force: true });
  });
  return port;
}

/** Waits for the broker. */
async function untilReady(kafka: KafkaClient): Promise<void> {
  for (;;) {
    const producer = kafka.createProducer({ allowTopicAutoCreation: true, maxRetries: 0 });
    const isReady = await producer.send([{ topic: 'ready', value: '' }]).then(
      () => true,
      () => false,
    );
    await producer.close();
    if (isReady) return;
    await sleep(100);
  }
}

test('a topic of Kafka has every event, although the sink is started again', { skip: !path || !hasBroker }, async (t) => {
  const port = await startBroker(t);
  const login = { username: 'dfi', password: 'secret' };
  const kafka = createKafkaClient({ bootstrapServers: [{ host: '127.0.0.1', port }], sasl: saslPlain(login) });
  await untilReady(kafka);
  const client = new Client('kafka', '', true);
  const consumer = await kafka.startConsumer({
    topics: [TOPIC],
    fromBeginning: true,
    allowTopicAutoCreation: true,
    onBatch: (messages) => {
      applyAll(
        client,
        messages.map(({ key, value, headers }) => ({ key: key ?? '', value: value ?? '', headers })),
      );
    },
  });
  t.after(() => consumer.close());
  const options = { brokers: [{ host: '127.0.0.1', port }], hasTls: false, login: { ...login, mechanism: 'plain' as const }, topic: TOPIC };
  await deliverAll(t, () => new KafkaSink(options), client);
});

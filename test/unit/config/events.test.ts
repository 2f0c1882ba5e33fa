import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './support.js';

test('webhooks need a key, addresses a known protocol, and errors contain no address', () => {
  const { config } = load('', ['-regtest', '-eventwebhook=https://a/b', '-eventwebhookkey=k', '-eventkinds=block, price']);
  const others = { nats: undefined, kafka: undefined };
  assert.deepEqual(config.events, { kinds: ['block', 'price'], webhooks: [{ url: 'https://a/b', secret: 'k' }], ...others });
  const nats = load('', ['-regtest', '-eventnats=nats://u:p@host:4222']).config.events.nats;
  assert.deepEqual(nats, { url: 'nats://u:p@host:4222', subject: 'dfi.events' });
  const kafka = (...argv: readonly string[]) => load('', ['-regtest', ...argv]).config.events.kafka;
  assert.deepEqual(kafka('-eventkafka=kafka+ssl://u:p%40@host,[::1]:9093', '-eventkafkasasl=SCRAM-SHA-512', '-eventkafkatopic=t'), {
    brokers: [
      { host: 'host', port: 9092 },
      { host: '::1', port: 9093 },
    ],
    hasTls: true,
    login: { mechanism: 'scram-sha-512', username: 'u', password: 'p@' },
    topic: 't',
  });
  const plain = { brokers: [{ host: 'host', port: 1 }], hasTls: false, login: undefined, topic: 'dfi.events' };
  assert.deepEqual(kafka('-eventkafka=kafka://host:1/'), plain);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['-eventwebhook=https://a/b'], /^Error: -eventwebhook needs -eventwebhookkey$|needs -eventwebhookkey/],
    [['-eventwebhook=ftp://private', '-eventwebhookkey=k'], /needs an address that begins with http:\/\/ or https:\/\/$/],
    [['-eventnats=private'], /needs an address that begins with nats:\/\/ or tls:\/\/$/],
    [['-eventnats=nats://private', '-eventretention=0'], /need -eventretention$/],
    [['-eventkafka=kafka://private', '-eventretention=0'], /need -eventretention$/],
    [['-eventkafka=kafka://private', '-eventkafkasasl=x'], /must be one of plain, scram-sha-256, scram-sha-512$/],
    ...['private', 'nats://private', 'kafka://', 'kafka://private,', 'kafka://u:%private@a', 'kafka://private:a'].map(
      (address) => [[`-eventkafka=${address}`], /-eventkafka needs an address like/] as const,
    ),
  ];
  for (const [argv, text] of cases) {
    assert.throws(
      () => load('', ['-regtest', ...argv]),
      (error) => error instanceof Error && text.test(error.message) && !error.message.includes('private'),
    );
  }
});

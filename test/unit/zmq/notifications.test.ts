import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Subscriber } from 'zeromq';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { networkParams } from '../../../src/params/index.js';
import { block as blockCodec } from '../../../src/primitives/block.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { strippedBytes, type Transaction } from '../../../src/primitives/transaction.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { ZmqNotifications } from '../../../src/zmq/notifications.js';
import type { ZmqTopic } from '../../../src/zmq/notifier.js';
import { ZmqSocket } from '../../../src/zmq/socket.js';
import { freePort } from '../../daemon.js';
import { until } from '../../until.js';

const params = networkParams({ network: 'regtest' });
const TOPICS: readonly ZmqTopic[] = ['hashblock', 'hashtx', 'rawblock', 'rawtx'];

function address(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'zmq-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return `ipc://${join(directory, 'socket')}`;
}

/**
 * Subscribes to all topics.
 * @param probe publishes messages; called until one arrives, because a publisher learns of its subscribers some time after they connect
 * @returns the subscriber, and the number of probes, which have all arrived or are lost
 */
async function subscribe(t: TestContext, to: string, probe: () => void): Promise<{ subscriber: Subscriber; probes: number }> {
  const subscriber = new Subscriber({ receiveHighWaterMark: 0, receiveTimeout: 10_000 });
  t.after(() => subscriber.close());
  subscriber.connect(to);
  subscriber.subscribe();
  let probes = 0;
  const timer = setInterval(() => {
    probe();
    probes++;
  }, 20);
  const first = await subscriber.receive();
  clearInterval(timer);
  // Every probe ends with a message of the same topic.
  for (let last = first; counterOf(last) < probes - 1 || String(last[0]) === 'hashtx'; ) last = await subscriber.receive();
  return { subscriber, probes };
}

function counterOf(message: readonly (Buffer | undefined)[]): number {
  return (message[2] as Buffer).readUInt32LE();
}

async function receive(subscriber: Subscriber, count: number): Promise<[topic: string, body: string, counter: number][]> {
  const found: [string, string, number][] = [];
  while (found.length < count) {
    const message = (await subscriber.receive()) as Buffer[];
    found.push([String(message[0]), toHex(message[1] as Buffer), counterOf(message)]);
  }
  return found;
}

/** A transaction with a witness of one item. */
const TX = fromHex(
  `02000000${'0001'}${'01'}${'05'.repeat(32)}010000000151feffffff${'01'}a086010000000000016a${'01'}${'02'}abcd07000000`,
) as Uint8Array;

function fixture() {
  const { txFormat, genesis } = params;
  const raw = encode(blockCodec(txFormat), { ...genesis, transactions: [] });
  const bytes = Buffer.concat([raw.subarray(0, -1), Buffer.from([1]), TX]);
  const block = decode(blockCodec(txFormat), bytes);
  const chain = { params, block: () => block, rawBlock: () => bytes };
  return { chain, block, bytes, entry: { hash: block.hash } as BlockIndexEntry, tx: block.transactions[0] as Transaction };
}

for (const showsWitness of [true, false]) {
  test(`bodies and counters of each topic, ${showsWitness ? 'with' : 'without'} witnesses`, async (t) => {
    const { chain, block, bytes, entry, tx } = fixture();
    const at = address(t);
    const notifiers = TOPICS.map((topic) => ({ topic, address: at, highWaterMark: 10 }));
    const notifications = await ZmqNotifications.open(notifiers, { chain, showsWitness });
    t.after(() => notifications.close());
    const { subscriber, probes } = await subscribe(t, at, () => notifications.transaction(tx));
    notifications.transaction(tx);
    notifications.block(entry);
    notifications.transaction(tx);
    const id = toHex(Uint8Array.from(tx.txid).reverse());
    const rawTx = toHex(showsWitness ? TX : strippedBytes(tx, params.txFormat));
    assert.ok(rawTx.includes('abcd') === showsWitness);
    const rawBlock = toHex(bytes.subarray(0, bytes.length - TX.length)) + rawTx;
    assert.deepEqual(await receive(subscriber, 6), [
      ['hashtx', id, probes],
      ['rawtx', rawTx, probes],
      ['hashblock', toHex(Uint8Array.from(block.hash).reverse()), 0],
      ['rawblock', rawBlock, 0],
      ['hashtx', id, probes + 1],
      ['rawtx', rawTx, probes + 1],
    ]);
  });
}

test('all messages of a large block arrive in order, and a closed socket ignores more', async (t) => {
  const at = address(t);
  const socket = await ZmqSocket.open(at, 0);
  let next = 0;
  const send = () => {
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32LE(next++);
    socket.send([Buffer.from('rawtx'), Buffer.alloc(32), sequence]);
  };
  const { subscriber, probes } = await subscribe(t, at, send);
  const count = 20_000;
  for (let i = 0; i < count; i++) send();
  const sequences = (await receive(subscriber, count)).map(([, , sequence]) => sequence);
  assert.deepEqual(
    sequences,
    sequences.map((_, i) => probes + i),
  );
  for (let i = 0; i < 2_000; i++) send();
  socket.close();
  send();
});

test('an address that cannot be bound is an error that names it, and the sockets bound before are closed', async (t) => {
  const { chain } = fixture();
  const first = `tcp://127.0.0.1:${await freePort()}`;
  const wrong = ZmqNotifications.open(
    [
      { topic: 'hashblock', address: first, highWaterMark: 10 },
      { topic: 'rawtx', address: 'tcp:/127.0.0.1', highWaterMark: 10 },
    ],
    { chain, showsWitness: true },
  );
  await assert.rejects(wrong, { message: 'Unable to publish on tcp:/127.0.0.1 (-zmqpubrawtx): Invalid argument' });
  // The library closes sockets on a thread of its own.
  let again: ZmqSocket | undefined;
  await until(async () => {
    again = await ZmqSocket.open(first, 10).catch(() => undefined);
    return again !== undefined;
  }, 'the address is free again');
  t.after(() => again?.close());
  await assert.rejects(ZmqSocket.open(first, 10), { message: 'Address already in use' });
});

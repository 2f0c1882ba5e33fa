import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Subscriber } from 'zeromq';
import { toHex } from '../../src/util/bytes.js';
import { Daemon, freePort } from '../daemon.js';
import { FOUNDER, MockTimeMinting, OPERATOR, upgradedFlags } from '../regtest.js';

type Published = [topic: string, body: string];

test('blocks and transactions are published as they come and go', async (t) => {
  const address = `tcp://127.0.0.1:${await freePort()}`;
  const topics = ['hashblock', 'hashtx', 'rawblock', 'rawtx'];
  const node = new Daemon([...upgradedFlags(), '-fallbackfee=0.0002', ...topics.map((topic) => `-zmqpub${topic}=${address}`)]);
  t.after(() => node.destroy());
  await node.start(['-zmqpubrawtxhwm=0']);
  assert.deepEqual(
    await node.ask('getzmqnotifications'),
    topics.map((topic) => ({ type: `pub${topic}`, address, hwm: topic === 'rawtx' ? 0 : 1000 })),
  );
  const subscriber = new Subscriber({ receiveTimeout: 20_000 });
  t.after(() => subscriber.close());
  subscriber.connect(address);
  subscriber.subscribe();

  const receive = async (count: number): Promise<Published[]> => {
    const found: Published[] = [];
    while (found.length < count) {
      const [topic, body] = (await subscriber.receive()) as [Buffer, Buffer];
      found.push([String(topic), toHex(body)]);
    }
    return found;
  };
  const clock = new MockTimeMinting((seconds) => node.ask('setmocktime', seconds));
  const mint = async (blocks = 1): Promise<string> => {
    await clock.mint(blocks, (count) => node.ask('generatetoaddress', count, FOUNDER.address));
    return (await node.ask('getbestblockhash')) as string;
  };
  const txOf = async (id: string, block: string): Promise<Published[]> => [
    ['hashtx', id],
    ['rawtx', (await node.ask('getrawtransaction', id, 0, block)) as string],
  ];
  const idsOf = async (block: string) => ((await node.ask('getblock', block)) as { tx: string[] }).tx;

  for (const { key } of [FOUNDER, OPERATOR]) await node.ask('importprivkey', key);
  // The coins of the first blocks can be spent at height 101.
  await mint(101);
  // The publisher learns of its subscriber at some time during these blocks.
  let isHeard = false;
  const first = receive(1).then(() => {
    isHeard = true;
  });
  while (!isHeard) await mint();
  await first;
  const last = await mint();
  for (let found = ''; found !== last; ) found = (await receive(1))[0]?.[1] ?? '';
  assert.deepEqual(await receive(1), [['rawblock', await node.ask('getblock', last, 0)]]);

  const payment = (await node.ask('sendtoaddress', OPERATOR.address, 1)) as string;
  const block = await mint();
  const pooled = await txOf(payment, block);
  const [coinbase] = (await idsOf(block)) as [string];
  const connected = [...(await txOf(coinbase, block)), ...pooled];
  const found: Published[] = [
    ['hashblock', block],
    ['rawblock', (await node.ask('getblock', block, 0)) as string],
  ];
  assert.deepEqual(await receive(8), [...pooled, ...connected, ...found]);

  // Only the transactions of a block that is disconnected are published, and once more those that return to the mempool.
  await node.ask('invalidateblock', block);
  assert.deepEqual(await receive(6), [...connected, ...pooled]);
  await node.ask('reconsiderblock', block);
  assert.deepEqual(await receive(6), [...connected, ...found]);
});

test('the node does not start if it cannot publish', async (t) => {
  const node = new Daemon(['-zmqpubhashtx=tcp://nowhere']);
  t.after(() => node.destroy());
  await assert.rejects(node.start(), /Unable to publish on tcp:\/\/nowhere \(-zmqpubhashtx\)/);
});

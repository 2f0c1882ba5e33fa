import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayHash } from '../../../src/ocean/index/keys.js';
import { networkParams } from '../../../src/params/index.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { formatHash, parseHash256 } from '../../../src/primitives/hash.js';
import { ownerText } from '../../../src/script/address.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { oceanNode } from './ask.js';
import { appoint, OWNER, PriceScene, remove, report, TIME, update } from './price-scene.js';

const id = (byte: number): string => byte.toString(16).padStart(2, '0').repeat(32);
const ADDRESS = ownerText(OWNER, networkParams({ network: 'regtest' }).address);

/** Blocks 0 to 5: three appointments, reports, an update and a removal. */
function scene(): PriceScene {
  const chain = new PriceScene();
  chain.add(TIME);
  chain.add(TIME + 10, appoint(0xa1, 10, 'TSLA-USD', 'BTC-USD'), appoint(0xa2, 20, 'BTC-USD'));
  chain.add(TIME + 20, appoint(0xa3, 0, 'BTC-EUR'), report(0xb1, 0xa1, TIME + 15, { 'BTC-USD': 1050 }));
  chain.add(TIME + 30, report(0xb2, 0xa1, TIME + 25, { 'BTC-USD': 2000, 'TSLA-USD': 1 }));
  chain.add(TIME + 40, update(0xc1, 0xa1, 15, 'ETH-USD', 'BTC-USD'));
  chain.add(TIME + 50, remove(0xc2, 0xa2));
  return chain;
}

const asker = (chain = scene()) => oceanNode({}, chain.modules);
const idsOf = (data: unknown, name = 'id') => (data as Record<string, unknown>[]).map((item) => item[name]);

test('Oracles are listed from the highest id, with the pairs in the order of the last message and its block', async () => {
  const ask = asker();
  const { data, page } = (await ask('oracles')).body;
  assert.deepEqual(data, [
    {
      id: id(0xa3),
      ownerAddress: ADDRESS,
      weightage: 0,
      priceFeeds: [{ token: 'BTC', currency: 'EUR' }],
      block: { hash: id(2), height: 2, time: TIME + 20, medianTime: TIME + 10 },
    },
    {
      id: id(0xa1),
      ownerAddress: ADDRESS,
      weightage: 15,
      priceFeeds: [
        { token: 'ETH', currency: 'USD' },
        { token: 'BTC', currency: 'USD' },
      ],
      block: { hash: id(4), height: 4, time: TIME + 40, medianTime: TIME + 20 },
    },
  ]);
  assert.equal(page, undefined);
});

test('A page of oracles begins below the token, and after the last there is an empty one', async () => {
  const ask = asker();
  const first = (await ask('oracles?size=1')).body;
  assert.deepEqual(first.page, { next: id(0xa3) });
  const second = (await ask(`oracles?size=1&next=${first.page?.next}`)).body;
  assert.deepEqual(idsOf(second.data), [id(0xa1)]);
  assert.deepEqual((await ask(`oracles?size=1&next=${second.page?.next}`)).body, { data: [] });
  // The oracle of the token was removed.
  assert.deepEqual(idsOf((await ask(`oracles?next=${id(0xa2)}`)).body.data), [id(0xa1)]);
  assert.equal((await ask('oracles?next=a3')).body.error?.message, 'Invalid next token');
});

test('An oracle is found by its address', async () => {
  const ask = asker();
  assert.equal(((await ask(`oracles/${ADDRESS}`)).body.data as { id: string }).id, id(0xa3));
  const unknown = await ask('oracles/nobody');
  assert.equal(unknown.status, 404);
  assert.equal(unknown.body.error?.message, 'Oracle not found for address nobody');
});

/** The newer report of the first oracle for BTC. */
const LAST_REPORT = {
  id: `BTC-USD-${id(0xa1)}-${id(0xb2)}`,
  key: `BTC-USD-${id(0xa1)}`,
  sort: `00000003${id(0xb2)}`,
  token: 'BTC',
  currency: 'USD',
  oracleId: id(0xa1),
  txid: id(0xb2),
  time: TIME + 25,
  amount: '20',
  block: { hash: id(3), height: 3, time: TIME + 30, medianTime: TIME + 20 },
};

test('The reports of an oracle are listed from the newest, and stay after an update and a removal', async () => {
  const ask = asker();
  const { data } = (await ask(`oracles/${id(0xa1)}/BTC-USD/feed`)).body;
  assert.deepEqual((data as unknown[])[0], LAST_REPORT);
  assert.deepEqual(idsOf(data, 'amount'), ['20', '10.5']);
  // The pair was dropped by the update.
  assert.deepEqual(idsOf((await ask(`oracles/${id(0xa1)}/TSLA-USD/feed`)).body.data, 'amount'), ['0.01']);
  assert.deepEqual((await ask(`oracles/${id(0xa2)}/BTC-USD/feed`)).body, { data: [] });
  assert.deepEqual((await ask('oracles/999/BTC-USD/feed')).body, { data: [] });
  const chain = scene();
  chain.add(TIME + 60, remove(0xc3, 0xa1));
  assert.deepEqual(idsOf((await asker(chain)(`oracles/${id(0xa1)}/BTC-USD/feed`)).body.data, 'amount'), ['20', '10.5']);
});

test('A page of reports begins below its cursor', async () => {
  const ask = asker();
  const first = (await ask(`oracles/${id(0xa1)}/BTC-USD/feed?size=1`)).body;
  assert.deepEqual(first.page, { next: `00000003${id(0xb2)}` });
  const second = (await ask(`oracles/${id(0xa1)}/BTC-USD/feed?size=1&next=${first.page?.next}`)).body;
  assert.deepEqual(idsOf(second.data, 'amount'), ['10.5']);
  for (const next of ['00000003', `00000003${id(0xb2)}00`, `0000000g${id(0xb2)}`]) {
    assert.equal((await ask(`oracles/${id(0xa1)}/BTC-USD/feed?next=${next}`)).status, 400, next);
  }
});

test('Oracles of a pair: an update drops those that it does not name, and a report from before it is still the last', async () => {
  const ask = asker();
  const { data } = (await ask('prices/BTC-USD/oracles')).body;
  assert.deepEqual(data, [
    {
      id: `BTC-USD-${id(0xa1)}`,
      key: 'BTC-USD',
      token: 'BTC',
      currency: 'USD',
      oracleId: id(0xa1),
      weightage: 15,
      feed: LAST_REPORT,
      block: { hash: id(4), height: 4, time: TIME + 40, medianTime: TIME + 20 },
    },
  ]);
  assert.deepEqual((await ask('prices/TSLA-USD/oracles')).body.data, []);
  const [eth] = (await ask('prices/ETH-USD/oracles')).body.data as object[];
  assert.ok(eth && !('feed' in eth));
});

test('The last report of a block is the one that the list shows first: that with the highest transaction id', async () => {
  const chain = scene();
  const reports = [0xd3, 0xd1].map((txid) => report(txid, 0xa1, TIME + 55, { 'BTC-USD': txid }));
  chain.add(TIME + 60, ...reports);
  const [oracle] = (await asker(chain)('prices/BTC-USD/oracles')).body.data as { feed: { txid: string } }[];
  assert.equal(oracle?.feed.txid, id(0xd3));
  const [first] = (await asker(chain)(`oracles/${id(0xa1)}/BTC-USD/feed`)).body.data as { txid: string }[];
  assert.equal(first?.txid, id(0xd3));
});

test('Symbols are cut as the rules cut them', async () => {
  const chain = new PriceScene();
  chain.add(TIME, appoint(1, 1, ' LONGTOKEN-USD'));
  const [oracle] = (await asker(chain)('oracles')).body.data as { priceFeeds: unknown }[];
  assert.deepEqual(oracle?.priceFeeds, [{ token: 'LONGTOKE', currency: 'USD' }]);
});

test('Blocks with oracles are undone exactly', () => {
  const chain = scene();
  const rows = chain.rows();
  chain.add(TIME + 60, remove(0xc3, 0xa1), remove(0xc4, 0xa3));
  assert.notDeepEqual(chain.rows(), rows);
  chain.takeAllBack();
});

test('Keys with hashes have the order of the texts that clients see', () => {
  const [low, high] = [`00${'ff'.repeat(31)}`, `01${'00'.repeat(31)}`];
  assert.equal(toHex(encode(displayHash, parseHash256(low))), low);
  assert.equal(formatHash(decode(displayHash, fromHex(high))), high);
});

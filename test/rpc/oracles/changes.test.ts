import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, type RefusalRow, testLocked, testRefusals } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const TXID = /^[0-9a-f]{64}$/;
const PAIRS = [
  { currency: 'USD', token: ' TSLA ' },
  { currency: 'EUR', token: 'GOLDENCHICKEN' },
];
let node: FounderNode;

before(async () => {
  node = await startFounderNode();
});
after(() => node.end());

test('an oracle is appointed, reports, is updated and removed', async () => {
  const { call, confirm, founder, clock } = node;
  const id = await confirm('appointoracle', [founder, PAIRS, 20]);
  assert.match(id, TXID);
  assert.deepEqual(await call('listoracles'), [id]);
  const data = await call('getoracledata', [id]);
  const feeds = [
    { token: 'GOLDENCH', currency: 'EUR' },
    { token: 'TSLA', currency: 'USD' },
  ];
  assert.deepEqual((data as { priceFeeds: unknown }).priceFeeds, feeds);
  const now = clock.seconds();
  const prices = [
    { currency: 'USD', tokenAmount: '1@TSLA' },
    { currency: 'USD', tokenAmount: '870.5@TSLA' },
  ];
  assert.match(await confirm('setoracledata', [id, now, prices]), TXID);
  assert.equal(await call('getprice', [{ token: 'TSLA', currency: 'USD' }]), 870.5);
  assert.match(await confirm('updateoracle', [id, founder, [PAIRS[1]], 7]), TXID);
  assert.equal(((await call('getoracledata', [id])) as { weightage: number }).weightage, 7);
  const notAllowed = `-32600 Test SetOracleDataTx execution failed:\ntoken <TSLA> - currency <USD> is not allowed`;
  assert.equal(await call('setoracledata', [id, now, [{ currency: 'USD', tokenAmount: '1@TSLA' }]]), notAllowed);
  assert.match(await confirm('removeoracle', [id]), TXID);
  assert.deepEqual(await call('listoracles'), []);
  assert.match(
    String(await call('removeoracle', [id])),
    /^-32600 Test RemoveOracleAppointTx execution failed:\noracle <[0-9a-f]+> not found$/,
  );
});

test('a price that does not exist is named as defid 3.2.8 formats it', async () => {
  const price = (id: string) => node.call('getfixedintervalprice', [id]);
  assert.equal(await price('A/USD'), '-5 fixedIntervalPrice with id <A/USD> not found');
  assert.equal(await price('A%%/USD'), '-5 fixedIntervalPrice with id <A%/USD> not found');
  assert.equal(await price('A%/USD'), '-1 tinyformat: Too many conversion specifiers in format string');
});

const other = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const unknown = 'ab'.repeat(32);
const refused: readonly RefusalRow[] = [
  ['appointoracle', ['nowhere', PAIRS, 20], '-5 recipient (nowhere) does not refer to any valid address'],
  ['appointoracle', [other, [{ token: 'TSLA' }], 20], '-8 currency is required field'],
  ['appointoracle', [other, [{ currency: 'USD', token: '' }], 20], '-8 token/currency is empty'],
  ['appointoracle', [other, [{ currency: {}, token: 'A' }], 20], '-8 token/currency is empty'],
  ['appointoracle', [other, [{ currency: 'USD', token: null }], 20], '-8 token/currency is empty'],
  ['appointoracle', [other, [5], 20], '-8 currency is required field'],
  ['appointoracle', [other, [['USD', 'A']], 20], '-8 currency is required field'],
  ['appointoracle', [other, PAIRS, 3_000_000_000], '-1 JSON integer out of range'],
  ['appointoracle', [other, PAIRS, 256], '-25 the weightage value is out of bounds'],
  ['appointoracle', [other, PAIRS, 1.5], '-1 JSON integer out of range'],
  ['appointoracle', [other, PAIRS, '20'], '-3 Expected type number, got string'],
  ['updateoracle', ['ab', other, PAIRS, 20], "-8 oracleid must be of length 64 (not 2, for 'ab')"],
  ['setoracledata', [unknown, 1, []], `-32600 oracle <${unknown}> not found`],
  ['setoracledata', [unknown, 1, [{ tokenAmount: '1@A' }]], '-8 currency is required field'],
  ['setoracledata', [unknown, 1, [{ currency: 'USD' }]], '-8 tokenAmount is required field'],
  ['setoracledata', [unknown, 1, [{ currency: 5, tokenAmount: '1@A' }]], `-32600 oracle <${unknown}> not found`],
  ['setoracledata', [unknown, 1, [{ currency: 'USD', tokenAmount: {} }]], '-22 Invalid amount'],
  ['setoracledata', [unknown, 1, [4294967295]], '-8 currency is required field'],
  ['setoracledata', [unknown, 1, [[]]], '-8 currency is required field'],
  ['setoracledata', [unknown, 1, [], [{ txid: unknown, vout: 'x' }]], `-32600 oracle <${unknown}> not found`],
  ['setoracledata', [unknown, 1, [{ currency: 'USD', tokenAmount: '0@A' }]], '-22 Amount out of range'],
  ['setoracledata', [unknown, 1, [{ currency: 'USD', tokenAmount: 'x@A' }]], '-22 Invalid amount'],
];

testRefusals(() => node, refused);

test('setoracledata: reports for an oracle of another key are refused', async () => {
  const { confirm, clock } = node;
  const id = await confirm('appointoracle', [other, PAIRS, 20]);
  const prices = [{ currency: 'USD', tokenAmount: '1@TSLA' }];
  const args = [id, clock.seconds(), prices];
  await assertRefused(node, { method: 'setoracledata', args, answer: `-5 Incorrect authorization for ${other}` });
});

testLocked(() => node, [['appointoracle', [other, PAIRS, 20]]]);

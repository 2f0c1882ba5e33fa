import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyByOwner } from '../../../src/dfi/accounts/history-columns.js';
import type { OceanModules } from '../../../src/ocean/modules.js';
import { networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { oceanNode } from './ask.js';
import { ADDRESS, SCRIPT } from './chain-world.js';

/** Place of a record, and the byte that its txid repeats. */
type Place = readonly [height: number, txn: number, txid: number];

const EVENT = 4_294_967_295;
const TRANSFER = 'B'.charCodeAt(0);

function record([height, txn, txid]: Place): string {
  const hash = Buffer.alloc(32, txid).toString('hex');
  return `{"owner":"${ADDRESS}","blockHeight":${height},"blockHash":"bb","blockTime":7,"type":"AccountToAccount","txn":${txn},"txid":"${hash}",
    "amounts":["-1.00000000@DFI"]}`;
}

/** A node whose state has these records, of which the transaction index knows those of the txids. */
function historyNode(places: readonly Place[], indexed: readonly number[] = [], isGone: (place: Place) => boolean = () => false) {
  const state = new Overlay(new MemoryStore());
  for (const [height, txn, txid] of places) {
    state.put(historyByOwner, { owner: SCRIPT, height, txn }, { txid: Buffer.alloc(32, txid), category: TRANSFER, differences: [] });
  }
  const getaccounthistory = (params: string): string => {
    const [, height = 0, txn = 0] = JSON.parse(params) as [string, number, number];
    const found = places.find((place) => place[0] === height >>> 0 && place[1] === txn >>> 0);
    return found && !isGone(found) ? record(found) : '{}';
  };
  const tip = { hash: new Uint8Array(32), height: 100 };
  const chain = { params: networkParams({ network: 'regtest' }), tip, state } as unknown as OceanModules['chain'];
  const find = (txid: Uint8Array) => {
    const place = places.find(([, , each]) => each === txid[0] && indexed.includes(each));
    return place && { blockHash: tip.hash, txid, position: place[1] };
  };
  return oceanNode({ getaccounthistory }, { chain, txIndex: { find } });
}

const PLACES: readonly Place[] = [
  [9, EVENT, 5],
  [9, 2, 1],
  [9, 0, 2],
  [8, EVENT, 6],
  [8, EVENT - 1, 6],
  [3, 1, 4],
];

async function listed(ask: ReturnType<typeof historyNode>, query: string) {
  const { body } = await ask(`address/${ADDRESS}/history?${query}`);
  return {
    places: (body.data as { block: { height: number }; txn: number }[]).map(({ block, txn }) => [block.height, txn]),
    next: body.page?.next,
  };
}

test('a record is shown with its block', async () => {
  const ask = historyNode(PLACES);
  assert.deepEqual((await ask(`address/${ADDRESS}/history/9/2`)).body.data, {
    owner: ADDRESS,
    txid: '01'.repeat(32),
    txn: 2,
    type: 'AccountToAccount',
    amounts: ['-1.00000000@DFI'],
    block: { height: 9, hash: 'bb', time: 7 },
  });
  assert.equal(((await ask(`address/${ADDRESS}/history/9/${EVENT}`)).body.data as { txn: number }).txn, EVENT);
});

test('the history of a text that is no address is refused', async () => {
  const { status, body } = await historyNode(PLACES)('address/nonsense/history');
  assert.deepEqual([status, body.error?.message], [400, 'InvalidDefiAddress']);
});

test('a text that the operation refuses is no address either', async () => {
  const ask = oceanNode({ getaccounthistory: { code: -5, message: 'recipient (nonsense) does not refer to any valid address' } });
  for (const path of ['history', 'history/9/1']) {
    const { status, body } = await ask(`address/nonsense/${path}`);
    assert.deepEqual([status, body.error?.message], [400, 'InvalidDefiAddress'], path);
  }
});

test('an unknown record is not found', async () => {
  const ask = historyNode(PLACES);
  for (const place of ['9/1', '10/0', '9/-1', '-1/0', `9/${2 ** 32 + 2}`]) {
    const { status, body } = await ask(`address/${ADDRESS}/history/${place}`);
    assert.deepEqual([status, body.error?.message], [404, 'Record not found']);
  }
  assert.equal((await ask(`address/${ADDRESS}/history/a/0`)).body.error?.message, 'Validation failed (numeric string is expected)');
});

test('the history is listed newest first, in pages that continue behind a record', async () => {
  for (const indexed of [[], [1, 2, 4]]) {
    const ask = historyNode(PLACES, indexed);
    assert.deepEqual(
      (await listed(ask, 'size=100')).places,
      PLACES.map(([height, txn]) => [height, txn]),
    );
    const first = await listed(ask, 'size=2');
    assert.deepEqual(first, {
      places: [
        [9, EVENT],
        [9, 2],
      ],
      next: `${'01'.repeat(32)}-AccountToAccount-9`,
    });
    const second = await listed(ask, `size=1&next=${first.next}`);
    assert.deepEqual(second, { places: [[9, 0]], next: `${'02'.repeat(32)}-AccountToAccount-9` });
    const third = await listed(ask, `size=1&next=${second.next}`);
    assert.deepEqual(third, { places: [[8, EVENT]], next: `${'06'.repeat(32)}-AccountToAccount-8-${EVENT}` });
    const fourth = await listed(ask, `size=1&next=${third.next}`);
    assert.deepEqual(fourth, { places: [[8, EVENT - 1]], next: `${'06'.repeat(32)}-AccountToAccount-8-${EVENT - 1}` });
    assert.deepEqual((await listed(ask, `size=1&next=${fourth.next}`)).places, [[3, 1]]);
  }
});

test('a page whose record does not exist any more continues below its block', async () => {
  const ask = historyNode(PLACES);
  assert.deepEqual((await listed(ask, `size=1&next=${formatHash(Buffer.alloc(32, 9))}-PoolSwap-9`)).places, [[8, EVENT]]);
  assert.deepEqual((await listed(ask, `next=${formatHash(Buffer.alloc(32, 9))}-PoolSwap-0`)).places, []);
});

test('a list for several accounts, and a cursor of no page, are refused', async () => {
  const ask = historyNode(PLACES);
  for (const word of ['mine', 'all']) {
    const { status, body } = await ask(`address/${word}/history`);
    assert.deepEqual([status, body.error?.message], [403, `${word} is not allowed`]);
  }
  for (const next of ['zz', '1-PoolSwap-9', `${'01'.repeat(32)}-PoolSwap-99999999999`, `${'01'.repeat(32)}-PoolSwap-9999999999`])
    assert.equal((await ask(`address/${ADDRESS}/history?next=${next}`)).body.error?.message, 'Invalid next token');
});

test('a page that lacks records of disconnected blocks leads to the next one', async () => {
  const ask = historyNode(PLACES, [1, 2, 4], ([height]) => height === 9);
  const first = await listed(ask, 'size=4');
  assert.deepEqual(first.places, [[8, EVENT]]);
  assert.ok(first.next);
  assert.deepEqual((await listed(ask, `size=4&next=${first.next}`)).places, [
    [8, EVENT - 1],
    [3, 1],
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexedBlock } from '../../../src/ocean/index/indexed-block.js';
import { addSwaps } from '../../../src/ocean/index/swaps.js';
import type { OceanModules } from '../../../src/ocean/modules.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { oceanNode } from './ask.js';
import { A_DFI, objectText, POOL_ANSWERS, poolText, TOKENS, USDT_DFI } from './pool-scene.js';
import { ALICE_ADDRESS, BOB, blockAt, ODD, swapTx, TIME } from './swap-blocks.js';

/** Node whose index has the blocks. */
function nodeWith(
  blocks: readonly IndexedBlock[],
  answers: Parameters<typeof oceanNode>[0] = POOL_ANSWERS,
  indexed = 200,
  tipHeight = () => 200,
) {
  const store = new MemoryStore();
  const view = new Overlay(store);
  for (const block of blocks) addSwaps(view, block);
  store.writeRows(view.rowChanges());
  const times = new Map(blocks.map(({ entry }) => [entry.height, entry.medianTimePast()]));
  const tip = { hash: new Uint8Array(32), height: 200 };
  const entryAt = (height: number) =>
    height > tipHeight()
      ? undefined
      : { hash: new Uint8Array(32).fill(height), height, time: 10 * height, medianTimePast: () => times.get(height) };
  const chain = { params: networkParams({ network: 'regtest' }), tip, entryAt } as unknown as OceanModules['chain'];
  return oceanNode(answers, { chain, rows: { view: store, position: { height: indexed, hash: tip.hash } } });
}

test('Swaps are listed newest first, and pages follow each other', async () => {
  const ask = nodeWith([blockAt(100, TIME, TIME, swapTx(1, {}), swapTx(300, { amountFrom: 1n })), blockAt(101, TIME, TIME, swapTx(2, {}))]);
  const first = (await ask('poolpairs/2/swaps?size=2')).body;
  assert.deepEqual(
    (first.data as { sort: string }[]).map(({ sort }) => sort),
    ['0000006500000002', '000000640000012c'],
  );
  assert.deepEqual(first.page, { next: '000000640000012c' });
  const second = (await ask('poolpairs/2/swaps?size=2&next=000000640000012c')).body;
  assert.deepEqual(second, {
    data: [
      {
        id: `2-${'01'.repeat(32)}`,
        sort: '0000006400000001',
        txid: '01'.repeat(32),
        txno: 1,
        poolPairId: '2',
        fromAmount: '25.00000000',
        fromTokenId: 1,
        block: { hash: '64'.repeat(32), height: 100, time: 1000, medianTime: TIME },
      },
    ],
  });
  assert.deepEqual((await ask('poolpairs/4/swaps')).body, { data: [] });
  assert.deepEqual((await ask('poolpairs/4294967298/swaps')).body, { data: [] });
  assert.equal((await ask('poolpairs/2/swaps?next=100')).body.error?.message, 'Invalid next token');
});

test('A verbose swap has both parties, what they paid and received, and the direction', async () => {
  const history = (params: string) => {
    assert.equal(params, `["${ALICE_ADDRESS}",100,1]`);
    return '{"owner":"x","amounts":["-25.00000000@A","1.00000000@A-DFI","39.99999999@DFI"]}';
  };
  const ask = nodeWith([blockAt(100, TIME, TIME, swapTx(1, {}))], { ...POOL_ANSWERS, getaccounthistory: history });
  const [swap] = (await ask('poolpairs/2/swaps/verbose')).body.data as Record<string, unknown>[];
  assert.deepEqual(swap?.from, { address: ALICE_ADDRESS, amount: '25.00000000', symbol: 'A', displaySymbol: 'dA' });
  assert.deepEqual(swap?.to, { address: ALICE_ADDRESS, amount: '39.99999999', symbol: 'DFI', displaySymbol: 'DFI' });
  assert.equal(swap?.type, 'SELL');
});

test('A verbose swap lacks a party without address, and a receiver without history', async () => {
  const answers = { ...POOL_ANSWERS, getaccounthistory: '{}' };
  const ask = nodeWith([blockAt(100, TIME, TIME, swapTx(1, { from: ODD, to: BOB, tokenFrom: 0, tokenTo: 1 }))], answers);
  const [swap] = (await ask('poolpairs/2/swaps/verbose')).body.data as Record<string, unknown>[];
  assert.deepEqual([swap?.from, swap?.to, swap?.type], [undefined, undefined, 'BUY']);
  const less = nodeWith([blockAt(100, TIME, TIME, swapTx(1, {}))], {
    ...POOL_ANSWERS,
    getaccounthistory: '{"amounts":["-1.00000000@DFI"]}',
  });
  assert.equal(((await less('poolpairs/2/swaps/verbose')).body.data as { to?: unknown }[])[0]?.to, undefined);
  const refused = { ...POOL_ANSWERS, getaccounthistory: { code: -32600, message: '-acindex is needed for account history' } };
  const without = nodeWith([blockAt(100, TIME, TIME, swapTx(1, {}))], refused);
  const [other] = (await without('poolpairs/2/swaps/verbose')).body.data as Record<string, unknown>[];
  assert.deepEqual([other?.type, other?.from === undefined, other?.to], ['SELL', false, undefined]);
});

test('Verbose swaps are answered although their blocks are disconnected meanwhile', async () => {
  const node = { isShort: false };
  const history = () => {
    node.isShort = true;
    return '{}';
  };
  const blocks = [blockAt(100, TIME, TIME, swapTx(1, {})), blockAt(101, TIME, TIME, swapTx(2, {}))];
  const ask = nodeWith(blocks, { ...POOL_ANSWERS, getaccounthistory: history }, 200, () => (node.isShort ? 99 : 200));
  const { status, body } = await ask('poolpairs/2/swaps/verbose');
  assert.deepEqual([status, (body.data as { block: { height: number } }[]).map(({ block }) => block.height)], [200, [101, 100]]);
});

test('Verbose pages have at most 20 swaps', async () => {
  const many = Array.from({ length: 25 }, (_, i) => swapTx(i + 1, { from: ODD, to: ODD }));
  const { data, page } = (await nodeWith([blockAt(100, TIME, TIME, ...many)])('poolpairs/2/swaps/verbose?size=100')).body;
  assert.deepEqual([(data as unknown[]).length, page], [20, { next: '0000006400000006' }]);
});

test('Sums of hours list empty hours too, from the creation of the pool on', async () => {
  // The pools were created at height 50, in the second hour.
  const blocks = [
    blockAt(0, 10, undefined),
    blockAt(40, 3600, 10),
    blockAt(50, 3700, 3600),
    blockAt(51, 7200, 3700, swapTx(1, { tokenFrom: 0, tokenTo: 3, amountFrom: 2_00000000n })),
    blockAt(52, 10_800, 7200),
  ];
  const ask = nodeWith(blocks);
  const { data, page } = (await ask('poolpairs/4/swaps/aggregate/3600')).body;
  assert.deepEqual(data, [
    bucket(10_800, 52, {}, 0),
    // DFI has no pool with DUSD, so it is worth nothing here.
    bucket(7200, 51, { 0: '2.00000000' }, 0),
    bucket(3600, 50, {}, 0, 3700),
  ]);
  assert.equal(page, undefined);
  const second = (await ask('poolpairs/4/swaps/aggregate/3600?size=1&next=10800')).body;
  assert.deepEqual([(second.data as { bucket: number }[])[0]?.bucket, second.page], [7200, { next: '7200' }]);
  assert.deepEqual((await ask('poolpairs/4/swaps/aggregate/3600?next=3600')).body, { data: [] });
  assert.deepEqual((await ask('poolpairs/4/swaps/aggregate/900')).body, { data: [] });
  assert.deepEqual((await ask('poolpairs/99/swaps/aggregate/3600')).body, { data: [] });
});

test('A pool has no sums while the index does not have its creation', async () => {
  const blocks = [blockAt(40, 3600, 0), blockAt(50, 3700, 3600)];
  const sumsOf = async (indexed: number) => (await nodeWith(blocks, POOL_ANSWERS, indexed)('poolpairs/4/swaps/aggregate/3600')).body.data;
  assert.deepEqual([await sumsOf(49), await sumsOf(50)], [[], [bucket(3600, 50, {}, 0, 3700)]]);
});

function bucket(start: number, height: number, amounts: Record<string, string>, usd: number, medianTime = start) {
  const hash = Buffer.alloc(32, height).toString('hex');
  return { id: `4-3600-${hash}`, key: '4-3600', bucket: start, aggregated: { amounts, usd }, block: { medianTime } };
}

test('Sums are worth what their tokens are worth now', async () => {
  const blocks = [
    blockAt(0, 10, undefined),
    blockAt(50, 3600, 10),
    blockAt(51, 3700, 3600, swapTx(1, { tokenFrom: 3, tokenTo: 0 }), swapTx(2, {})),
  ];
  const answers = { ...POOL_ANSWERS, listpoolpairs: objectText({ 2: poolText(A_DFI), 4: poolText(USDT_DFI) }), listtokens: TOKENS };
  const usdOf = async (pool: number) => {
    const { data } = (await nodeWith(blocks, answers)(`poolpairs/${pool}/swaps/aggregate/86400`)).body;
    return (data as { aggregated: { usd: number } }[]).map(({ aggregated }) => aggregated.usd);
  };
  // 25 USDT, and 25 A of 2 DFI at 2.31... USD.
  assert.deepEqual([await usdOf(4), await usdOf(2)], [[25], [115.87139646909264]]);
});

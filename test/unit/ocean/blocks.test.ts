import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { oceanNode } from './ask.js';
import { oceanChain, payAddress, txidOf } from './chain-world.js';

type Shown = { readonly height: number; readonly hash: string }[];

test('blocks are listed from the tip down; a token that is no height is ignored', async () => {
  const { ask, stop } = await oceanChain();
  const heights = async (query: string) => ((await ask(`blocks?${query}`)).body.data as Shown).map(({ height }) => height);
  assert.deepEqual(await heights('size=3'), [102, 101, 100]);
  assert.deepEqual(await heights('size=2&next=100'), [99, 98]);
  assert.deepEqual(await heights('size=2&next=abc'), [102, 101]);
  assert.deepEqual(await heights('size=2&next=1000'), [102, 101]);
  assert.deepEqual(await heights('size=2&next=1'), [0]);
  assert.deepEqual(await heights('next=0'), []);
  assert.equal((await heights('size=250')).length, 103);
  assert.deepEqual((await ask('blocks?size=3')).body.page, { next: '100' });
  stop();
});

test('a block has the facts of its header, its sizes and its reward, without the index too', async () => {
  const { ask, chain, stop } = await oceanChain();
  const { tip } = chain;
  const header = chain.header(tip);
  const expected = {
    id: formatHash(tip.hash),
    hash: formatHash(tip.hash),
    previousHash: formatHash(tip.parent?.hash as Uint8Array),
    height: 102,
    version: header.version,
    time: tip.time,
    medianTime: tip.medianTimePast(),
    transactionCount: 1,
    difficulty: 4.656542373906925e-10,
    minterBlockCount: 1,
    reward: '50.00000000',
    stakeModifier: '0'.repeat(64),
    merkleroot: formatHash(header.merkleRoot),
    size: 192,
    sizeStripped: 192,
    weight: 768,
  };
  assert.deepEqual((await ask('blocks/102')).body.data, expected);
  const withoutIndex = oceanNode({}, { chain, rows: { view: new MemoryStore(), position: undefined } });
  assert.deepEqual((await withoutIndex('blocks/102')).body.data, expected);
  assert.deepEqual((await withoutIndex('blocks/highest')).body, {});
  assert.deepEqual((await ask('blocks/highest')).body.data, expected);
  stop();
});

test('the genesis block has no block before it, and no masternode', async () => {
  const { ask, stop } = await oceanChain();
  const block = (await ask('blocks/0')).body.data as object;
  assert.deepEqual(
    ['previousHash', 'masternode', 'minter'].filter((name) => name in block),
    [],
  );
  stop();
});

test('a block is found by height or hash on the active chain alone', async () => {
  const { ask, chain, stop } = await oceanChain();
  const hash = formatHash(chain.tip.hash);
  assert.equal(((await ask(`blocks/${hash}`)).body.data as { height: number }).height, 102);
  for (const id of ['103', '-1', 'zz', '1'.repeat(64), '9'.repeat(20)]) assert.deepEqual((await ask(`blocks/${id}`)).body, {});
  chain.invalidate(chain.tip);
  assert.deepEqual((await ask(`blocks/${hash}`)).body, {});
  assert.deepEqual((await ask(`blocks/${hash}/transactions`)).body, { data: [] });
  assert.equal(((await ask('blocks/highest')).body.data as { height: number }).height, 101);
  stop();
});

test('transactions of a block are listed in its order', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 500n);
  const hash = formatHash(world.chain.tip.hash);
  const shown = async (path: string) => ((await world.ask(path)).body.data as { order: number; txid: string }[]).map(({ order }) => order);
  assert.deepEqual(await shown(`blocks/${hash}/transactions`), [0, 1]);
  const first = await world.ask(`blocks/${hash}/transactions?size=1`);
  assert.deepEqual(first.body.page, { next: '0' });
  const second = await world.ask(`blocks/${hash}/transactions?size=1&next=0`);
  assert.equal((second.body.data as { txid: string }[])[0]?.txid, txidOf(paid));
  assert.deepEqual(await shown(`blocks/${hash}/transactions?next=1`), []);
  for (const id of ['103', 'zz', '0'.repeat(64)]) assert.deepEqual(await shown(`blocks/${id}/transactions`), []);
  world.stop();
});

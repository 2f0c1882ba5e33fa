import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { toHex } from '../../../src/util/bytes.js';
import { oceanChain, payAddress, SCRIPT, spendFromAddress, txidOf } from './chain-world.js';

test('a confirmed transaction has its place, sizes and counts', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 500n, 600n);
  const { tip } = world.chain;
  assert.deepEqual((await world.ask(`transactions/${txidOf(paid)}`)).body.data, {
    id: txidOf(paid),
    txid: txidOf(paid),
    order: 1,
    block: { hash: formatHash(tip.hash), height: 103, time: tip.time, medianTime: tip.medianTimePast() },
    hash: txidOf(paid),
    version: 4,
    size: 117,
    vSize: 117,
    weight: 468,
    lockTime: 0,
    vinCount: 1,
    voutCount: 2,
    totalVoutValue: '0.00001100',
  });
  world.stop();
});

test('unknown, malformed and disconnected transactions are not found, and have no inputs and outputs', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 500n);
  world.chain.invalidate(world.chain.tip);
  for (const txid of [txidOf(paid), '0'.repeat(64), 'zz']) {
    const { status, body } = await world.ask(`transactions/${txid}`);
    assert.deepEqual([status, body.error?.message], [404, 'transaction not found']);
    assert.deepEqual((await world.ask(`transactions/${txid}/vins?next=100`)).body, { data: [] });
    assert.deepEqual((await world.ask(`transactions/${txid}/vouts`)).body, { data: [] });
  }
  world.stop();
});

test('transactions of the genesis block are found', async () => {
  const { ask, stop } = await oceanChain();
  const [first] = networkParams({ network: 'regtest', dummyPos: true }).genesis.transactions;
  const { body } = await ask(`transactions/${formatHash(first?.txid as Uint8Array)}`);
  assert.equal((body.data as { block: { height: number } }).block.height, 0);
  stop();
});

test('inputs are listed by the ids of the outputs that they spend', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 500n, 600n, 700n);
  const spender = txidOf(spendFromAddress(world, paid, 2, 0, 1));
  const idOf = (n: number) => `${spender}${txidOf(paid)}0000000${n}`;
  const first = await world.ask(`transactions/${spender}/vins?size=2`);
  assert.deepEqual(
    (first.body.data as { id: string }[]).map(({ id }) => id),
    [idOf(0), idOf(1)],
  );
  assert.deepEqual(first.body.page, { next: idOf(1) });
  const second = await world.ask(`transactions/${spender}/vins?size=2&next=${idOf(1)}`);
  assert.deepEqual(second.body.data, [
    {
      id: idOf(2),
      txid: spender,
      vout: { id: `${txidOf(paid)}00000002`, txid: txidOf(paid), n: 2, value: '0.00000700', tokenId: 0, script: { hex: toHex(SCRIPT) } },
      script: { hex: '0151' },
      sequence: 0xffffffff,
    },
  ]);
  world.stop();
});

test('a coinbase has one input; the token of an output before version 4 is absent where it is spent', async () => {
  const world = await oceanChain();
  const [coinbase] = world.coinbases;
  const txid = coinbase ? txidOf(coinbase) : '';
  const { body } = await world.ask(`transactions/${txid}/vins`);
  assert.deepEqual(body.data, [{ id: `${txid}00`, txid, coinbase: '51020000', sequence: 0xffffffff }]);
  assert.deepEqual((await world.ask(`transactions/${txid}/vouts`)).body.data, [
    { id: `${txid}00000000`, txid, n: 0, value: '50.00000000', script: { type: 'nonstandard', hex: '51' } },
  ]);
  const paid = payAddress(world, 500n);
  const [input] = (await world.ask(`transactions/${txidOf(paid)}/vins`)).body.data as { vout: object }[];
  assert.deepEqual(input?.vout, { id: `${txid}00000000`, txid, n: 0, value: '50.00000000', script: { hex: '51' } });
  world.stop();
});

test('outputs are listed by index; a token that is no index is refused', async () => {
  const world = await oceanChain();
  const txid = txidOf(payAddress(world, 500n, 600n, 700n));
  const first = await world.ask(`transactions/${txid}/vouts?size=2`);
  assert.deepEqual(first.body.page, { next: '1' });
  assert.deepEqual((await world.ask(`transactions/${txid}/vouts?size=2&next=1`)).body, {
    data: [{ id: `${txid}00000002`, txid, n: 2, value: '0.00000700', tokenId: 0, script: { type: 'scripthash', hex: toHex(SCRIPT) } }],
  });
  assert.equal((await world.ask(`transactions/${txid}/vouts?next=zz`)).body.error?.message, 'Invalid next token');
  world.stop();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../../src/crypto/hash.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { toHex } from '../../../src/util/bytes.js';
import { oceanNode } from './ask.js';
import { ADDRESS, oceanChain, payAddress, SCRIPT, spendFromAddress, txidOf } from './chain-world.js';

const HID = toHex(sha256(SCRIPT));
/** Heights 103 and 104. */
const [FIRST, SECOND] = ['00000067', '00000068'];

test('an address that no output pays has no aggregation, and the balance zero', async () => {
  const ask = oceanNode({});
  assert.deepEqual((await ask(`address/${ADDRESS}/aggregation`)).body, {});
  assert.deepEqual((await ask(`address/${ADDRESS}/balance`)).body, { data: '0.00000000' });
  assert.deepEqual((await ask(`address/${ADDRESS}/transactions`)).body, { data: [] });
  assert.deepEqual((await ask(`address/${ADDRESS}/transactions/unspent`)).body, { data: [] });
});

test('a text that is no address of the network is refused', async () => {
  const ask = oceanNode({});
  for (const path of ['balance', 'aggregation', 'transactions', 'transactions/unspent']) {
    const { status, body } = await ask(`address/8defichainBurnAddressXXXXXXXdRQkSm/${path}`);
    assert.deepEqual([status, body.error?.message], [400, 'InvalidDefiAddress']);
  }
});

test('the aggregation sums up outputs and inputs, and names the last block', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 12_340_002n, 432_412_313n, 1_993_719_381n);
  spendFromAddress(world, paid, 1);
  const { tip } = world.chain;
  assert.deepEqual((await world.ask(`address/${ADDRESS}/aggregation`)).body.data, {
    id: SECOND + HID,
    hid: HID,
    block: { hash: formatHash(tip.hash), height: 104, time: tip.time, medianTime: tip.medianTimePast() },
    script: { type: 'scripthash', hex: toHex(SCRIPT) },
    statistic: { txCount: 4, txInCount: 3, txOutCount: 1 },
    amount: { txIn: '24.38471696', txOut: '4.32412313', unspent: '20.06059383' },
  });
  assert.equal((await world.ask(`address/${ADDRESS}/balance`)).body.data, '20.06059383');
  world.stop();
});

test('activities are listed newest first, an input by the output that it spends', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 500n, 600n);
  const spender = spendFromAddress(world, paid, 1);
  const [first, second] = await Promise.all(
    ['size=2', `size=2&next=${FIRST}01${txidOf(paid)}00000001`].map((query) => world.ask(`address/${ADDRESS}/transactions?${query}`)),
  );
  const { tip } = world.chain;
  const items = first?.body.data as { id: string }[];
  assert.deepEqual(items[0], {
    id: `${SECOND}00${txidOf(paid)}00000001`,
    hid: HID,
    script: { type: 'scripthash', hex: toHex(SCRIPT) },
    block: { hash: formatHash(tip.hash), height: 104, time: tip.time, medianTime: tip.medianTimePast() },
    type: 'vin',
    typeHex: '00',
    txid: txidOf(spender),
    vin: { txid: txidOf(paid), n: 1 },
    value: '0.00000600',
    tokenId: 0,
  });
  assert.equal(items[1]?.id, `${FIRST}01${txidOf(paid)}00000001`);
  assert.deepEqual(first?.body.page, { next: items[1]?.id });
  assert.deepEqual(
    ((second?.body.data ?? []) as { id: string; vout: unknown }[]).map(({ id, vout }) => [id, vout]),
    [[`${FIRST}01${txidOf(paid)}00000000`, { txid: txidOf(paid), n: 0 }]],
  );
  assert.equal(second?.body.page, undefined);
  world.stop();
});

test('unspent outputs are listed oldest first; a page continues behind its cursor even if that was spent', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 500n, 600n, 700n);
  const full = await world.ask(`address/${ADDRESS}/transactions/unspent?size=2`);
  const token = `${FIRST}${txidOf(paid)}00000001`;
  assert.deepEqual(full.body.page, { next: token });
  spendFromAddress(world, paid, 1);
  const [rest, all] = [`?next=${token}`, ''].map((query) => world.ask(`address/${ADDRESS}/transactions/unspent${query}`));
  const shown = (body: { data?: unknown }) => (body.data as { vout: { n: number } }[]).map(({ vout }) => vout.n);
  assert.deepEqual(shown((await rest)?.body ?? {}), [2]);
  assert.deepEqual(shown((await all)?.body ?? {}), [0, 2]);
  assert.deepEqual(((await rest)?.body.data as unknown[] | undefined)?.[0], {
    id: `${txidOf(paid)}00000002`,
    sort: `${FIRST}${txidOf(paid)}00000002`,
    hid: HID,
    script: { type: 'scripthash', hex: toHex(SCRIPT) },
    block: {
      hash: formatHash(world.chain.tip.parent?.hash as Uint8Array),
      height: 103,
      time: world.chain.tip.parent?.time,
      medianTime: world.chain.tip.parent?.medianTimePast(),
    },
    vout: { txid: txidOf(paid), n: 2, value: '0.00000700', tokenId: 0 },
  });
  world.stop();
});

test('tokens that no page can have ended with are refused', async () => {
  const ask = oceanNode({});
  for (const path of ['transactions?next=100', `transactions?next=${FIRST}02${'0'.repeat(72)}`, 'transactions/unspent?next=zz']) {
    const { status, body } = await ask(`address/${ADDRESS}/${path}`);
    assert.deepEqual([status, body.error?.message], [400, 'Invalid next token']);
  }
});

test('a disconnected block is removed from all lists', async () => {
  const world = await oceanChain();
  const paid = payAddress(world, 500n, 600n);
  const lists = () =>
    Promise.all(['aggregation', 'transactions', 'transactions/unspent'].map((path) => world.ask(`address/${ADDRESS}/${path}`)));
  const before = await lists();
  spendFromAddress(world, paid, 0, 1);
  assert.notDeepEqual(await lists(), before);
  world.chain.invalidate(world.chain.tip);
  assert.deepEqual(await lists(), before);
  world.stop();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregatePrice, oracles } from '../../../../src/dfi/oracles/columns.js';
import { ensureFixedPrice, fixedPrices, isLive, updateFixedPrices } from '../../../../src/dfi/oracles/fixed-prices.js';
import { appointOracle, removeOracle, type SetOracleData, setOracleData, updateOracle } from '../../../../src/dfi/oracles/transactions.js';
import { networkParams } from '../../../../src/params/index.js';
import { encode } from '../../../../src/primitives/codec.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { allActive, emptyState, runTx } from '../governance-context.js';

const ADDRESS = fromHex(`0014${'11'.repeat(20)}`);
const PAIRS = [
  { token: 'BTC', currency: 'USD' },
  { token: 'ETH', currency: 'USD' },
];
const [BTC, ETH] = PAIRS as [(typeof PAIRS)[number], (typeof PAIRS)[number]];
const TIME = 1_700_000_000;

function hexOf<T>(definition: { codec: import('../../../../src/primitives/codec.js').Codec<T> | undefined }, body: T): string {
  assert.ok(definition.codec);
  return toHex(encode(definition.codec, body));
}

function appoint(view: ReturnType<typeof emptyState>, id: number, weight: number, pairs = PAIRS): Uint8Array {
  const txid = new Uint8Array(32).fill(id);
  runTx(appointOracle, hexOf(appointOracle, { address: ADDRESS, weight, pairs }), { view, txid });
  return txid;
}

function report(view: ReturnType<typeof emptyState>, oracleId: Uint8Array, price: bigint, timestamp = TIME, pair = BTC): void {
  const body: SetOracleData = { oracleId, timestamp: BigInt(timestamp), prices: [{ ...pair, price }] };
  runTx(setOracleData, hexOf(setOracleData, body), { view, owner: ADDRESS, time: TIME });
}

test('messages of oracles have the bytes of the specification', () => {
  const address = `160014${'11'.repeat(20)}`;
  assert.equal(hexOf(appointOracle, { address: ADDRESS, weight: 20, pairs: PAIRS }), `${address}140203425443035553440345544803555344`);
  const data: SetOracleData = { oracleId: new Uint8Array(32), timestamp: BigInt(TIME), prices: [{ ...BTC, price: 3_829_312_000_000n }] };
  assert.equal(hexOf(setOracleData, data), `${'00'.repeat(32)}00f1536500000000010342544301035553440010c8947b030000`);
});

test('the price is the weighted mean of the live oracles', () => {
  const view = emptyState();
  const first = appoint(view, 1, 10);
  const second = appoint(view, 2, 10);
  assert.equal(aggregatePrice(view, BTC, TIME, allActive).failure, 'no live oracles for specified request');
  report(view, first, 1_000_000_000n);
  report(view, second, 1_100_000_000n);
  assert.equal(aggregatePrice(view, BTC, TIME, allActive).price, 1_050_000_000n);
  assert.equal(aggregatePrice(view, BTC, TIME + 3599, allActive).price, 1_050_000_000n);
  assert.equal(aggregatePrice(view, BTC, TIME + 3600, allActive).price, undefined);
  assert.equal(aggregatePrice(view, { token: 'DUSD', currency: 'USD' }, 0, allActive).price, 100_000_000n);
});

test('weights of zero give no price, and a single oracle suffices on regtest only', () => {
  const view = emptyState();
  report(view, appoint(view, 1, 0), 5n);
  const failure = 'all live oracles which meet specified request, have zero weight';
  assert.equal(aggregatePrice(view, BTC, TIME, allActive).failure, failure);
  assert.equal(aggregatePrice(view, BTC, TIME, networkParams({ network: 'main' })).failure, 'no live oracles for specified request');
});

test('reports outside the window, of price 0, or of other pairs are rejected', () => {
  const view = emptyState();
  const id = appoint(view, 1, 1);
  assert.throws(() => report(view, id, 1n, TIME + 3600), {
    message: `Timestamp (${TIME + 3600}) is out of price update window (median: ${TIME})`,
  });
  assert.throws(() => report(view, id, 0n), { message: 'Amount out of range' });
  assert.throws(() => report(view, id, 1n, TIME, { token: 'DOGE', currency: 'USD' }), {
    message: 'token <DOGE> - currency <USD> is not allowed',
  });
  const odd = { token: 'A%', currency: 'B%%' };
  assert.throws(() => report(view, id, 1n, TIME, odd), { message: 'token <A%> - currency <B%%> is not allowed' }, 'from Metachain on');
  const early = networkParams({ network: 'main' });
  const body = hexOf(setOracleData, { oracleId: id, timestamp: BigInt(TIME), prices: [{ ...odd, price: 1n }] });
  assert.throws(() => runTx(setOracleData, body, { view, owner: ADDRESS, time: TIME, params: early }), { name: 'FormatFault' });
  assert.deepEqual(view.get(oracles, id)?.prices, []);
  const unknown = new Uint8Array(32).fill(9);
  assert.throws(() => report(view, unknown, 1n), { message: `failed to retrieve oracle <${toHex(unknown)}> from database` });
});

test('an update deletes prices of pairs that it drops', () => {
  const view = emptyState();
  const oracleId = appoint(view, 1, 1);
  report(view, oracleId, 7n);
  report(view, oracleId, 8n, TIME, ETH);
  runTx(updateOracle, hexOf(updateOracle, { oracleId, address: ADDRESS, weight: 2, pairs: [ETH] }), { view });
  assert.deepEqual(view.get(oracles, oracleId)?.prices, [{ ...ETH, price: 8n, timestamp: BigInt(TIME) }]);
  runTx(removeOracle, hexOf(removeOracle, { oracleId }), { view });
  assert.throws(() => runTx(removeOracle, hexOf(removeOracle, { oracleId }), { view }), {
    message: `oracle <${'01'.repeat(32)}> not found`,
  });
});

test('appointments need the foundation; pairs are trimmed, cut and must not be empty', () => {
  const view = emptyState();
  const body = hexOf(appointOracle, { address: ADDRESS, weight: 1, pairs: [{ token: ' LONGTOKEN1 ', currency: 'USD\n' }] });
  assert.throws(() => runTx(appointOracle, body, { view, owner: ADDRESS }), { message: 'tx not from foundation member' });
  runTx(appointOracle, body, { view });
  assert.deepEqual(
    [...view.entries(oracles)].map(([, { pairs }]) => pairs),
    [[{ token: 'LONGTOKE', currency: 'USD' }]],
  );
  const empty = hexOf(appointOracle, { address: ADDRESS, weight: 1, pairs: [{ token: '', currency: 'USD' }] });
  assert.throws(() => runTx(appointOracle, empty, { view }), { message: 'empty token / currency' });
});

test('a fixed interval price becomes active at the next update after it starts', () => {
  const view = emptyState();
  const id = appoint(view, 1, 1);
  report(view, id, 100n);
  ensureFixedPrice(view, BTC, TIME, allActive);
  assert.deepEqual(view.get(fixedPrices, BTC), { timestamp: BigInt(TIME), active: 0n, next: 100n });
  report(view, id, 129n);
  updateFixedPrices(view, TIME + 1, allActive);
  const price = view.get(fixedPrices, BTC);
  assert.deepEqual(price, { timestamp: BigInt(TIME + 1), active: 100n, next: 129n });
  assert.ok(price && isLive(view, price));
  // A change by exactly the deviation is not live.
  assert.equal(isLive(view, { timestamp: 0n, active: 100n, next: 130n }), false);
  updateFixedPrices(view, TIME + 9999, allActive);
  assert.deepEqual(view.get(fixedPrices, BTC), { timestamp: BigInt(TIME + 9999), active: 129n, next: -1n });
  updateFixedPrices(view, TIME + 9999, allActive);
  assert.equal(view.get(fixedPrices, BTC)?.active, 129n);
});

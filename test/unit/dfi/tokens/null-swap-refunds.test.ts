import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountBalances } from '../../../../src/dfi/accounts/columns.js';
import { addPoolLiquidity } from '../../../../src/dfi/pools/liquidity-transactions.js';
import { poolSwap } from '../../../../src/dfi/pools/swap-transactions.js';
import { nullSwapRefunds } from '../../../../src/dfi/tokens/null-swap-refunds.js';
import { NULL_SWAPS } from '../../../../src/dfi/tokens/null-swaps.js';
import { networkParams } from '../../../../src/params/index.js';
import { type Destination, decodeDestination, scriptOf } from '../../../../src/script/address.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { DfiFixture, GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, PoolFixture } from '../pools/pool-fixture.js';

const main = networkParams({ network: 'main' });
const DF23 = 4_006_000;
/** Sums of the swaps by token. */
const PAID: readonly (readonly [tokenId: number, amount: bigint])[] = [
  [0, 39_394_522_630n],
  [2, 27_209_021n],
  [13, 49_800_219_866n],
  [15, 11_007_411_937n],
  [26, 1_390n],
  [68, 2n],
];

function scriptAt(address: string): Uint8Array {
  return scriptOf(decodeDestination(address, main.address) as Destination);
}

/** State in which the empty script has twice the sums of the swaps. */
function mainFixture(): DfiFixture {
  const fixture = new DfiFixture(main, DF23);
  for (const [tokenId, amount] of PAID) fixture.give(EMPTY_BYTES, tokenId, 2n * amount);
  return fixture;
}

function total(fixture: DfiFixture, wanted: number): bigint {
  return [...fixture.view.entries(accountBalances)].reduce((sum, [{ tokenId }, amount]) => (tokenId === wanted ? sum + amount : sum), 0n);
}

test('at DF23 39 swaps of 14 owners are refunded, and no others', () => {
  const fixture = mainFixture();
  fixture.runEvent(nullSwapRefunds, DF23);
  for (const [tokenId, amount] of PAID) {
    assert.equal(fixture.balance(EMPTY_BYTES, tokenId), amount, `token ${tokenId}`);
    assert.equal(total(fixture, tokenId), 2n * amount, 'nothing is made or lost');
  }
  assert.deepEqual([NULL_SWAPS.length, new Set(NULL_SWAPS.map(({ address }) => address)).size], [39, 14]);
  // An owner with a single swap, one with several, and one of each kind of address.
  assert.equal(fixture.balance(scriptAt('dYBEB3q9sd7e7wi4JKsPdtaWCcrAitQd3K'), 0), 17_746_031_907n);
  assert.equal(fixture.balance(scriptAt('dSBVE8ovbCMXCzjPRdpyEkGMspk6nfGHdo'), 26), 1_390n);
  assert.equal(fixture.balance(scriptAt('8FXJVWVwDDjqWvSspCmGQ2s1HayPyUkSi4'), 0), 54_140_884n);
  assert.equal(fixture.balance(scriptAt('df1q734dll45dug5prgxznuvg7wdq2avsc20dpr3wl'), 13), 49_800_219_866n);
  fixture.history.write(fixture.view);
  assert.equal([...fixture.view.changes()].filter(({ column }) => column.startsWith('history/')).length, 0, 'no history shows it');
});

test('nothing happens at other heights, and an undo restores the state', () => {
  for (const height of [DF23 - 1, DF23 + 1]) {
    const fixture = mainFixture();
    fixture.runEvent(nullSwapRefunds, height);
    for (const [tokenId, amount] of PAID) assert.equal(fixture.balance(EMPTY_BYTES, tokenId), 2n * amount);
  }
  const fixture = mainFixture();
  const before = JSON.stringify(fixture.view.changes());
  const undo = fixture.branch();
  fixture.runEvent(nullSwapRefunds, DF23);
  undo();
  assert.equal(JSON.stringify(fixture.view.changes()), before);
});

test('a missing balance is not refunded; the others are', () => {
  const fixture = new DfiFixture(main, DF23);
  fixture.give(EMPTY_BYTES, 0, 17_746_031_907n);
  fixture.runEvent(nullSwapRefunds, DF23);
  assert.equal(fixture.balance(scriptAt('dYBEB3q9sd7e7wi4JKsPdtaWCcrAitQd3K')), 17_746_031_907n);
  assert.equal(total(fixture, 0), 17_746_031_907n);
});

test('on networks where the addresses do not decode, the debited amounts are lost', () => {
  const fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, df23: 100 }));
  fixture.give(EMPTY_BYTES, 13, 49_800_219_867n);
  fixture.runEvent(nullSwapRefunds, 100);
  assert.deepEqual([fixture.balance(EMPTY_BYTES, 13), total(fixture, 13)], [1n, 1n]);
});

test('a swap to the empty script credits it before Grand Central, and the sender from there on', () => {
  for (const [grandCentral, payee] of [
    [101, EMPTY_BYTES],
    [100, script(1)],
  ] as const) {
    const fixture = new PoolFixture(heights({ ...GRAND_CENTRAL, grandCentral }));
    fixture.give(script(1), 1, 200n * COIN);
    fixture.give(script(1), 2, 100n * COIN);
    fixture.createPool({ tokenA: 1, tokenB: 2 });
    const balances = [1, 2].map((tokenId) => ({ tokenId, amount: 100n * COIN }));
    assert.equal(fixture.failure(addPoolLiquidity, { from: [{ owner: script(1), balances }], shareAddress: script(1) }), undefined);
    const maxPrice = { integer: 10n, fraction: 0n };
    const swap = { from: script(1), tokenFrom: 1, amountFrom: 100n * COIN, to: EMPTY_BYTES, tokenTo: 2, maxPrice };
    assert.equal(fixture.failure(poolSwap, swap), undefined);
    assert.equal(fixture.balance(payee, 2), 50n * COIN - 1n);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Random } from '../../../../src/util/random.js';
import {
  type CoinGroup,
  MIN_CHANGE,
  type PricedGroup,
  selectExactly,
  selectWithChange,
  totalOf,
} from '../../../../src/wallet/spend/coin-selection.js';

const COIN = 100_000_000n;
const CENT = 1_000_000n;
const SCRIPT = new Uint8Array(22);
let made = 0;

function group(value: bigint): CoinGroup {
  const point = { txid: new Uint8Array(32), vout: made++ };
  const coin = { point, out: { value, scriptPubKey: SCRIPT, tokenId: 0 }, inputSize: 68 };
  return { coins: [coin], value, depth: 144, isFromMe: false, ancestors: 0, descendants: 0 };
}

function priced(value: bigint, fee = 0n, longTermFee = 0n): PricedGroup {
  return { group: group(value), effectiveValue: value - fee, fee, longTermFee };
}

/** Deterministic random numbers. */
function seeded(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const values = (groups: readonly CoinGroup[] | undefined) => groups?.map(({ value }) => value).sort((a, b) => Number(b - a));

test('exact: finds the coins with the exact sum', () => {
  const pool = [1n, 2n, 3n, 4n].map((n) => priced(n * CENT));
  const exactly = (target: bigint) => values(selectExactly(pool, { target, costOfChange: 0n }));
  assert.deepEqual(exactly(1n * CENT), [1n * CENT]);
  assert.deepEqual(exactly(2n * CENT), [2n * CENT]);
  assert.deepEqual(exactly(5n * CENT), [3n * CENT, 2n * CENT]);
  assert.deepEqual(exactly(10n * CENT), [4n * CENT, 3n * CENT, 2n * CENT, 1n * CENT]);
  assert.equal(exactly(11n * CENT), undefined);
  assert.equal(exactly(CENT / 2n), undefined);
});

test('exact: the surplus may be as large as the cost of change, and no satoshi larger', () => {
  const pool = [priced(100n), priced(1_000n)];
  assert.deepEqual(values(selectExactly(pool, { target: 90n, costOfChange: 10n })), [100n]);
  assert.equal(selectExactly(pool, { target: 90n, costOfChange: 9n }), undefined);
});

test('exact: selects more coins at low fee rates and fewer at high ones', () => {
  const coins = (fee: bigint, longTermFee: bigint) => [10n, 9n, 8n, 5n, 3n, 2n].map((n) => priced(n * CENT + fee, fee, longTermFee));
  const select = (fee: bigint, later: bigint) => selectExactly(coins(fee, later), { target: 10n * CENT, costOfChange: 0n })?.length;
  assert.equal(select(5n, 0n), 1);
  assert.equal(select(0n, 5n), 3);
});

test('exact: stops after a limited number of tries if no coins match', () => {
  const pool = Array.from({ length: 40 }, (_, i) => priced(2n ** BigInt(i % 20) * 2n + 2n));
  const started = performance.now();
  assert.equal(selectExactly(pool, { target: 1_234_567n, costOfChange: 0n }), undefined);
  assert.ok(performance.now() - started < 5_000);
});

test('exact: passing over a group equal to an omitted one is one of the 100,000 tries', () => {
  // 151 coins are one too many, so all equal ones that follow are passed over before the smallest coin completes the sum.
  const search = (equal: number) => {
    const pool = [...Array.from({ length: equal }, () => priced(10n)), priced(5n)];
    return selectExactly(pool, { target: 1_505n, costOfChange: 0n })?.length;
  };
  assert.equal(search(99_997), 151);
  assert.equal(search(99_998), undefined);
});

test('with change: a coin of the exact value is preferred, then the smallest larger one', () => {
  const random = seeded(1);
  const pool = [1n, 5n, 20n, 100n].map((n) => group(n * CENT));
  assert.deepEqual(values(selectWithChange(pool, 5n * CENT, random)), [5n * CENT]);
  assert.deepEqual(values(selectWithChange(pool, 26n * CENT, random)), [20n * CENT, 5n * CENT, 1n * CENT]);
  assert.deepEqual(values(selectWithChange(pool, 27n * CENT, random)), [100n * CENT]);
  assert.equal(selectWithChange(pool, 127n * CENT, random), undefined);
});

test('property: a selection covers the target, from the given coins', () => {
  const random = seeded(7);
  for (let round = 0; round < 200; round++) {
    const pool = Array.from({ length: 1 + random(30) }, () => group(BigInt(1 + random(2_000_000_000))));
    const target = BigInt(1 + random(4_000_000_000));
    const chosen = selectWithChange(pool, target, random);
    if (!chosen) {
      assert.ok(totalOf(pool) < target, 'a selection exists');
      continue;
    }
    assert.ok(totalOf(chosen) >= target);
    assert.equal(new Set(chosen).size, chosen.length);
    for (const each of chosen) assert.ok(pool.includes(each));
    // Without any one coin the rest would not suffice for the target and a change output.
    const spare = totalOf(chosen) - target;
    for (const { value } of chosen) assert.ok(chosen.length === 1 || value > spare - MIN_CHANGE || spare <= MIN_CHANGE);
  }
});

test('property: exact selections are between the target and the target plus the cost of change', () => {
  const random = seeded(11);
  let found = 0;
  for (let round = 0; round < 200; round++) {
    const pool = Array.from({ length: 1 + random(15) }, () => priced(BigInt(1_000 + random(100_000)), BigInt(random(500)), 200n));
    const exact = { target: BigInt(1_000 + random(300_000)), costOfChange: BigInt(random(3_000)) };
    const chosen = selectExactly(pool, exact);
    if (!chosen) continue;
    found += 1;
    const effective = pool.filter((each) => chosen.includes(each.group)).reduce((sum, each) => sum + each.effectiveValue, 0n);
    assert.ok(effective >= exact.target && effective <= exact.target + exact.costOfChange);
  }
  assert.ok(found > 20, `only ${found} were found`);
});

test('amounts beyond the precision of a double are exact', () => {
  const pool = [group(600_000_000n * COIN + 1n), group(600_000_000n * COIN)];
  assert.deepEqual(values(selectWithChange(pool, 600_000_000n * COIN + 1n, seeded(3))), [600_000_000n * COIN + 1n]);
});

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

test('exact: of the solutions the one with the least waste, fees included, and of equal ones the last', () => {
  const select = (pool: readonly PricedGroup[], target: bigint, costOfChange = 0n) =>
    selectExactly(pool, { target, costOfChange })?.map((chosen) => pool.find(({ group: each }) => each === chosen)?.effectiveValue);
  const free = (amounts: readonly bigint[]) => amounts.map((value) => priced(value));
  // The surplus is waste.
  assert.deepEqual(select(free([12n, 6n, 5n]), 10n, 3n), [6n, 5n]);
  assert.deepEqual(select(free([11n, 7n, 5n]), 10n, 3n), [11n]);
  assert.deepEqual(select(free([12n, 7n, 5n]), 12n), [7n, 5n]);
  const costly = (effective: bigint, fee: bigint, longTermFee: bigint) => priced(effective + fee, fee, longTermFee);
  assert.deepEqual(select([costly(10n, 5n, 1n), costly(6n, 1n, 1n), costly(4n, 1n, 1n)], 10n), [6n, 4n]);
  assert.deepEqual(select([costly(10n, 5n, 1n), costly(6n, 3n, 1n), costly(4n, 4n, 1n)], 10n), [10n]);
});

test('exact: a selection that already wastes more than the best is given up while fees are above the long-term rate', () => {
  const select = (amounts: readonly (readonly [bigint, bigint, bigint])[]) => {
    const pool = amounts.map(([effective, fee, longTermFee]) => priced(effective + fee, fee, longTermFee));
    return selectExactly(pool, { target: 10n, costOfChange: 0n })?.length;
  };
  assert.equal(
    select([
      [10n, 5n, 1n],
      [6n, 9n, 0n],
      [4n, 0n, 8n],
    ]),
    1,
  );
  assert.equal(
    select([
      [10n, 5n, 1n],
      [6n, 4n, 0n],
      [4n, 0n, 1n],
    ]),
    2,
  );
  assert.equal(
    select([
      [10n, 3n, 3n],
      [6n, 5n, 0n],
      [4n, 0n, 6n],
    ]),
    2,
  );
});

test('exact: equal groups are selected together, and one with another fee is not passed over', () => {
  const pool = [5n, 5n, 5n, 1n].map((value) => priced(value));
  assert.deepEqual(values(selectExactly(pool, { target: 16n, costOfChange: 0n })), [5n, 5n, 5n, 1n]);
  const [dear, cheap] = [priced(14n, 9n), priced(6n, 1n)];
  assert.deepEqual(selectExactly([dear, cheap], { target: 5n, costOfChange: 0n }), [cheap.group]);
});

/** Random bits by repeating patterns, each for ten rounds of three coins; every other number is 0. */
function bits(...patterns: readonly string[]): Random {
  let drawn = 0;
  return (below) => {
    if (below !== 2 ** 30) return 0;
    const pattern = patterns[Math.min(drawn++, patterns.length - 1)] as string;
    return Number.parseInt([...pattern].reverse().join('').repeat(10), 2);
  };
}

/** Selection of coins of `amounts` hundredths of a DFI, with these bits for coins in descending order. */
function choose(amounts: readonly number[], target: number, random = bits('111')) {
  const chosen = selectWithChange(
    amounts.map((amount) => group(BigInt(amount * 10) * (CENT / 10n))),
    BigInt(target) * CENT,
    random,
  );
  return values(chosen)?.map((value) => Number(value) / Number(CENT));
}

test('with change: a coin of the exact value is spent though others have that sum, and the smallest of those with change', () => {
  assert.deepEqual(choose([4, 1, 1, 1, 1], 4, bits('011')), [4]);
  assert.deepEqual(choose([100, 50, 20], 3), [20]);
  assert.deepEqual(choose([20, 100, 50], 3), [20]);
  assert.deepEqual(choose([50, 20, 100], 3), [20]);
});

test('with change: an inexact sum is searched again with room for change, if the coins suffice for that', () => {
  assert.deepEqual(choose([3, 2, 1.5], 5), [3, 2]);
  assert.deepEqual(choose([5.2, 2, 1.5], 5), [5.2, 1.5]);
  assert.deepEqual(choose([5.2, 0.8], 5), [5.2, 0.8]);
  assert.deepEqual(choose([5.2, 0.7], 5), [5.2]);
});

test('with change: a larger coin is spent instead of a sum that leaves too little change, or is no smaller', () => {
  assert.deepEqual(choose([3, 2, 100], 5), [3, 2]);
  assert.deepEqual(choose([4, 2, 100], 5), [4, 2]);
  assert.deepEqual(choose([4, 1.9, 100], 5), [100]);
  assert.deepEqual(choose([4.5, 4, 8], 5), [8]);
  assert.deepEqual(choose([4.5, 4, 8.5], 5), [8.5]);
  assert.deepEqual(choose([4.5, 4, 8.6], 5), [4.5, 4]);
  // A coin with exactly the minimum change is such a larger coin.
  assert.deepEqual(choose([6, 4, 2], 5, bits('011')), [6]);
});

test('with change: random bits include coins in descending order, then the others until the target is reached', () => {
  assert.deepEqual(choose([2, 3, 4], 5), [4, 2]);
  assert.deepEqual(choose([2, 3, 4], 5, bits('110')), [4, 3]);
  assert.deepEqual(choose([2, 3, 4], 5, bits('111', '011')), [3, 2]);
  const [three, two, less] = [3n * CENT, 2n * CENT, 2n * CENT - 1n];
  const chosen = selectWithChange([three, two, less].map(group), 5n * CENT, bits('101'));
  assert.deepEqual(values(chosen), [three, two, less]);
});

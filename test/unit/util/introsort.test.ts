import assert from 'node:assert/strict';
import { test } from 'node:test';
import { introsort } from '../../../src/util/introsort.js';

/** Element with a number under none, one or both of two keys. */
interface Entry {
  readonly id: number;
  readonly numbers: readonly (number | undefined)[];
}

/** The same entries as those of the program that made the expected orders. */
function entries(count: number): readonly Entry[] {
  let state = count * 7919 + 1;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 16) % below;
  };
  return Array.from({ length: count }, (_, id) => ({ id, numbers: [0, 1].map(() => (draw(4) === 0 ? undefined : draw(6))) }));
}

// Made by std::sort of g++ 12, once for each key: an entry without a number compares equal to all.
const cases = [
  { count: 5, ascending: false, expected: '1 4 0 2 3' },
  { count: 5, ascending: true, expected: '3 2 0 4 1' },
  { count: 16, ascending: false, expected: '7 10 11 0 1 3 6 8 9 4 2 5 13 12 14 15' },
  { count: 16, ascending: true, expected: '2 5 4 3 6 8 1 0 7 12 13 15 9 10 11 14' },
  { count: 25, ascending: false, expected: '22 21 3 18 24 20 8 19 0 1 13 16 7 11 23 12 6 14 9 4 5 10 17 2 15' },
  { count: 25, ascending: true, expected: '4 2 3 24 6 15 12 19 18 23 17 8 10 9 14 5 11 0 7 16 13 20 21 1 22' },
];
for (const { count, ascending, expected } of cases) {
  test(`introsort: ${count} entries of which some cannot be compared, ${ascending ? 'ascending' : 'descending'}`, () => {
    const sorted = [0, 1].reduce(
      (all, key) =>
        introsort(all, (a, b) => {
          const [first, second] = [a.numbers[key], b.numbers[key]];
          return first !== undefined && second !== undefined && (ascending ? first < second : first > second);
        }),
      entries(count),
    );
    assert.equal(sorted.map(({ id }) => id).join(' '), expected);
  });
}

test('introsort: keys that divide badly are sorted by a heap', () => {
  const keys =
    '35 0 30 1 37 2 29 3 34 4 28 5 38 6 27 7 33 8 26 9 36 10 12 11 39 38 37 36 35 34 33 32 31 30 29 28 27 32 39 31 ' +
    '0 1 2 3 4 5 6 7 8 9 10 11 26 24 25 23 24 22 23 21 22 20 21 19 20 18 19 17 18 16 17 15 16 14 15 13 14 12 13 25';
  // Made by std::sort of g++ 12: equal keys follow in an order that neither insertion nor partitions alone give.
  const expected =
    '1 40 3 41 5 42 7 43 9 44 11 45 13 46 15 47 17 48 19 49 21 50 23 51 77 22 75 78 76 73 71 74 69 72 70 67 65 68 66 63 ' +
    '61 64 59 62 57 60 55 58 56 53 79 54 18 52 14 36 10 35 6 34 2 33 39 32 31 37 16 30 8 29 0 28 27 20 4 26 25 12 24 38';
  const elements = keys.split(' ').map((key, id) => ({ id, key: Number(key) }));
  let comparisons = 0;
  const sorted = introsort(elements, (a, b) => {
    comparisons += 1;
    return a.key < b.key;
  });
  assert.equal(sorted.map(({ id }) => id).join(' '), expected);
  assert.equal(comparisons, 1307);
});

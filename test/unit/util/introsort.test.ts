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

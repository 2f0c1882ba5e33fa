import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WordMap, WordSet } from '../../../src/evm/word-map.js';

const MAX_WORD = (1n << 256n) - 1n;
const WORDS = [0n, 1n, (1n << 64n) - 1n, 1n << 64n, (1n << 160n) - 1n, MAX_WORD];

/** Words that the engine puts into one bucket. */
const crowd = (count: number) => Array.from({ length: count }, (_, i) => (BigInt(i + 1) << 64n) + 5n);

test('a set has its words, in order of insertion', () => {
  const words = new WordSet([...WORDS, 1n, MAX_WORD]);
  assert.equal(words.size, WORDS.length);
  assert.deepEqual([...words], WORDS);
  for (const word of WORDS) assert.ok(words.has(word), String(word));
  for (const word of [2n, (1n << 64n) + 1n, MAX_WORD - 1n]) assert.ok(!words.has(word), String(word));
});

test('a map has its words, in order of insertion', () => {
  const map = new WordMap(WORDS.map((word) => [word, String(word)]));
  assert.deepEqual(
    [...map],
    [...WORDS].map((word) => [word, String(word)]),
  );
});

/** With words as keys, this many take a minute. */
test('words with equal low bits fall into different buckets', () => {
  const words = crowd(50_000);
  assert.equal(new WordSet(words).size, words.length);
  assert.equal(new WordMap(words.map((word) => [word, 0])).size, words.length);
});

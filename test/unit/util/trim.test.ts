import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase58Check } from '../../../src/crypto/base58.js';
import { normaliseSymbol } from '../../../src/dfi/oracles/transactions.js';
import { cutText } from '../../../src/dfi/tokens/texts.js';
import { parseAmount } from '../../../src/primitives/amount.js';
import { trimBlanks, trimEnds, trimRight } from '../../../src/util/trim.js';

const cases = [
  { text: '', ends: '', right: '' },
  { text: ' \n', ends: '', right: '' },
  { text: 'a', ends: 'a', right: 'a' },
  { text: ' a b \n', ends: 'a b', right: ' a b' },
  { text: '\ta', ends: '\ta', right: '\ta' },
];
for (const { text, ends, right } of cases) {
  test(`trim ${JSON.stringify(text)}`, () => {
    assert.equal(trimEnds(text, ' \n'), ends);
    assert.equal(trimRight(text, ' \n'), right);
  });
}

test('a text of blanks alone stays as it is, as in defid', () => {
  assert.equal(trimBlanks('\r\n\t a b\t'), 'a b');
  assert.equal(trimBlanks(' \t'), ' \t');
  assert.equal(trimBlanks(''), '');
  assert.equal(trimBlanks('\u00a0a\f'), '\u00a0a\f');
  assert.equal(cutText('          ', 8), '        ');
  assert.equal(cutText(' a         ', 8), 'a');
});

// Quadratic work on such a text would take hours.
const blanks = `a${' '.repeat(2_000_000)}b`;
const zeros = '0'.repeat(2_000_000);

test('trimming takes linear time for blanks inside a text', () => {
  assert.equal(trimEnds(blanks, ' '), blanks);
  assert.equal(decodeBase58Check(blanks), undefined);
  assert.equal(cutText(blanks, 8), 'a       ');
  assert.equal(normaliseSymbol(blanks), 'a       ');
});

test('parsing an amount takes linear time for zeros inside it', () => {
  assert.equal(parseAmount(`1${zeros}1`), undefined);
  assert.equal(parseAmount(`0.${zeros}1`), undefined);
  assert.equal(parseAmount(`1.${zeros}`), 100_000_000n);
});

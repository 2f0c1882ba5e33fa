import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../src/primitives/hash.js';
import { parseAmountArgument, parseHash, parseHex, parseTokenAmount } from '../../src/rpc/shapes.js';
import { toHex } from '../../src/util/bytes.js';
import { parseJson } from '../../src/util/json.js';

const SHOWN = `${'0'.repeat(62)}ff`;

test('shapes: a hash is shown in the reverse of its wire order', () => {
  const hash = parseHash(SHOWN.toUpperCase(), 'txid');
  assert.equal(toHex(hash), `ff${'0'.repeat(62)}`);
  assert.equal(formatHash(hash), SHOWN);
});

const badHashes = [
  { text: '', expected: "txid must be of length 64 (not 0, for '')" },
  { text: 'zz', expected: "txid must be of length 64 (not 2, for 'zz')" },
  { text: 'é'.repeat(32), expected: `txid must be hexadecimal string (not '${'é'.repeat(32)}')` },
  { text: 'g'.repeat(64), expected: `txid must be hexadecimal string (not '${'g'.repeat(64)}')` },
];
for (const { text, expected } of badHashes) {
  test(`shapes: hash '${text}'`, () => assert.throws(() => parseHash(text, 'txid'), { kind: 'invalid-parameter', message: expected }));
}

for (const text of ['', '0', 'zz', '0x00', ' 00']) {
  test(`shapes: hex '${text}'`, () => {
    assert.throws(() => parseHex(text, 'argument'), {
      kind: 'invalid-parameter',
      message: `argument must be hexadecimal string (not '${text}')`,
    });
  });
}

const amounts = [
  { json: '1', expected: 100_000_000n },
  { json: '"0.5"', expected: 50_000_000n },
  { json: '1e-8', expected: 1n },
  { json: '0.000000010', expected: 1n },
  { json: '1200000000', expected: 120_000_000_000_000_000n },
  { json: '1200000000.00000001', expected: 'Amount out of range' },
  { json: '-1e-8', expected: 'Amount out of range' },
  { json: '0.000000001', expected: 'Invalid amount' },
  { json: '""', expected: 'Invalid amount' },
  { json: '" 1"', expected: 'Invalid amount' },
  { json: '"+1"', expected: 'Invalid amount' },
  { json: '"01"', expected: 'Invalid amount' },
  { json: '10000000000', expected: 'Invalid amount' },
  { json: 'true', expected: 'Amount is not a number or string' },
  { json: 'null', expected: 'Amount is not a number or string' },
];
for (const { json, expected } of amounts) {
  test(`shapes: amount ${json}`, () => {
    const parse = (): bigint => parseAmountArgument(parseJson(json));
    if (typeof expected === 'bigint') assert.equal(parse(), expected);
    else assert.throws(parse, { kind: 'type', message: expected });
  });
}

test('shapes: token amounts split at the last @', () => {
  assert.deepEqual(parseTokenAmount('1.5@b'), { amount: 150_000_000n, token: 'b' });
  assert.deepEqual(parseTokenAmount('2'), { amount: 200_000_000n, token: '' });
  assert.throws(() => parseTokenAmount('0@DFI'), { message: 'Amount out of range' });
  assert.throws(() => parseTokenAmount('1@2@DFI'), { message: 'Invalid amount' });
});

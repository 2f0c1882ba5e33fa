import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convert, convertWide } from '../../../../src/dfi/splits/multiplier.js';

const whole = (value: bigint) => ({ value, isFraction: false });
const fraction = (value: bigint) => ({ value, isFraction: true });

const cases = [
  { name: 'a split', multiplier: whole(3n), amount: 7n, expected: 21n },
  { name: 'a merge rounds down', multiplier: whole(-3n), amount: 8n, expected: 2n },
  { name: 'a merge by the least number but one', multiplier: whole(-0x7fff_ffffn), amount: 0x1_0000_0000n, expected: 2n },
  { name: 'a merge by the least number has a negative result', multiplier: whole(-0x8000_0000n), amount: 0x1_0000_0000n, expected: -2n },
  { name: 'a fractional split rounds down', multiplier: fraction(150_000_000n), amount: 7n, expected: 10n },
  { name: 'a fractional merge rounds down', multiplier: fraction(-150_000_000n), amount: 7n, expected: 4n },
  { name: 'a product beyond 63 bits wraps', multiplier: whole(2n), amount: 1n << 62n, expected: -(1n << 63n) },
];
for (const c of cases) test(`convert: ${c.name}`, () => assert.equal(convert(c.multiplier, c.amount), c.expected));

test('interest has 128 bits in whole splits and is truncated to 64 in fractional ones', () => {
  const interest = (1n << 100n) + 6n;
  assert.equal(convertWide(whole(2n), interest), (1n << 101n) + 12n);
  assert.equal(convertWide(whole(-2n), interest), (1n << 99n) + 3n);
  assert.equal(convertWide(whole(-0x8000_0000n), 0xffff_ffff_8000_0000n * 3n), 3n);
  assert.equal(convertWide(fraction(200_000_000n), interest), 12n);
  assert.equal(convertWide(fraction(-200_000_000n), interest), 3n);
});

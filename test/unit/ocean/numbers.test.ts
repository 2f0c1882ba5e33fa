import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hex8, plain } from '../../../src/ocean/shapes/numbers.js';
import { displayedPair } from '../../../src/ocean/shapes/token.js';

test('plain texts have no zeros at the end and no point without digits behind it', () => {
  const cases = {
    '50.00000000': '50',
    '0.16666666': '0.16666666',
    '0.00000000': '0',
    '-0.00000000': '0',
    '-1.50000000': '-1.5',
    '100': '100',
  };
  for (const [digits, expected] of Object.entries(cases)) assert.equal(plain(digits), expected);
});

test('numbers of eight hex digits', () => {
  assert.equal(hex8(0), '00000000');
  assert.equal(hex8(110), '0000006e');
  assert.equal(hex8(4_294_967_295), 'ffffffff');
});

test('DUSD, DFI and csETH are shown as they are', () => {
  assert.equal(displayedPair('BTC-DFI'), 'dBTC-DFI');
  assert.equal(displayedPair('csETH-DUSD'), 'csETH-DUSD');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase64, encodeBase64 } from '../../../src/util/base64.js';
import { toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const cases = [
  { text: '', hex: '' },
  { text: 'AA==', hex: '00' },
  { text: 'AAA=', hex: '0000' },
  { text: 'AAAA', hex: '000000' },
  { text: '+/+/', hex: 'fbffbf' },
  { text: 'AB==', hex: undefined },
  { text: 'AAB=', hex: undefined },
  { text: 'A===', hex: undefined },
  { text: '====', hex: undefined },
  { text: 'AA', hex: undefined },
  { text: 'AA=', hex: undefined },
  { text: 'AAAA=', hex: undefined },
  { text: 'AA==AA==', hex: undefined },
  { text: 'AAA ', hex: undefined },
  { text: 'AAA\n', hex: undefined },
  { text: '-_-_', hex: undefined },
];
for (const { text, hex } of cases) {
  test(`base64 ${JSON.stringify(text)}: ${hex === undefined ? 'rejected' : `0x${hex}`}`, () => {
    const bytes = decodeBase64(text);
    assert.equal(bytes && toHex(bytes), hex);
  });
}

test('property: base64 decodes to the encoded bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.deepEqual(new Uint8Array(decodeBase64(encodeBase64(bytes)) ?? [1]), bytes);
    }),
  );
});

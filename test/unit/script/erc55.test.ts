import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmAddressOf, formatErc55, parseErc55 } from '../../../src/script/erc55.js';
import { EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';

// Examples of EIP-55.
const PUBLISHED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

test('the case of the letters is the checksum of EIP-55', () => {
  for (const text of PUBLISHED) assert.equal(formatErc55(fromHex(text.slice(2))), text);
});

test('an EVM address is 0x and forty digits in any case', () => {
  for (const text of PUBLISHED) {
    assert.equal(toHex(parseErc55(text) ?? EMPTY_BYTES), text.slice(2).toLowerCase());
    assert.notEqual(parseErc55(text.toLowerCase()), undefined);
    for (const bad of [text.slice(2), text.slice(0, -1), `${text}0`, text.replace('0x', '0X'), `${text.slice(0, -1)}g`]) {
      assert.equal(parseErc55(bad), undefined, bad);
    }
  }
});

test('the EVM address of a published key', () => {
  // docs/protocol/wallet.md 6, m/0'/0'/0'
  const key = fromHex('029a70f83cc1232954fa3fa74f73f0c24f1cda51237af78ddd420817bf22e9dfd3');
  assert.equal(formatErc55(evmAddressOf(key) ?? EMPTY_BYTES), '0x58cA890947d786AA5DC583c8372802338eeD59e7');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bitcoinAddressOf,
  bitcoinAddressOfKey,
  bitcoinAddressOfScript,
  hashInScript,
  hashOfBitcoinAddress,
  isBitcoinAddress,
  scriptOfBitcoinAddress,
} from '../../../src/bitcoin/addresses.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';

const KEY = '751e76e8199196d454941c45d1b3a323f1433bd6';
const KEY_ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

const cases = [
  { name: 'P2WPKH', text: KEY_ADDRESS, valid: true, hash: KEY },
  { name: 'P2PKH', text: 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r', valid: true, hash: KEY },
  { name: 'P2SH', text: '2N1WoHKzHY59uNpXouLQc32h9k5Y3hXK4Ku', valid: true, hash: '5ab309bb7a3f29a9e35f6cb300f20c40544e3f97' },
  { name: 'P2WSH has no hash of 20 bytes', text: 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry', valid: true },
  { name: 'a key of another network', text: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', valid: false, hash: KEY },
  { name: 'P2PKH of another network', text: '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH', valid: false, hash: KEY },
  { name: 'a wrong checksum', text: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt081', valid: false },
  { name: 'nothing', text: '', valid: false },
] as const;

for (const { name, text, valid, ...rest } of cases) {
  test(`Bitcoin address: ${name}`, () => {
    assert.equal(isBitcoinAddress(text), valid);
    assert.equal(scriptOfBitcoinAddress(text) !== undefined, valid);
    const hash = hashOfBitcoinAddress(text);
    assert.equal(hash && toHex(hash), 'hash' in rest ? rest.hash : undefined);
  });
}

test('addresses of keys and scripts are those of their output scripts', () => {
  assert.equal(bitcoinAddressOfKey(fromHex(KEY)), KEY_ADDRESS);
  assert.equal(bitcoinAddressOf(fromHex(`0014${KEY}`)), KEY_ADDRESS);
  assert.equal(bitcoinAddressOfScript(fromHex(KEY)), bitcoinAddressOf(fromHex(`a914${KEY}87`)));
  assert.equal(bitcoinAddressOf(fromHex('6a')), '');
});

const scripts = [
  { name: 'P2PKH', script: `76a914${KEY}88ac`, hash: KEY },
  { name: 'P2SH', script: `a914${KEY}87`, hash: KEY },
  { name: 'P2WPKH', script: `0014${KEY}`, hash: KEY },
  { name: 'a program of version 1 with 20 bytes', script: `5114${KEY}`, hash: KEY },
  { name: 'P2WSH', script: `0020${'ab'.repeat(32)}` },
  { name: 'P2PK', script: `21${'02'.repeat(33)}ac` },
  { name: 'data', script: `6a14${KEY}` },
];

for (const { name, script, hash } of scripts) {
  test(`hash in a script: ${name}`, () => {
    const found = hashInScript(fromHex(script));
    assert.equal(found && toHex(found), hash);
  });
}

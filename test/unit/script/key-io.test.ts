import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatWif, parseWif } from '../../../src/crypto/keys.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkName } from '../../../src/params/network.js';
import { decodeDestination, destinationOf, encodeDestination, scriptOf } from '../../../src/script/address.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { vectorRows } from '../../vectors.js';

interface ValidRow {
  readonly isPrivkey: boolean;
  readonly isCompressed?: boolean;
  readonly chain: NetworkName;
  readonly tryCaseFlip?: boolean;
}

const valid = vectorRows('key_io_valid.json') as readonly (readonly [string, string, ValidRow])[];
const invalid = vectorRows('key_io_invalid.json') as readonly (readonly [string])[];
const networks = (['main', 'test', 'regtest'] as const).map((network) => networkParams({ network }));

const keys = valid.filter(([, , row]) => row.isPrivkey);
const addresses = valid.filter(([, , row]) => !row.isPrivkey);

test(`private keys as text: ${keys.length} published ones`, () => {
  for (const [text, hex, { chain, isCompressed }] of keys) {
    const { address } = networkParams({ network: chain });
    const key = parseWif(text, address);
    assert.ok(key, text);
    assert.equal(toHex(key.secret), hex);
    assert.equal(key.compressed, isCompressed);
    assert.equal(formatWif(key, address), text);
    assert.equal(decodeDestination(text, address), undefined);
  }
});

test(`addresses: ${addresses.length} published ones, both ways`, () => {
  for (const [text, hex, { chain, tryCaseFlip }] of addresses) {
    const { address } = networkParams({ network: chain });
    const destination = decodeDestination(text, address);
    assert.ok(destination, text);
    assert.equal(toHex(scriptOf(destination)), hex);
    const back = destinationOf(fromHex(hex));
    assert.ok(back);
    assert.equal(encodeDestination(back, address), text);
    assert.equal(parseWif(text, address), undefined);
    const flipped = text.replace(/[a-zA-Z]/g, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
    const flippedTo = decodeDestination(flipped, address);
    assert.equal(flippedTo && toHex(scriptOf(flippedTo)), tryCaseFlip ? hex : undefined, flipped);
  }
});

test(`texts that are neither: ${invalid.length} published ones on three networks`, () => {
  for (const [text] of invalid) {
    for (const { address, name } of networks) {
      assert.equal(decodeDestination(text, address), undefined, `${text} on ${name}`);
      assert.equal(parseWif(text, address), undefined, `${text} on ${name}`);
    }
  }
});

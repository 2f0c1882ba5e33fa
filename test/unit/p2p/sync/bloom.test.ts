import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BloomFilter, murmur3 } from '../../../../src/p2p/sync/bloom.js';
import { makeTransaction } from '../../../../src/primitives/transaction.js';
import { buildScript } from '../../../../src/script/script.js';
import { fromHex } from '../../../../src/util/bytes.js';

const format = { tokenIds: true };

// Vectors published with MurmurHash3 and BIP37.
for (const { seed, bytes, hash } of [
  { seed: 0, bytes: '', hash: 0 },
  { seed: 0xfba4c795, bytes: '', hash: 0x6a396f08 },
  { seed: 0xffffffff, bytes: '', hash: 0x81f16f39 },
  { seed: 0, bytes: '00', hash: 0x514e28b7 },
  { seed: 0xfba4c795, bytes: '00', hash: 0xea3f0b17 },
  { seed: 0, bytes: 'ff', hash: 0xfd6cf10d },
  { seed: 0, bytes: '0011', hash: 0x16c6b7ab },
  { seed: 0, bytes: '001122', hash: 0x8eb51c3d },
  { seed: 0, bytes: '00112233', hash: 0xb4471bf8 },
  { seed: 0, bytes: '0011223344', hash: 0xe2301fa8 },
]) {
  test(`murmur3 of ${bytes || 'nothing'} with seed ${seed}`, () => assert.equal(murmur3(fromHex(bytes), seed), hash));
}

const elements = [
  '99108ad8ed9bb6274d3980bab5a85c048f0950c8',
  'b5a2c786d9ef4658287ced5914b37a1b4aa32eee',
  'b9300670b4c5366e95b2699e8b18bc75e5f729c5',
].map(fromHex);

for (const { tweak, data } of [
  { tweak: 0, data: '614e9b' },
  { tweak: 0x80000001, data: 'ce4299' },
]) {
  test(`BIP37's filter of three elements, tweak ${tweak}`, () => {
    const filter = new BloomFilter({ data: fromHex(data), hashFunctions: 5, tweak, flags: 1 });
    for (const element of elements) assert.ok(filter.contains(element));
    assert.ok(!filter.contains(fromHex('19108ad8ed9bb6274d3980bab5a85c048f0950c8')));
  });
}

const key = fromHex(`02${'11'.repeat(32)}`);
const payToKey = buildScript(key, 0xac);
const payToHash = buildScript(0x76, 0xa9, elements[0] as Uint8Array, 0x88, 0xac);

function spendOf(txid: Uint8Array, vout: number, scriptPubKey: Uint8Array) {
  const vin = [{ prevout: { txid, vout }, scriptSig: new Uint8Array(0), sequence: 0, witness: [] }];
  return makeTransaction({ version: 2, vin, vout: [{ value: 1n, scriptPubKey, tokenId: 0 }], lockTime: 0 }, format);
}

function filterOf(element: Uint8Array, flags: number): BloomFilter {
  const filter = new BloomFilter({ data: new Uint8Array(500), hashFunctions: 10, tweak: 5, flags });
  filter.insert(element);
  return filter;
}

for (const { name, flags, script, element, follows } of [
  { name: 'nothing', flags: 0, script: payToHash, element: elements[0], follows: false },
  { name: 'all', flags: 1, script: payToHash, element: elements[0], follows: true },
  { name: 'public keys, but the output is a hash', flags: 2, script: payToHash, element: elements[0], follows: false },
  { name: 'public keys, and the output is one', flags: 2, script: payToKey, element: key, follows: true },
]) {
  test(`a match adds its outpoint: ${name}`, () => {
    const filter = filterOf(element as Uint8Array, flags);
    const tx = spendOf(new Uint8Array(32).fill(1), 0, script);
    assert.ok(filter.matches(tx));
    assert.equal(filter.matches(spendOf(tx.txid, 0, Uint8Array.of(0x51))), follows);
    assert.ok(!filter.matches(spendOf(tx.txid, 1, Uint8Array.of(0x51))));
  });
}

test('a filter without bytes matches everything, one above the limits is rejected', () => {
  const tx = spendOf(new Uint8Array(32), 0, payToHash);
  assert.ok(new BloomFilter({ data: new Uint8Array(0), hashFunctions: 5, tweak: 0, flags: 0 }).matches(tx));
  assert.ok(!new BloomFilter({ data: new Uint8Array(36_000), hashFunctions: 50, tweak: 0, flags: 0 }).matches(tx));
  const blank = new BloomFilter({ data: new Uint8Array(8), hashFunctions: 0, tweak: 0, flags: 0 });
  assert.ok(!blank.matches(tx));
  blank.insert(tx.txid);
  assert.ok(blank.matches(tx), 'without hash functions an element has no bits');
  assert.throws(() => new BloomFilter({ data: new Uint8Array(36_001), hashFunctions: 1, tweak: 0, flags: 0 }), RangeError);
});

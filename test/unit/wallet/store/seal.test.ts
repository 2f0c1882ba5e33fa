import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from '../../../../src/primitives/codec.js';
import { masterKeys } from '../../../../src/wallet/store/records.js';
import { newMasterKey, openMasterKey, seal, sealMasterKey, unseal } from '../../../../src/wallet/store/seal.js';

const KEY = new Uint8Array(32).fill(3);
const SECRET = Buffer.from('thirty-two bytes of private key!');
const CONTEXT = Buffer.from('public key');

test('a sealed secret opens only with its key and context', () => {
  const sealed = seal(SECRET, KEY, CONTEXT);
  assert.ok(!Buffer.from(sealed).includes(SECRET));
  assert.deepEqual(Buffer.from(unseal(sealed, KEY, CONTEXT) ?? []), SECRET);
  assert.equal(unseal(sealed, new Uint8Array(32).fill(4), CONTEXT), undefined);
  assert.equal(unseal(sealed, KEY, Buffer.from('another key')), undefined);
  assert.equal(unseal(sealed.subarray(1), KEY, CONTEXT), undefined);
  assert.equal(unseal(new Uint8Array(3), KEY, CONTEXT), undefined);
  for (let i = 0; i < sealed.length; i += 7) {
    const changed = Uint8Array.from(sealed);
    changed[i] = (changed[i] as number) ^ 1;
    assert.equal(unseal(changed, KEY, CONTEXT), undefined, `byte ${i}`);
  }
});

test('sealing a secret twice gives different bytes', () => {
  assert.notDeepEqual(seal(SECRET, KEY, CONTEXT), seal(SECRET, KEY, CONTEXT));
});

test('a master key opens with its passphrase, which ends at a NUL', async () => {
  const masterKey = newMasterKey();
  const record = await sealMasterKey(masterKey, 'pass\0phrase');
  assert.deepEqual(await openMasterKey(record, 'pass'), masterKey);
  assert.equal(await openMasterKey(record, 'Pass'), undefined);
  assert.equal(await openMasterKey(record, ''), undefined);
});

test('a master key is sealed with 32 MiB and three passes by default, and records of another cost open', async () => {
  const masterKey = newMasterKey();
  assert.deepEqual((await sealMasterKey(masterKey, 'p')).cost, { logN: 15, passes: 3 });
  const old = await sealMasterKey(masterKey, 'p', { logN: 17, passes: 1 });
  assert.deepEqual(await openMasterKey(old, 'p'), masterKey);
  assert.equal(await openMasterKey({ ...old, cost: { logN: 17, passes: 2 } }, 'p'), undefined);
  assert.equal(await openMasterKey({ ...old, cost: { logN: 31, passes: 1 } }, 'p'), undefined);
});

test('the cost of a record is one byte, in older versions the logarithm alone', () => {
  const record = { salt: Uint8Array.of(1), cost: { logN: 16, passes: 2 }, sealed: Uint8Array.of(2) };
  const bytes = encode(masterKeys.value, record);
  assert.deepEqual([...bytes], [1, 1, 0x30, 1, 2]);
  const { salt, cost, sealed } = decode(masterKeys.value, bytes);
  assert.deepEqual([[...salt], cost, [...sealed]], [[1], { logN: 16, passes: 2 }, [2]]);
  assert.deepEqual(decode(masterKeys.value, Uint8Array.of(1, 1, 17, 1, 2)).cost, { logN: 17, passes: 1 });
});

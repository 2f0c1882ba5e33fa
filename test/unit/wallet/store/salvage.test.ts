import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { networkParams } from '../../../../src/params/index.js';
import { toHex } from '../../../../src/util/bytes.js';
import { WalletFile } from '../../../../src/wallet/store/file.js';
import { HEADER_SIZE } from '../../../../src/wallet/store/file-format.js';
import * as records from '../../../../src/wallet/store/records.js';
import { salvage } from '../../../../src/wallet/store/salvage.js';
import { createOffline } from '../../../../src/wallet/wallets/offline.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-salvage-'));
after(() => rmSync(directory, { recursive: true }));

const { address: prefixes } = networkParams({ network: 'regtest' });
const POOL = 5;
/** The seed and the keys of both pools. */
const KEYS = 1 + 2 * POOL;
/** Bytes of a frame without its body. */
const FRAME_HEAD = 24;
let files = 0;
const newPath = (): string => join(directory, `${++files}.dat`);

/** A wallet with seed and keys in one frame, and address book entries in others. */
function made(): { readonly path: string; readonly bytes: Buffer; readonly keys: readonly string[] } {
  const path = newPath();
  createOffline(path, { prefixes, poolSize: POOL, now: () => 1_600_000_000 });
  const file = WalletFile.open(path);
  for (let n = 0; n < 3; n++) {
    file.write([records.put(records.book, new Uint8Array(22).fill(n), { label: 'name', purpose: 'receive' })], { sync: true });
  }
  file.close();
  return { path, bytes: readFileSync(path), keys: keysOf(path) };
}

function keysOf(path: string): string[] {
  const file = WalletFile.open(path);
  const keys = [...file.rows(records.keys.name)].map(({ key, value }) => `${toHex(key)} ${toHex(value)}`).sort();
  file.close();
  return keys;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

/** Offset of the last frame. */
function lastFrameOf(bytes: Buffer): number {
  let last = HEADER_SIZE;
  for (let at = last; at < bytes.length; at += FRAME_HEAD + bytes.readUInt32LE(at)) last = at;
  return last;
}

const places = [
  { name: 'the id of the wallet', at: () => 15, lost: 0, keys: KEYS },
  { name: 'the length of the first frame', at: () => 36, lost: 1, keys: KEYS },
  { name: 'the checksum of the first frame', at: () => 46, lost: 1, keys: KEYS },
  { name: 'a secret', at: (bytes: Buffer) => bytes.indexOf('key') + 3 + 1 + 33 + 1 + 10, lost: 1, keys: KEYS - 1 },
  { name: 'the length of a row', at: (bytes: Buffer) => bytes.indexOf('key') - 2, lost: 1, keys: KEYS - 1 },
  { name: 'the last byte', at: (bytes: Buffer) => bytes.length - 1, lost: 1, keys: KEYS },
];

for (const { name, at, lost, keys } of places) {
  test(`all rows but the damaged one are salvaged: ${name}`, () => {
    const { path, bytes, keys: all } = made();
    const damaged = flipped(bytes, at(bytes));
    writeFileSync(path, damaged);
    assert.throws(() => WalletFile.open(path));
    const target = newPath();
    const salvaged = salvage(path, target);
    assert.ok(readFileSync(path).equals(damaged), 'the damaged file was changed');
    assert.equal(salvaged.lost.length, lost);
    assert.equal(salvaged.counts.keys, keys);
    const found = keysOf(target);
    assert.equal(found.length, keys);
    for (const key of found) assert.ok(all.includes(key));
  });
}

test('keys that may have been used are not in the pool of a salvaged wallet', () => {
  const { path, bytes } = made();
  writeFileSync(path, flipped(bytes, bytes.length - 1));
  const target = newPath();
  assert.equal(salvage(path, target).counts.names, 2);
  const file = WalletFile.open(target);
  assert.deepEqual([...file.rows(records.pool.name)], []);
  assert.equal([...file.rows(records.hdChain.name)].length, 1);
  file.close();
});

test('the rows of an incomplete copy are salvaged, without the pool and the position in the chain', () => {
  const { path, keys } = made();
  const file = WalletFile.open(path);
  file.write([records.put(records.syncedTo, records.ONLY, new Uint8Array(32))], { sync: true });
  const copy = newPath();
  file.copyTo(copy);
  file.close();
  const whole = readFileSync(copy);
  writeFileSync(copy, whole.subarray(0, lastFrameOf(whole)));
  assert.throws(() => WalletFile.open(copy), /is an incomplete copy of a wallet/);
  const target = newPath();
  const { lost, lacksEnd, counts } = salvage(copy, target);
  assert.deepEqual({ lost, lacksEnd, names: counts.names }, { lost: [], lacksEnd: true, names: 3 });
  assert.deepEqual(keysOf(target), keys);
  const salvaged = WalletFile.open(target);
  for (const { name } of [records.pool, records.syncedTo]) assert.deepEqual([...salvaged.rows(name)], []);
  salvaged.close();
});

test('salvage does not overwrite an existing file', () => {
  const { path, bytes } = made();
  assert.throws(() => salvage(path, path), /exists/);
  assert.ok(readFileSync(path).equals(bytes));
});

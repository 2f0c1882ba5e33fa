import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { sha256 } from '../../../src/crypto/hash.js';
import { encode, list, optional, struct, varBytes, varString } from '../../../src/primitives/codec.js';
import type { RawChange } from '../../../src/storage/view.js';
import { toHex } from '../../../src/util/bytes.js';
import { WalletFile } from '../../../src/wallet/store/file.js';
import { WalletNotWritten } from '../../../src/wallet/store/file-errors.js';
import { WalletDamaged, WalletTooNew } from '../../../src/wallet/store/file-format.js';
import { withBrokenDisk } from './broken-disk.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-damage-'));
after(() => rmSync(directory, { recursive: true }));

const ID = Uint8Array.from({ length: 16 }, (_, i) => i + 1);
let files = 0;

/** A path in a directory of its own. */
function newPath(): string {
  const own = join(directory, String(++files));
  mkdirSync(own);
  return join(own, 'wallet.dat');
}

const row = (key: number, value: number): RawChange => ({ column: 'a', key: Uint8Array.of(key), value: new Uint8Array(20).fill(value) });
const BATCHES: readonly (readonly RawChange[])[] = [[row(1, 10), row(2, 20)], [row(3, 30)], [row(2, 21), row(4, 40), row(5, 50)]];
const ALL = ['01=0a', '02=15', '03=1e', '04=28', '05=32'];

function rowsOf(file: WalletFile): string[] {
  return [...file.rows('a')].map(({ key, value }) => `${toHex(key)}=${toHex(value.subarray(0, 1))}`).sort();
}

/** Bytes of a file of the current format, and the offsets of its frames. */
function current(): { readonly bytes: Buffer; readonly starts: readonly number[] } {
  const path = newPath();
  const file = WalletFile.create(path, ID);
  const starts: number[] = [];
  file.write([], { sync: true });
  for (const batch of BATCHES) {
    starts.push(statSync(path).size);
    file.write(batch, { sync: true });
  }
  file.close();
  return { bytes: readFileSync(path), starts };
}

/** Bytes of a file of format 1, as the first version of the program wrote it. */
function formatOne(): { readonly bytes: Buffer; readonly starts: readonly number[] } {
  const body = list(struct<RawChange>({ column: varString, key: varBytes, value: optional(varBytes) }));
  let bytes = Buffer.concat([Buffer.from('DFIWALT\n'), Buffer.from([1, 0, 0, 0]), ID]);
  const starts: number[] = [];
  for (const batch of BATCHES) {
    starts.push(bytes.length);
    const content = encode(body, batch);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(content.length);
    bytes = Buffer.concat([bytes, length, sha256(content).subarray(0, 8), content]);
  }
  return { bytes, starts };
}

function written(bytes: Uint8Array): string {
  const path = newPath();
  writeFileSync(path, bytes);
  return path;
}

const formats = [
  { name: 'a wallet file', make: current },
  { name: 'a wallet file of format 1', make: formatOne },
];

for (const { name, make } of formats) {
  test(`${name} with any single bit flipped opens with all rows, or is refused and stays unchanged`, () => {
    const { bytes } = make();
    const path = written(bytes);
    let opened = 0;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      writeFileSync(path, flipped);
      try {
        const file = WalletFile.open(path);
        assert.deepEqual(rowsOf(file), ALL, `bit ${bit}`);
        file.close();
        opened += 1;
      } catch (error) {
        if (!(error instanceof WalletDamaged || error instanceof WalletTooNew)) throw error;
        assert.ok(readFileSync(path).equals(flipped), `bit ${bit}: the file was changed`);
      }
      assert.deepEqual(readdirSync(dirname(path)), ['wallet.dat'], `bit ${bit}`);
    }
    // Format 1 has no checksum of the wallet's id.
    assert.equal(opened, make === current ? 0 : 16 * 8);
  });

  test(`${name} that ends within its last frame opens without it, and the removed bytes are kept`, () => {
    const { bytes, starts } = make();
    const start = starts.at(-1) as number;
    for (let size = start + 1; size < bytes.length; size++) {
      const path = written(bytes.subarray(0, size));
      const file = WalletFile.open(path);
      assert.deepEqual(rowsOf(file), ['01=0a', '02=14', '03=1e'], `cut at ${size}`);
      const { cutTo } = file;
      file.close();
      assert.ok(cutTo);
      assert.ok(cutTo.startsWith(`${path}.cut-`));
      assert.ok(readFileSync(cutTo).equals(bytes.subarray(start, size)));
      assert.equal(statSync(cutTo).mode & 0o777, 0o600);
      const again = WalletFile.open(path);
      assert.equal(again.cutTo, undefined);
      again.close();
    }
  });

  test(`${name} that lost a frame in the middle, or a part of one, is refused`, () => {
    const { bytes, starts } = make();
    const [first, second, third] = starts as [number, number, number];
    const middle = second + 9;
    const pieces = [
      Buffer.concat([bytes.subarray(0, middle), bytes.subarray(third)]),
      Buffer.concat([bytes.subarray(0, first), Buffer.alloc(second - first), bytes.subarray(second)]),
    ];
    // Format 1 does not number its frames.
    if (make === current) pieces.push(Buffer.concat([bytes.subarray(0, second), bytes.subarray(third)]));
    for (const piece of pieces) {
      const path = written(piece);
      assert.throws(() => WalletFile.open(path), WalletDamaged);
      assert.ok(readFileSync(path).equals(piece));
    }
  });
}

test('zeros after the last frame, left by a loss of power, are removed', () => {
  const path = written(current().bytes);
  appendFileSync(path, Buffer.alloc(5_000));
  const file = WalletFile.open(path);
  assert.deepEqual(rowsOf(file), ALL);
  file.close();
  assert.equal(statSync(path).size, current().bytes.length);
});

test('an incomplete end that cannot be kept on a full disk is not removed', async () => {
  const { bytes } = current();
  const path = written(bytes.subarray(0, -3));
  await withBrokenDisk({ writeSync: 'full' }, () => assert.throws(() => WalletFile.open(path), WalletNotWritten));
  assert.ok(readFileSync(path).equals(bytes.subarray(0, -3)));
  assert.deepEqual(readdirSync(dirname(path)), [basename(path)]);
});

test('a file of format 1 is rewritten in the current one when the disk has room', async () => {
  const path = written(formatOne().bytes);
  const early = await withBrokenDisk({ writeSync: 'full' }, () => WalletFile.open(path));
  assert.deepEqual(rowsOf(early), ALL);
  await withBrokenDisk({ writeSync: 'full' }, () => assert.throws(() => early.write([row(6, 60)], { sync: true }), WalletNotWritten));
  assert.ok(readFileSync(path).equals(formatOne().bytes));
  early.write([row(6, 60)], { sync: true });
  early.close();
  assert.equal(readFileSync(path).readUInt32LE(8), 2);
  const file = WalletFile.open(path);
  assert.deepEqual(rowsOf(file), [...ALL, '06=3c']);
  assert.deepEqual(Buffer.from(file.id), Buffer.from(ID));
  file.close();
});

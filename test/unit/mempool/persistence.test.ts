import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeDump, dumpOf, encodeDump } from '../../../src/mempool/dump.js';
import { type ReplacedFile, replacedFile } from '../../../src/mempool/dump-file.js';
import { MempoolPersistence } from '../../../src/mempool/persistence.js';
import { DecodeError } from '../../../src/primitives/codec.js';
import { StoreDamaged } from '../../../src/storage/errors.js';
import { toHex } from '../../../src/util/bytes.js';
import { silentLogger } from '../../../src/util/logger.js';
import { fc } from '../../property.js';
import { DFI, defaults, NOW, output, PoolNode } from './fixture.js';

const directory = mkdtempSync(join(tmpdir(), 'mempool-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const FORMAT = { tokenIds: true };

function keeperOf({ mempool, clock }: PoolNode, file: ReplacedFile, persist = true): MempoolPersistence {
  return new MempoolPersistence({ persist, expirySec: defaults.expirySec, format: FORMAT }, { mempool, file, clock, log: silentLogger });
}

function fileNamed(name: string): { path: string; file: ReplacedFile } {
  const path = join(directory, name);
  return { path, file: replacedFile(path) };
}

/** A pool with a parent, a child of higher fee rate, and fee deltas of pooled and unknown transactions. */
function filled(): PoolNode {
  const node = new PoolNode({ coins: 2 });
  const parent = node.pay([node.coin(0)], [DFI]);
  node.add(parent);
  node.clock.set(NOW + 60);
  node.add(node.pay([output(parent)], [DFI / 2n]));
  node.mempool.prioritise(parent.txid, 5n);
  node.mempool.prioritise(new Uint8Array(32).fill(2), -7n);
  node.mempool.prioritise(new Uint8Array(32).fill(1), 9n);
  return node;
}

function shape({ pool }: PoolNode) {
  return {
    entries: [...pool.entries()].map(({ key, time, feeDelta, ancestors }) => ({ key, time, feeDelta, fees: ancestors.fees })),
    deltas: [...pool.feeDeltas()].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

test('the bytes of a dump', () => {
  const node = filled();
  const [parent, child] = [...node.pool.entries()].map(({ tx }) => toHex(tx.raw));
  const expected = [
    '0100000000000000',
    '0200000000000000',
    parent,
    '00105e5f00000000', // 1,600,000,000
    '0500000000000000',
    child,
    '3c105e5f00000000',
    '0000000000000000',
    '02',
    '01'.repeat(32),
    '0900000000000000',
    '02'.repeat(32),
    'f9ffffffffffffff',
  ];
  assert.equal([...encodeDump(dumpOf(node.pool))].map(toHex).join(''), expected.join(''));
});

test('a restart restores the pool with times and fee deltas', async () => {
  const { path, file } = fileNamed('restart.dat');
  const node = filled();
  const keeper = keeperOf(node, file);
  assert.equal(keeper.loaded, false);
  await keeper.start();
  assert.equal(keeper.loaded, true);
  await keeper.stop();
  assert.equal(existsSync(`${path}.new`), false);
  const again = new PoolNode({ coins: 2 });
  again.clock.set(NOW + 5_000);
  await keeperOf(again, file).start();
  assert.deepEqual(shape(again), shape(node));
});

test('entries that expired or became invalid are not restored', async () => {
  const { file } = fileNamed('expired.dat');
  const node = filled();
  await keeperOf(node, file).save();
  const later = new PoolNode({ coins: 2 });
  later.clock.set(NOW + defaults.expirySec);
  await keeperOf(later, file).start();
  assert.equal(later.pool.size, 0);
  const [parent] = [...node.pool.entries()];
  const other = new PoolNode({ coins: 2 });
  other.mine([other.pay([other.coin(0)], [DFI * 3n])]);
  await keeperOf(other, file).start();
  assert.equal(parent && other.has(parent.tx), false);
});

test('without -persistmempool nothing is loaded or saved, except by savemempool', async () => {
  const { path, file } = fileNamed('off.dat');
  const keeper = keeperOf(filled(), file, false);
  await keeper.start();
  assert.equal(keeper.loaded, true);
  await keeper.stop();
  assert.equal(existsSync(path), false);
  await keeper.save();
  const again = new PoolNode({ coins: 2 });
  await keeperOf(again, file, false).start();
  assert.equal(again.pool.size, 0);
  await keeperOf(again, file).start();
  assert.equal(again.pool.size, 2);
});

test('a damaged file does not prevent the start, and the transactions in front of the damage are restored', async () => {
  const { path, file } = fileNamed('damaged.dat');
  const node = filled();
  await keeperOf(node, file).save();
  const [parent] = [...node.pool.entries()];
  const start = 16;
  const size = (parent?.tx.raw.length ?? 0) + 16;
  const bytes = readFileSync(path);
  for (const [kept, restored] of [
    [start + size - 1, 0],
    [start + size, 1],
    [start + size + 20, 1],
    [bytes.length - 1, 2],
  ] as const) {
    writeFileSync(path, bytes.subarray(0, kept));
    const again = new PoolNode({ coins: 2 });
    const keeper = keeperOf(again, file);
    await keeper.start();
    assert.deepEqual([keeper.loaded, again.pool.size], [true, restored]);
  }
});

test('if the file cannot be written, saving fails and the old file is kept', async () => {
  const { path, file } = fileNamed('blocked.dat');
  const keeper = keeperOf(filled(), file);
  await keeper.save();
  const before = readFileSync(path);
  mkdirSync(`${path}.new`);
  await assert.rejects(keeper.save(), /EISDIR/);
  assert.deepEqual(readFileSync(path), before);
});

test('a shutdown while loading keeps the old file', async () => {
  const node = filled();
  const [bytes] = [Buffer.concat([...encodeDump(dumpOf(node.pool))])];
  let written = 0;
  const keeper = keeperOf(new PoolNode({ coins: 2 }), {
    read: () => new Promise((resolve) => setTimeout(() => resolve(bytes), 20)),
    replace: async () => {
      written += 1;
    },
  });
  void keeper.start();
  await keeper.stop();
  assert.deepEqual([keeper.loaded, written], [false, 0]);
});

test('a failure of the database while loading keeps the old file; one of the file itself does not', async () => {
  const bytes = Buffer.concat([...encodeDump(dumpOf(filled().pool))]);
  for (const [failing, kept] of [
    ['database', true],
    ['file', false],
  ] as const) {
    const node = new PoolNode({ coins: 2 });
    if (failing === 'database') {
      node.mempool.accept = () => {
        throw new StoreDamaged('a block of the database has a wrong checksum');
      };
    }
    let written = 0;
    const keeper = keeperOf(node, {
      read: async () => {
        if (failing === 'file') throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
        return bytes;
      },
      replace: async () => {
        written += 1;
      },
    });
    await keeper.start();
    await keeper.stop();
    assert.deepEqual([keeper.loaded, written], kept ? [false, 0] : [true, 1]);
  }
});

test('property: arbitrary bytes are rejected with a DecodeError', () => {
  const good = Buffer.concat([...encodeDump(dumpOf(filled().pool))]);
  const broken = fc.record({ at: fc.nat(good.length - 1), value: fc.nat(255), keep: fc.nat(good.length) });
  fc.assert(
    fc.property(broken, ({ at, value, keep }) => {
      const bytes = Buffer.from(good).subarray(0, keep);
      if (at < bytes.length) bytes[at] = value;
      try {
        decodeDump(bytes, FORMAT);
      } catch (error) {
        assert.ok(error instanceof DecodeError, String(error));
      }
    }),
  );
});

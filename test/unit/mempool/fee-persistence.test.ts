import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sha256 } from '../../../src/crypto/hash.js';
import { replacedFile } from '../../../src/mempool/dump-file.js';
import { FeeEstimator } from '../../../src/mempool/fee-estimator.js';
import { decodeFees, encodeFees } from '../../../src/mempool/fee-file.js';
import { FeePersistence } from '../../../src/mempool/fee-persistence.js';
import { DecodeError } from '../../../src/primitives/codec.js';
import { toHex } from '../../../src/util/bytes.js';
import { silentLogger } from '../../../src/util/logger.js';
import { fc } from '../../property.js';

const directory = mkdtempSync(join(tmpdir(), 'fees-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(directory, `${++files}.dat`);

/** Each block confirms five transactions of this rate that entered a block before. */
function feed(estimator: FeeEstimator, from: number, to: number, rate = 10_000n): void {
  let waiting: { key: string; height: number; fee: bigint; vsize: number }[] = [];
  for (let height = from; height <= to; height++) {
    estimator.blockConnected(height, waiting);
    waiting = Array.from({ length: 5 }, (_, n) => ({ key: `${height}/${n}`, height, fee: rate, vsize: 1_000 }));
    for (const tx of waiting) estimator.trackTransaction(tx);
  }
}

function fed(blocks: number): FeeEstimator {
  const estimator = new FeeEstimator();
  feed(estimator, 1, blocks);
  return estimator;
}

/** Estimates for several targets. */
const estimates = (estimator: FeeEstimator) =>
  [2, 6, 12, 30, 200].flatMap((target) => [true, false].map((conservative) => estimator.estimate(target, conservative)));

const persistence = (estimator: FeeEstimator, path: string, intervalMs?: number) =>
  new FeePersistence({ estimator, file: replacedFile(path), log: silentLogger }, intervalMs);

/** The estimator of the next run. */
async function restarted(path: string): Promise<FeeEstimator> {
  const estimator = new FeeEstimator();
  const keeper = persistence(estimator, path);
  await keeper.start();
  return estimator;
}

test('estimates survive a restart, and continue with the next block', async () => {
  const path = newPath();
  const first = fed(60);
  const keeper = persistence(first, path);
  await keeper.start();
  const [expected] = estimates(first);
  assert.deepEqual(expected, { rate: 10_000n, blocks: 2 });
  await keeper.stop();
  const second = await restarted(path);
  assert.deepEqual(estimates(second), estimates(first));
  assert.equal(second.trackedCount, 0);
  feed(first, 61, 80, 50_000n);
  feed(second, 61, 80, 50_000n);
  assert.deepEqual(second.record().histories, first.record().histories);
});

test('transactions that are pooled at the stop count as unconfirmed', async () => {
  const path = newPath();
  const estimator = fed(60);
  for (let height = 61; height <= 66; height++) estimator.blockConnected(height, []);
  await persistence(estimator, path).stop();
  assert.equal(estimator.trackedCount, 0);
  const sums = (await restarted(path)).record().histories.map((rows) => rows.map((row) => row.reduce((sum, count) => sum + count, 0)));
  // Rows: total, rates, confirmed within 1 to 12 blocks, removed after 1 to 12 blocks. Five transactions waited for six blocks.
  assert.deepEqual(sums[0]?.slice(14, 21), [5, 5, 5, 5, 5, 5, 0]);
});

test('the longer range of blocks is saved, and that of an earlier run is forgotten after 6,048 blocks', async () => {
  const path = newPath();
  await persistence(fed(101), path).stop();
  const second = await restarted(path);
  const range = () => [second.record().firstHeight, second.record().lastHeight];
  assert.deepEqual(range(), [2, 101]);
  // 49 blocks are not more than half of 99.
  feed(second, 102, 152);
  assert.deepEqual(range(), [2, 101]);
  feed(second, 153, 153);
  assert.deepEqual(range(), [103, 153]);
  const third = await restarted(path);
  third.blockConnected(101 + 6_048, []);
  assert.equal(third.estimate(1_008, false).blocks, 49);
  third.blockConnected(101 + 6_049, []);
  assert.equal(third.estimate(1_008, false).blocks, 0);
});

test('the head and the end of the file', () => {
  const bytes = encodeFees(new FeeEstimator().record());
  const rows = [2 + 2 * 12, 2 + 2 * 24, 2 + 2 * 42];
  const countBytes = bytes.length - 32 - 3 * 4 - 32;
  assert.equal(toHex(bytes.subarray(0, 24)), '6466692d6665657301000000000000000000000000000000');
  assert.equal(countBytes, rows.reduce((sum, count) => sum + count, 0) * 190 * 8);
  assert.equal(toHex(bytes.subarray(-32)), toHex(sha256(bytes.subarray(0, -32))));
});

test('damaged files, and those of another version or size, are not used, and replaced at the stop', async () => {
  const good = Buffer.from(encodeFees(fed(60).record()));
  const sealed = (content: Uint8Array): Buffer => Buffer.concat([content, sha256(content)]);
  const changed = (at: number, value: number): Buffer => {
    const copy = Buffer.from(good);
    copy[at] = value;
    return copy;
  };
  const small = encodeFees({ ...fed(60).record(), histories: [[new Float64Array(190)]] });
  const negative = encodeFees({ bestHeight: 1, firstHeight: 1, lastHeight: 1, histories: [[Float64Array.of(-1)]] });
  const backwards = encodeFees({ bestHeight: 1, firstHeight: 3, lastHeight: 2, histories: [[Float64Array.of(1)]] });
  const bad = {
    empty: Buffer.alloc(0),
    short: good.subarray(0, 1_000),
    'of defid': Buffer.concat([Buffer.from('8c490200', 'hex'), good]),
    'another version': sealed(changed(8, 2).subarray(0, -32)),
    'a flipped byte': changed(5_000, (good[5_000] as number) ^ 1),
    longer: Buffer.concat([good, Buffer.alloc(1)]),
    'excess bytes': sealed(Buffer.concat([good.subarray(0, -32), Buffer.alloc(8)])),
    'no buckets': sealed(Buffer.concat([good.subarray(0, 24), Buffer.from('000000000100000001000000', 'hex')])),
    'another size': small,
    negative,
    backwards,
  };
  for (const [name, bytes] of Object.entries(bad)) {
    const path = newPath();
    writeFileSync(path, bytes);
    const estimator = new FeeEstimator();
    const warnings: unknown[] = [];
    const log = { ...silentLogger, warn: (...args: unknown[]) => void warnings.push(args) };
    const keeper = new FeePersistence({ estimator, file: replacedFile(path), log }, 1_000_000);
    await keeper.start();
    assert.equal(warnings.length, 1, name);
    assert.deepEqual(estimator.record(), new FeeEstimator().record(), name);
    feed(estimator, 1, 20);
    await keeper.stop();
    assert.deepEqual((await restarted(path)).record(), estimator.record(), name);
  }
});

test('property: random bytes are refused with a DecodeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.throws(() => decodeFees(bytes), DecodeError);
    }),
  );
});

test('estimates are saved at intervals too, and pooled transactions are tracked on', async () => {
  const path = newPath();
  const estimator = fed(60);
  const keeper = persistence(estimator, path, 5);
  await keeper.start();
  while (!existsSync(path)) await wait(5);
  assert.equal(estimator.trackedCount, 5);
  assert.deepEqual(estimates(await restarted(path)), estimates(estimator));
  await keeper.stop();
  const saved = readFileSync(path);
  await wait(20);
  assert.deepEqual(readFileSync(path), saved);
});

test('a file that cannot be read or written is a warning', async () => {
  const path = newPath();
  mkdirSync(path);
  const warnings: unknown[] = [];
  const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const keeper = new FeePersistence({ estimator: new FeeEstimator(), file: replacedFile(path), log });
  await keeper.start();
  await keeper.stop();
  assert.deepEqual(warnings, ['failed to load the fee estimates', 'failed to save the fee estimates']);
});

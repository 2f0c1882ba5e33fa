import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { chainColumns } from '../../../src/chain/database.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../../src/params/index.js';
import { type Exported, exportSnapshot } from '../../../src/snapshot/export.js';
import { type Frame, SnapshotReader } from '../../../src/snapshot/reader.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const columns = [...chainColumns, ...dfiColumns];
const folder = mkdtempSync(join(tmpdir(), 'snapshot-export-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
let chain: Chain;

function newChain(): Chain {
  return new Chain(
    { params },
    { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger },
  );
}

beforeEach(() => {
  chain = newChain();
});

function newFile(): string {
  files += 1;
  return join(folder, `snapshot-${files}`);
}

async function exported(of: Chain, height?: number, path = newFile()): Promise<Exported> {
  const view = of.snapshot();
  try {
    return await exportSnapshot(path, view, columns, { height, options: [] });
  } finally {
    view.close();
  }
}

async function readAll(path: string): Promise<Frame[]> {
  const file = await open(path);
  try {
    const reader = await SnapshotReader.open(file);
    const frames: Frame[] = [];
    do frames.push(await reader.next());
    while (!('columns' in (frames.at(-1) as Frame)));
    return frames;
  } finally {
    await file.close();
  }
}

test('the digest is that of the height, whatever was connected above it or disconnected before', async () => {
  const blocks = extend(chain, 20);
  const direct = await exported(chain);
  assert.equal(direct.header.height, 20);
  extend(chain, 7);
  assert.deepEqual((await exported(chain, 20)).digest, direct.digest);
  assert.notDeepEqual((await exported(chain)).digest, direct.digest);

  const other = newChain();
  for (const block of blocks.slice(0, 10)) other.submitBlock(bytesOf(other, block));
  extend(other, 3, 5);
  for (const block of blocks.slice(10)) other.submitBlock(bytesOf(other, block));
  assert.equal(toHex(other.tip.hash), toHex(blocks.at(-1)?.hash as Uint8Array));
  assert.deepEqual((await exported(other)).digest, direct.digest);
});

test('a snapshot is of one tip while blocks are connected', async () => {
  extend(chain, 10);
  const before = await exported(chain);
  const view = chain.snapshot();
  const writing = exportSnapshot(newFile(), view, columns, { options: [] });
  extend(chain, 5);
  const { digest, header } = await writing;
  view.close();
  assert.equal(header.height, 10);
  assert.deepEqual(digest, before.digest);
});

test('an interrupted export is continued at its height, with an equal file', async () => {
  extend(chain, 30);
  const whole = newFile();
  const { digest, bytes } = await exported(chain, undefined, whole);
  const ends = (await readAll(whole)).map(({ end }) => end);
  extend(chain, 3);
  for (const size of [0, 20, ends[0] as number, (ends[0] as number) + 10, ends.at(-2) as number, bytes - 1]) {
    const path = newFile();
    writeFileSync(`${path}.part`, readFileSync(whole));
    truncateSync(`${path}.part`, size);
    const result = await exported(chain, size < 100 ? 30 : undefined, path);
    assert.deepEqual(result.digest, digest);
    assert.ok(readFileSync(path).equals(readFileSync(whole)), `continued after ${size} bytes`);
    assert.ok(!existsSync(`${path}.part`));
  }
});

test('an interrupted export of a block that was disconnected begins again', async () => {
  extend(chain, 5);
  const path = newFile();
  await exported(chain, undefined, path);
  const part = newFile();
  writeFileSync(`${part}.part`, readFileSync(path).subarray(0, -60));
  const fork = blockOn(chain, chain.entryAt(4) as never, { tag: 9 });
  chain.submitBlock(bytesOf(chain, fork));
  chain.precious(chain.entry(fork.hash) as never);
  assert.equal(toHex(chain.tip.hash), toHex(fork.hash));
  assert.equal(toHex((await exported(chain, undefined, part)).header.hash), toHex(fork.hash));
});

test('an existing file is not overwritten, and a height above the tip is refused', async () => {
  const path = newFile();
  writeFileSync(path, '');
  await assert.rejects(exported(chain, undefined, path), /exists/);
  await assert.rejects(exported(chain, 1), /the chain ends at height 0/);
});

test('a flipped bit anywhere in the file is found, and its chunk is named', async () => {
  extend(chain, 3);
  const path = newFile();
  await exported(chain, undefined, path);
  const bytes = readFileSync(path);
  const ends = (await readAll(path)).map(({ end }) => end);
  for (let at = 0; at < bytes.length; at += 53) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
    writeFileSync(path, flipped);
    const frame = ends.findIndex((end) => at < end);
    await assert.rejects(readAll(path), (error: Error) => {
      assert.equal(error.name, 'SnapshotError');
      if (frame > 0) assert.match(error.message, new RegExp(`chunk ${frame} at byte ${ends[frame - 1]}`));
      return true;
    });
  }
});

test('a truncated file is found', async () => {
  const path = newFile();
  const { bytes } = await exported(chain, undefined, path);
  for (let size = bytes - 1; size >= 0; size -= 37) {
    truncateSync(path, size);
    await assert.rejects(readAll(path), /truncated/);
  }
});

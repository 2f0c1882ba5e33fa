import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { ExternalBlocks } from '../../../src/chain/external-blocks.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true });
const magic = Buffer.from(params.p2pMagic);
/** That of `defid` on the main network. */
const fileMagic = Buffer.from(networkParams({ network: 'main' }).defidFileMagic);
const clock = new FixedClock(params.genesis.header.time + 100);
const open = () => new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
const source = open();
const blocks = extend(source, 30);

function record(block: Uint8Array, size = block.length, start = magic): Buffer {
  const header = Buffer.alloc(8);
  start.copy(header);
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, block]);
}

const recordOf = (block: Block) => record(bytesOf(source, block));

function filesOf(t: TestContext, ...contents: readonly Uint8Array[]): ExternalBlocks {
  const directory = mkdtempSync(join(tmpdir(), 'blocks-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const paths = contents.map((content, i) => {
    const path = join(directory, `${i}.dat`);
    writeFileSync(path, content);
    return path;
  });
  const external = new ExternalBlocks(paths, [fileMagic, magic]);
  t.after(() => external.close());
  return external;
}

test('blocks of several files are imported in any order, each once', async (t) => {
  const shuffled = blocks.map((block, i) => ({ block, at: (i * 7) % 30 })).sort((a, b) => a.at - b.at);
  const [first, second] = [shuffled.slice(0, 13), shuffled.slice(13)].map((part) =>
    Buffer.concat(part.map(({ block }) => recordOf(block))),
  );
  const external = filesOf(t, first as Buffer, second as Buffer, first as Buffer);
  const chain = open();
  extend(chain, 3);
  assert.equal(await chain.importBlocks(external), 27);
  assert.equal(chain.tip.height, 30);
  assert.deepEqual(chain.tip.hash, source.tip.hash);
  assert.equal(await chain.importBlocks(external), 0);
});

test('records may begin as in the files of either node', async (t) => {
  const content = blocks.map((block, i) => record(bytesOf(source, block), undefined, i % 3 === 0 ? magic : fileMagic));
  const chain = open();
  assert.equal(await chain.importBlocks(filesOf(t, Buffer.concat([Buffer.alloc(9, 7), ...content]))), 30);
});

test('other bytes and damaged records are skipped, blocks without a parent and invalid ones are left out', async (t) => {
  const valid = blocks.map(recordOf);
  const noise = Buffer.alloc(3_000_000, magic.subarray(0, 3));
  const cut = recordOf(blocks[9] as Block).subarray(0, 60);
  const broken = blockOn(source, source.entryAt(5) as never, { tag: 9, header: { bits: 1 } });
  const orphan = blockOn(source, source.tip, { header: { prevHash: new Uint8Array(32).fill(5) } });
  const content = [
    magic,
    ...valid.slice(0, 10),
    noise,
    record(Buffer.alloc(100, 1)),
    record(Buffer.alloc(4), 0xffffffff),
    recordOf(broken),
    cut,
    ...valid.slice(10),
    recordOf(orphan),
    cut,
  ];
  const chain = open();
  assert.equal(await chain.importBlocks(filesOf(t, Buffer.concat(content))), 30);
  assert.equal(chain.tip.height, 30);
});

test('a file that does not exist is an error', () => {
  assert.throws(() => new ExternalBlocks([join(tmpdir(), 'no such file')], [magic]), { code: 'ENOENT' });
});

test('a directory in place of a file has no blocks', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'blocks-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const external = new ExternalBlocks([directory], [magic]);
  t.after(() => external.close());
  assert.deepEqual([...external.records()], []);
});

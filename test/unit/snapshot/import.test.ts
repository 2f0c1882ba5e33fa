import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { chainColumns } from '../../../src/chain/database.js';
import { BASE_KEY, marks, snapshotBases } from '../../../src/chain/records.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { historyByOwner } from '../../../src/dfi/accounts/history-columns.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import { parseHash256 } from '../../../src/primitives/hash.js';
import { blockHeader } from '../../../src/primitives/header.js';
import { formatDigest, parseDigest, type SnapshotDigest } from '../../../src/snapshot/digest.js';
import { SnapshotError } from '../../../src/snapshot/errors.js';
import { type Exported, exportSnapshot, type SnapshotProgress } from '../../../src/snapshot/export.js';
import { BLOCKS, chunkHead, FRAME, framePrefix, row } from '../../../src/snapshot/format.js';
import { type ImportRequest, importSnapshot } from '../../../src/snapshot/import.js';
import { completeImport, databaseOf, installImported, removeUnfinished, unfinishedOf } from '../../../src/snapshot/install.js';
import { encodeHeader, frameHash } from '../../../src/snapshot/reader.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const columns = [...chainColumns, ...dfiColumns];
const folder = mkdtempSync(join(tmpdir(), 'snapshot-import-'));
after(() => rmSync(folder, { recursive: true }));

const source = newChain(new MemoryStore());
const path = join(folder, 'snapshot');
let exported: Exported;

before(async () => {
  extend(source, 12);
  exported = await exportOf(source, path);
});

function newChain(store: MemoryStore, prune?: { readonly targetBytes: number }): Chain {
  const deps = { store, blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger };
  return new Chain(prune ? { params, prune } : { params }, deps);
}

async function exportOf(chain: Chain, to: string): Promise<Exported> {
  const view = chain.snapshot();
  try {
    return await exportSnapshot(to, view, columns, { options: ['acindex'] });
  } finally {
    view.close();
  }
}

async function imported(from: string, changes: Partial<ImportRequest> = {}): Promise<MemoryStore> {
  const store = new MemoryStore();
  const file = await open(from);
  try {
    const request = { genesis: params.genesis.hash, columns, expected: () => exported.digest, options: ['acindex'] };
    await importSnapshot(file, store, { ...request, ...changes });
    return store;
  } finally {
    await file.close();
  }
}

/** Files below a directory, ascending. */
function existingFiles(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(directory, name)).isFile()).sort();
}

/** Chain of an imported store, as the node opens it. */
function opened(store: MemoryStore): Chain {
  const chain = newChain(store, { targetBytes: 0 });
  const base = store.get(snapshotBases, BASE_KEY);
  assert.ok(base);
  chain.addCheckpoint(base);
  return chain;
}

test('an imported chain has the tip, headers and state of its source, and continues with the same blocks', async () => {
  const chain = opened(await imported(path));
  assert.equal(toHex(chain.tip.hash), toHex(source.tip.hash));
  assert.equal(chain.tip.chainTx, source.tip.chainTx);
  assert.equal(chain.tip.chainWork, source.tip.chainWork);
  for (let height = 0; height <= 12; height++) {
    const [entry, original] = [chain.entryAt(height), source.entryAt(height)];
    assert.ok(entry && original);
    assert.equal(toHex(encode(blockHeader, chain.header(entry))), toHex(encode(blockHeader, source.header(original))));
    assert.deepEqual([entry.nTx, entry.maxTime, entry.isPruned], [original.nTx, original.maxTime, true]);
  }
  assert.deepEqual((await exportOf(chain, join(folder, 'again'))).digest, exported.digest);

  const other = newChain(new MemoryStore());
  for (let height = 1; height <= 12; height++) other.submitBlock(source.rawBlock(source.entryAt(height) as never) as Uint8Array);
  for (const block of extend(other, 5)) assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), { status: 'accepted' });
  const digests = [await exportOf(chain, join(folder, 'on-1')), await exportOf(other, join(folder, 'on-2'))].map(({ digest }) => digest);
  assert.deepEqual(digests[0], digests[1]);
});

test('blocks above the base can be disconnected, but no fork below it is accepted', async () => {
  const chain = opened(await imported(path));
  const [first] = extend(chain, 2);
  chain.invalidate(chain.entry(first?.hash as Uint8Array) as never);
  assert.equal(chain.tip.height, 12);
  const fork = blockOn(chain, chain.entryAt(11) as never, { tag: 3 });
  assert.equal(chain.submitBlock(bytesOf(chain, fork)).status, 'rejected');
  assert.throws(() => chain.invalidate(chain.entryAt(12) as never), BlockInvalid);
  assert.equal(chain.tip.height, 12);
});

test('an import reports the same progress as the export: column, bytes of the file and rows after each chunk', async () => {
  const [written, read]: SnapshotProgress[][] = [[], []];
  const view = source.snapshot();
  const to = join(folder, 'reported');
  const { rows } = await exportSnapshot(to, view, columns, { options: ['acindex'], onProgress: (at) => void written?.push(at) });
  view.close();
  await imported(to, { onProgress: (at) => void read?.push(at) });
  assert.equal(written?.at(-1)?.rows, rows);
  assert.deepEqual(read, written);
});

test('a snapshot of another digest, network or format is refused', async () => {
  const other = { ...exported.digest, state: 'ab'.repeat(32) };
  await assert.rejects(imported(path, { expected: () => other }), /has the digest [0-9a-f]{64}, not abab/);
  const histories: SnapshotDigest = { ...exported.digest, history: 'cd'.repeat(32) };
  await assert.rejects(imported(path, { expected: () => histories }), /histories of the snapshot have the digest/);
  await assert.rejects(imported(path, { expected: () => undefined }), /no digest is known for height 12/);
  await assert.rejects(imported(path, { genesis: parseHash256('00'.repeat(32)) }), /another network/);
  await assert.rejects(imported(path, { options: ['dexstats'] }), /was made without -dexstats/);
});

test('histories are imported only with their digest', async () => {
  const withAll = await imported(path);
  const count = (store: MemoryStore) => [...store.entries(historyByOwner)].length;
  assert.equal(exported.digest.history === undefined, count(withAll) === 0);
  assert.deepEqual(withAll.get(snapshotBases, BASE_KEY)?.options, exported.digest.history ? ['acindex'] : []);
  const without = await imported(path, { expected: () => ({ state: exported.digest.state, history: undefined }) });
  assert.equal(count(without), 0);
  assert.deepEqual(without.get(snapshotBases, BASE_KEY)?.options, []);
});

test('a snapshot whose header names other options has another digest', async () => {
  const changed = join(folder, 'options');
  const rows = readFileSync(path).subarray(encodeHeader(exported.header).length);
  for (const option of ['dexstats', 'negativeinterest']) {
    writeFileSync(changed, Buffer.concat([encodeHeader({ ...exported.header, options: ['acindex', option] }), rows]));
    await assert.rejects(imported(changed, { options: ['acindex', option] }), /the snapshot has the digest [0-9a-f]{64}, not/);
  }
});

test('options that a node had for a part of the chain are not those of its snapshots', async () => {
  const chain = opened(await imported(path));
  const view = new Overlay(chain.snapshot());
  view.put(marks, 'vaultindexGap', 5);
  const { header } = await exportSnapshot(join(folder, 'gap'), view, columns, { options: ['acindex', 'vaultindex'] });
  assert.deepEqual(header.options, ['acindex']);
});

test('a truncated or changed snapshot is refused', async () => {
  const bytes = readFileSync(path);
  const damaged = join(folder, 'damaged');
  writeFileSync(damaged, bytes.subarray(0, -1));
  await assert.rejects(imported(damaged), /truncated/);
  const flipped = Buffer.from(bytes);
  flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] as number) ^ 1;
  writeFileSync(damaged, flipped);
  await assert.rejects(imported(damaged), /chunk \d+ at byte \d+ of the snapshot is damaged/);
});

test('blocks that cannot be decoded, in frames with right hashes, are refused as those of a damaged snapshot', async () => {
  const rows = encode(row, { key: Uint8Array.of(0, 0, 0, 0), value: Uint8Array.of(1, 2, 3) });
  const body = deflateSync(Buffer.concat([encode(chunkHead, { column: BLOCKS, rows: 1 }), rows]));
  const hash = frameHash(FRAME.chunk, 0, body);
  const prefix = encode(framePrefix, { kind: FRAME.chunk, length: body.length, hash });
  const hostile = join(folder, 'hostile');
  writeFileSync(hostile, Buffer.concat([encodeHeader(exported.header), prefix, body]));
  await assert.rejects(
    imported(hostile),
    (error) => error instanceof SnapshotError && /^block 0 of the snapshot is damaged$/.test(error.message),
  );
});

test('a digest is parsed from its text form', () => {
  for (const digest of [exported.digest, { state: 'ab'.repeat(32), history: 'cd'.repeat(32) }])
    assert.deepEqual(parseDigest(formatDigest(digest)), digest);
  for (const text of ['', 'ab', `${'ab'.repeat(32)}+`, 'zz'.repeat(32)]) assert.equal(parseDigest(text), undefined);
});

test('an import that is killed leaves the old chain, or is completed by the next start', () => {
  const networkDir = join(folder, 'data');
  const paths = { networkDir, blocksDir: join(networkDir, 'blocks') };
  const fill = (directory: string, name: string) => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, name), '');
  };
  fill(databaseOf(paths), 'old');
  fill(paths.blocksDir, 'blk00000.dat');
  fill(paths.blocksDir, 'notes.txt');
  // Killed while the database is filled.
  fill(unfinishedOf(paths), 'half');
  assert.equal(completeImport(paths), false);
  removeUnfinished(paths);
  assert.deepEqual(existingFiles(networkDir), ['blocks/blk00000.dat', 'blocks/notes.txt', 'chainstate/old']);
  // Killed after it was filled: before the old chain was removed, after, and after the blocks were removed too.
  for (const removed of [[], ['chainstate'], ['chainstate', 'blocks/blk00000.dat']]) {
    fill(join(networkDir, 'chainstate.imported'), 'new');
    for (const name of removed) rmSync(join(networkDir, name), { recursive: true, force: true });
    assert.equal(completeImport(paths), true);
    assert.deepEqual(existingFiles(networkDir), ['blocks/notes.txt', 'chainstate/new']);
  }
  fill(unfinishedOf(paths), 'newest');
  installImported(paths);
  assert.deepEqual(existingFiles(networkDir), ['blocks/notes.txt', 'chainstate/newest']);
});

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { BlocklessHeaders } from '../../../src/chain/blockless-headers.js';
import { Chain } from '../../../src/chain/chain.js';
import type { HeaderHolder } from '../../../src/chain/header-drops.js';
import { branches, headers, recordOf } from '../../../src/chain/records.js';
import { BlockInvalid, type InvalidKind } from '../../../src/consensus/errors.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import type { Block } from '../../../src/primitives/block.js';
import { type BlockHeader, blockHash } from '../../../src/primitives/header.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { pause } from '../../../src/util/slicer.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
/** Blocks of two days on mainnet and testnet. */
const SHARE = 5_760;
const [ALICE, BOB] = [1, 2];
const { signal } = new AbortController();

let store: MemoryStore;
let blocks: MemoryBlocks;
let chain: Chain;

/** Opens the chain at the time of the genesis block, so that no further blocks are expected. */
function open(used: NetworkParams = params): Chain {
  return new Chain({ params: used }, { store, blocks, clock: new FixedClock(params.genesis.header.time), log: silentLogger });
}

beforeEach(() => {
  store = new MemoryStore();
  blocks = new MemoryBlocks();
  chain = open();
});

/** Chain of headers, as a peer sends them. */
function announce(count: number, { on = chain.tip, from = ALICE, tag = 1 }: { on?: BlockIndexEntry; from?: number; tag?: number } = {}) {
  const made: { entry: BlockIndexEntry; block: Block }[] = [];
  let parent = on;
  for (let i = 0; i < count; i++) {
    const block = blockOn(chain, parent, { tag });
    parent = chain.acceptHeader(block.header, from);
    made.push({ entry: parent, block });
  }
  return made;
}

function heights(of: Chain): number[] {
  return [...of.entries()].map(({ height }) => height);
}

function refusal(work: () => unknown): InvalidKind | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof BlockInvalid);
    return error.kind;
  }
}

const storedHeaders = () => [...store.entries(headers)].length;

describe('headers without blocks', () => {
  test('are not stored, so a restart after a flood is clean', () => {
    extend(chain, 3);
    announce(50);
    assert.equal(chain.bestHeader.height, 53);
    chain.close();
    assert.equal(storedHeaders(), 4);
    const again = open();
    assert.deepEqual([again.bestHeader.height, heights(again)], [3, [0, 1, 2, 3]]);
  });

  test('stored by an earlier version are dropped at start-up, except those with blocks or verdicts', () => {
    const [first, second] = extend(chain, 2);
    assert.ok(first && second);
    const flood = announce(3);
    const invalid = announce(1, { tag: 2 })[0] ?? assert.fail();
    chain.invalidate(invalid.entry);
    const overlay = new Overlay(store);
    for (const { entry, block } of flood) {
      overlay.put(headers, entry.hash, recordOf(entry, block.header));
      overlay.put(branches, entry.hash, true);
    }
    store.write(overlay.changes());
    assert.equal(storedHeaders(), 7);
    const again = open();
    assert.deepEqual([again.bestHeader.height, heights(again)], [2, [0, 1, 2, 3]]);
    assert.equal(again.entry(invalid.block.hash)?.invalid, true);
    again.close();
    assert.equal(storedHeaders(), 4);
  });

  test('are stored with the first block above them', () => {
    const made = announce(3);
    const [first, second, third] = made.map(({ block }) => block);
    assert.ok(first && second && third);
    chain.processBlock(bytesOf(chain, third), { requested: true, from: ALICE });
    chain.close();
    assert.equal(storedHeaders(), 4);
    const again = open();
    assert.equal(again.entry(third.hash)?.hasData, true);
    for (const block of [first, second]) again.processBlock(bytesOf(again, block), { requested: true, from: ALICE });
    while (again.advance());
    assert.equal(again.tip.height, 3);
  });

  test('are dropped with their peer', async () => {
    extend(chain, 2);
    announce(300);
    announce(1, { from: BOB, tag: 2 });
    await chain.dropHeadersOf(ALICE, () => []);
    assert.deepEqual([heights(chain), chain.bestHeader.height, chain.headersOf(ALICE), chain.headersOf(BOB)], [[0, 1, 2, 3], 3, 0, 1]);
  });

  test('are dropped in slices; a peer that announces one of them meanwhile keeps it', async () => {
    const made = announce(300);
    const holders: HeaderHolder[] = [];
    while (!pause(signal)) {}
    const dropped = chain.dropHeadersOf(ALICE, () => holders, signal);
    assert.ok(dropped instanceof Promise && chain.isDroppingHeaders);
    assert.deepEqual([chain.headersOf(ALICE), chain.bestHeader.height], [44, 44], 'consistent at each pause');
    const later = chain.dropHeadersOf(BOB, () => holders, signal);
    holders.push({ owner: BOB, best: made[9]?.entry ?? assert.fail() });
    await dropped;
    await later;
    assert.deepEqual([chain.headersOf(ALICE), chain.headersOf(BOB), heights(chain).length], [0, 0, 11]);
    assert.equal(chain.isDroppingHeaders, false);
    await chain.sweepHeaders(() => [], signal);
    await chain.sweepHeaders(() => [], signal);
    assert.deepEqual(heights(chain), [0], 'the second drop followed the first, and left no header of a disconnected peer');
  });

  test('of a disconnected peer are kept until the sweeps if they are few', async () => {
    announce(200);
    await chain.dropHeadersOf(ALICE, () => []);
    announce(100, { from: BOB, tag: 2 });
    await chain.dropHeadersOf(BOB, () => []);
    assert.deepEqual([heights(chain).length, chain.headersOf(ALICE)], [201, 0]);
    await chain.sweepHeaders(() => []);
    assert.equal(heights(chain).length, 201);
    await chain.sweepHeaders(() => []);
    assert.deepEqual([heights(chain), chain.bestHeader.height], [[0], 0]);
  });

  test('that another peer has too are kept, and counted for that peer', async () => {
    const made = announce(300);
    const shared = made[2]?.entry ?? assert.fail();
    await chain.dropHeadersOf(ALICE, () => [{ owner: BOB, best: shared }]);
    assert.deepEqual([heights(chain), chain.bestHeader, chain.headersOf(BOB)], [[0, 1, 2, 3], shared, 3]);
  });

  test('below headers of another peer are kept', async () => {
    const made = announce(300);
    announce(1, { on: made[1]?.entry ?? assert.fail(), from: BOB, tag: 2 });
    await chain.dropHeadersOf(ALICE, () => []);
    assert.deepEqual([heights(chain), chain.headersOf(BOB)], [[0, 1, 2, 3], 3]);
  });

  test('of the operator are neither bounded nor dropped', async () => {
    const made = announce(2);
    chain.acceptHeader(blockOn(chain, made[1]?.entry ?? assert.fail()).header);
    await chain.dropHeadersOf(ALICE, () => []);
    assert.equal(chain.bestHeader.height, 3);
  });

  test('no longer count when their blocks arrive', async () => {
    for (const { block } of announce(3)) chain.processBlock(bytesOf(chain, block), { requested: true, from: ALICE });
    assert.deepEqual([chain.headersOf(ALICE), chain.tip.height], [0, 3]);
    await chain.dropHeadersOf(ALICE, () => []);
    assert.equal(chain.tip.height, 3);
  });

  test('that are no longer wanted are dropped by the second sweep, unless they are the best header of a peer', async () => {
    const stale = announce(1, { tag: 5 })[0]?.entry ?? assert.fail();
    announce(1, { tag: 6 });
    extend(chain, 2);
    const ahead = announce(1)[0]?.entry ?? assert.fail();
    const holders = [{ owner: BOB, best: stale }];
    await chain.sweepHeaders(() => holders);
    assert.equal(heights(chain).length, 6);
    await chain.sweepHeaders(() => holders);
    assert.deepEqual(heights(chain), [0, 1, 1, 2, 3]);
    assert.ok(chain.entry(stale.hash) && chain.entry(ahead.hash));
  });

  test('below a checkpoint are stored in small batches, and are kept when their peer disconnects', async () => {
    const [last] = announce(400).slice(299);
    const checkpoint = { height: 300, hash: last?.block.hash ?? assert.fail() };
    const vouched: NetworkParams = { ...params, checkpoints: [checkpoint] };
    const known = [...chain.entries()].slice(1).map((entry) => chain.header(entry));
    store = new MemoryStore();
    blocks = new MemoryBlocks();
    chain = open(vouched);
    for (const header of known.slice(0, 300)) chain.acceptHeader(header, ALICE);
    await chain.dropHeadersOf(ALICE, () => []);
    assert.equal(chain.bestHeader.height, 300);
    for (const header of known.slice(300)) chain.acceptHeader(header, BOB);
    chain.close();
    assert.equal(open(vouched).bestHeader.height, 300);
  });

  test('share no memory with their message', () => {
    const message = new Uint8Array(10_000);
    const { header } = blockOn(chain, chain.tip);
    message.set(header.merkleRoot);
    const entry = chain.acceptHeader({ ...header, merkleRoot: message.subarray(0, 32) }, ALICE);
    assert.notEqual(chain.header(entry).merkleRoot.buffer, message.buffer);
  });
});

describe('bounds of headers without blocks', () => {
  test('per peer: two days, and the blocks expected since the tip', () => {
    const made = announce(SHARE);
    const { entry, block } = made.at(-1) ?? assert.fail();
    const next: BlockHeader = { ...block.header, prevHash: entry.hash, height: BigInt(entry.height + 1), time: block.header.time + 1 };
    assert.equal(
      refusal(() => chain.acceptHeader(next, ALICE)),
      'too-many-headers',
    );
    assert.equal(chain.entry(blockHash(next)), undefined);
    // A known header does not count again.
    assert.equal(chain.acceptHeader(block.header, ALICE), entry);
    assert.equal(
      refusal(() => chain.acceptHeader(next, BOB)),
      undefined,
    );
  });

  test('per peer: a hundred forks', () => {
    for (let tag = 0; tag < 100; tag++) announce(1, { tag });
    assert.equal(
      refusal(() => announce(1, { tag: 100 })),
      'too-many-headers',
    );
    const [, entry] = [...chain.entries()];
    assert.equal(
      refusal(() => announce(1, { on: entry ?? assert.fail() })),
      undefined,
      'a branch may grow',
    );
    assert.equal(
      refusal(() => announce(1, { tag: 100, from: BOB })),
      undefined,
    );
  });

  test('an unrequested block is rejected with its header, a requested one is not', () => {
    for (let tag = 0; tag < 100; tag++) announce(1, { tag });
    const block = blockOn(chain, chain.tip, { tag: 100 });
    const receipt = chain.processBlock(bytesOf(chain, block), { requested: false, from: ALICE });
    assert.equal(receipt.status === 'invalid' && receipt.error.kind, 'too-many-headers');
    assert.equal(chain.fault, undefined);
    assert.equal(chain.processBlock(bytesOf(chain, block), { requested: true, from: ALICE }).status, 'stored');
  });

  test('of all peers together: five times the share of one', () => {
    const kept = new BlocklessHeaders();
    const { header } = blockOn(chain, chain.tip);
    const place = { missing: 0, opensFork: false };
    for (let i = 0; i < 5 * SHARE; i++) {
      const owner = Math.floor(i / SHARE);
      assert.equal(kept.refusal(owner, place), undefined);
      kept.add({} as BlockIndexEntry, header, { owner, opensFork: false });
    }
    assert.deepEqual([kept.refusal(9, place), kept.isFull(0)], ['total', true]);
    assert.deepEqual([kept.refusal(9, { ...place, missing: 1 }), kept.isFull(1)], [undefined, false]);
  });
});

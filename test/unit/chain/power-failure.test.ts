import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { type BlockPosition, MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import { rowChanges } from '../../../src/storage/cells.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import type { RawChange, RowChange, WriteOptions } from '../../../src/storage/view.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf } from '../../chains/block-builder.js';
import { fc } from '../../property.js';
import { until } from '../../until.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

/** Store that notes its batches, and which of them survive a power failure for certain. */
class NotingStore extends MemoryStore {
  readonly batches: (readonly RowChange[])[] = [];
  synced = 0;
  override write(changes: Iterable<RawChange>, options: WriteOptions = {}): void {
    this.writeRows(rowChanges(changes), options);
  }
  override writeRows(rows: readonly RowChange[], { sync = false }: WriteOptions = {}): void {
    this.batches.push(rows);
    if (sync && rows.length > 0) this.synced = this.batches.length;
    super.writeRows(rows);
  }
  /** The store as a power failure may leave it: the engine loses the last batches only. */
  after(kept: number): MemoryStore {
    const store = new MemoryStore();
    for (const batch of this.batches.slice(0, kept)) store.writeRows(batch);
    return store;
  }
}

class NotingBlocks extends MemoryBlocks {
  readonly all: Uint8Array[] = [];
  synced = 0;
  override append(bytes: Uint8Array): BlockPosition {
    this.all.push(Uint8Array.from(bytes));
    return super.append(bytes);
  }
  override sync(): void {
    this.synced = this.all.length;
  }
  override async syncAhead(): Promise<void> {
    const count = this.all.length;
    await Promise.resolve();
    this.synced = Math.max(this.synced, count);
  }
  after(kept: number): MemoryBlocks {
    const blocks = new MemoryBlocks();
    for (const bytes of this.all.slice(0, kept)) blocks.append(bytes);
    return blocks;
  }
}

/** The clock is near the time of the blocks, unless the node is far behind the network. */
function open(store: MemoryStore, blocks: MemoryBlocks, catchingUp: boolean): Chain {
  const clock = new FixedClock(params.genesis.header.time + (catchingUp ? 300_000 : 3_000));
  return new Chain({ params }, { store, blocks, clock, log: silentLogger });
}

function digest(chain: Chain): string {
  return [...chain.state.entries(coins)].map(([point, coin]) => toHex(encode(coins.key, point)) + toHex(encode(coins.value, coin))).join();
}

type Step = {
  readonly kind: 'block' | 'of a peer' | 'one of many' | 'persist' | 'snapshot' | 'flush' | 'invalidate';
  readonly back: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'block',
    'block',
    'of a peer',
    'of a peer',
    'one of many',
    'one of many',
    'persist',
    'snapshot',
    'flush',
    'invalidate',
  ),
  /** Height below the tip at which a block forks off; most extend the tip. */
  back: fc.constantFrom(0, 0, 0, 0, 1, 2),
});

/** Runs steps. @returns the tip that was last acknowledged */
async function run(chain: Chain, steps: readonly Step[]): Promise<BlockIndexEntry> {
  let acknowledged = chain.tip;
  for (const [tag, { kind, back }] of steps.entries()) {
    const parent = chain.entryAt(Math.max(chain.tip.height - back, 0)) as BlockIndexEntry;
    if (kind === 'snapshot') chain.snapshot().close();
    else if (kind === 'persist') await chain.persist();
    else if (kind === 'flush') chain.close();
    else if (kind === 'invalidate') {
      // Nothing is called, so nothing is acknowledged.
      if (chain.tip.height <= 1) continue;
      chain.invalidate(chain.tip);
    } else {
      const block = blockOn(chain, parent, { tag });
      if (kind === 'of a peer') chain.processBlock(bytesOf(chain, block), { requested: true });
      else if (kind === 'block' || parent !== chain.tip) chain.submitBlock(bytesOf(chain, block));
      else chain.submitMinted(block, { isPersistedLater: true });
    }
    if (kind !== 'of a peer' && kind !== 'one of many' && kind !== 'snapshot') acknowledged = chain.tip;
  }
  return acknowledged;
}

const plan = fc.record({ steps: fc.array(step, { maxLength: 25 }), lostBatches: fc.nat(4), lostBlocks: fc.nat(2) });

test('after a power failure at the tip, acknowledged blocks are connected again', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, lostBatches, lostBlocks }) => {
      const [store, blocks] = [new NotingStore(), new NotingBlocks()];
      const chain = open(store, blocks, false);
      const acknowledged = await run(chain, steps);
      const keptBatches = Math.max(store.synced, store.batches.length - lostBatches);
      const keptBlocks = Math.max(blocks.synced, blocks.all.length - lostBlocks);
      const again = open(store.after(keptBatches), blocks.after(keptBlocks), false);
      await again.recover();
      assert.ok(again.tip.chainWork >= acknowledged.chainWork, `height ${again.tip.height} of ${acknowledged.height}`);
      if (toHex(again.tip.hash) === toHex(chain.tip.hash)) assert.equal(digest(again), digest(chain));
      assert.equal(await again.verify(4, 0), true);
    }),
  );
});

test('far behind the network, a power failure leaves a state whose blocks are all stored', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, lostBatches, lostBlocks }) => {
      const [store, blocks] = [new NotingStore(), new NotingBlocks()];
      await run(open(store, blocks, true), steps);
      const keptBatches = Math.max(store.synced, store.batches.length - lostBatches);
      const keptBlocks = Math.max(blocks.synced, blocks.all.length - lostBlocks);
      const again = open(store.after(keptBatches), blocks.after(keptBlocks), true);
      await again.recover();
      assert.equal(await again.verify(4, 0), true);
    }),
  );
});

test("a peer's block is written once it is synced elsewhere; an unclean shutdown before that connects it again", async () => {
  const [store, blocks] = [new NotingStore(), new NotingBlocks()];
  const chain = open(store, blocks, false);
  const before = store.batches.length;
  const [first, second] = [blockOn(chain, chain.tip), blockOn(chain, chain.tip, { tag: 1 })];
  assert.equal(chain.processBlock(bytesOf(chain, first), { requested: true }).status, 'stored');
  assert.equal(chain.processBlock(bytesOf(chain, second), { requested: true }).status, 'stored');
  assert.deepEqual([chain.tip.height, store.batches.length - before, blocks.synced], [1, 0, 1]);
  const killed = open(store.after(store.batches.length), blocks.after(blocks.all.length), false);
  assert.equal(killed.tip.height, 0);
  await killed.recover();
  assert.deepEqual(killed.tip.hash, first.hash);
  await until(() => store.batches.length > before, 'the changes of both blocks are written');
  assert.deepEqual([store.batches.length - before, blocks.synced], [1, 3]);
  assert.deepEqual(open(store.after(store.batches.length), blocks, false).tip.hash, first.hash);
});

test('blocks that are persisted together are written once', async () => {
  const [store, blocks] = [new NotingStore(), new NotingBlocks()];
  const chain = open(store, blocks, false);
  const before = store.batches.length;
  for (let i = 0; i < 10; i++) {
    assert.deepEqual(chain.submitMinted(blockOn(chain, chain.tip), { isPersistedLater: true }), { status: 'accepted' });
  }
  assert.deepEqual([store.batches.length - before, blocks.synced], [0, 1]);
  await chain.persist();
  assert.equal(blocks.synced, 11);
  await until(() => store.batches.length > before, 'the changes of all blocks are written');
  assert.equal(store.batches.length - before, 1);
  assert.equal(open(store.after(store.batches.length), blocks, false).tip.height, 10);
});

test('changes written without a sync are synced by a clean shutdown', () => {
  const [store, blocks] = [new NotingStore(), new NotingBlocks()];
  const chain = open(store, blocks, false);
  chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip)));
  assert.ok(store.synced < store.batches.length);
  chain.close();
  assert.equal(store.synced, store.batches.length);
  chain.close();
  assert.equal(store.synced, store.batches.length);
});

test('far behind the network, blocks that were acknowledged are stored', async () => {
  const [store, blocks] = [new NotingStore(), new NotingBlocks()];
  const chain = open(store, blocks, true);
  const before = store.batches.length;
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, blockOn(chain, chain.tip))), { status: 'accepted' });
  assert.equal(blocks.synced, 2);
  chain.submitMinted(blockOn(chain, chain.tip), { isPersistedLater: true });
  await chain.persist();
  assert.equal(blocks.synced, 3);
  assert.equal(store.batches.length, before, 'their changes are written later');
});

/** Blocks on a disk whose syncs can fail. */
class UnsyncedBlocks extends NotingBlocks {
  error: Error | undefined;
  override sync(): void {
    if (this.error) throw this.error;
    super.sync();
  }
  override async syncAhead(): Promise<void> {
    if (!this.error) await super.syncAhead();
  }
}

for (const catchingUp of [false, true]) {
  test(`a block that cannot be synced is not acknowledged, ${catchingUp ? 'far behind the network' : 'at the tip'}`, async () => {
    const [store, blocks] = [new NotingStore(), new UnsyncedBlocks()];
    const chain = open(store, blocks, catchingUp);
    blocks.error = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
    await assert.rejects(chain.submitBlockInSlices(bytesOf(chain, blockOn(chain, chain.tip))), /EIO/);
    assert.equal(chain.fault?.kind, 'write');
    await assert.rejects(chain.persist(), /EIO/);
    blocks.error = undefined;
    assert.equal(chain.retry(), true);
    await chain.persist();
    assert.deepEqual([chain.tip.height, blocks.synced, chain.fault], [1, 2, undefined]);
  });
}

test('a block of a peer that cannot be synced halts block processing', async () => {
  const [store, blocks] = [new NotingStore(), new UnsyncedBlocks()];
  const chain = open(store, blocks, false);
  blocks.error = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
  chain.processBlock(bytesOf(chain, blockOn(chain, chain.tip)), { requested: true });
  await until(() => chain.fault !== undefined, 'the failure is noted');
  assert.equal(chain.fault?.kind, 'write');
});

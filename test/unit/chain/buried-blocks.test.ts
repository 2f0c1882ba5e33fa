import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import { indexActiveChain } from '../../../src/chain/index-upgrade.js';
import { activeBlocks, branches, fileSummaries, marks } from '../../../src/chain/records.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import type { Cell, KeyRange } from '../../../src/storage/cells.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';
import { fc } from '../../property.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const RECENT = 8;
/** More than the longest chain, so that nothing is buried. */
const ALL = 10_000;

interface Disk {
  readonly store: MemoryStore;
  readonly blocks: MemoryBlocks;
}

/** During initial download changes are written in large batches, so that an unclean shutdown loses some. */
function open(disk: Disk, recentBlocks: number): Chain {
  return new Chain({ params, recentBlocks }, { ...disk, clock: new FixedClock(2_000_000_000), log: silentLogger });
}

const newDisk = (): Disk => ({ store: new MemoryStore(), blocks: new MemoryBlocks() });

type Step =
  | { readonly do: 'extend'; readonly count: number }
  | { readonly do: 'fork' | 'headers'; readonly at: number; readonly count: number }
  | { readonly do: 'invalidate' | 'reconsider' | 'precious'; readonly pick: number }
  | { readonly do: 'restart' | 'kill' | 'collect' };

const pick = fc.nat();
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('extend'), count: fc.integer({ min: 1, max: 30 }) }), weight: 4 },
  {
    arbitrary: fc.record({ do: fc.constantFrom('fork', 'headers'), at: pick, count: fc.integer({ min: 1, max: 12 }) }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constantFrom('invalidate', 'reconsider', 'precious'), pick }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constantFrom('restart', 'kill', 'collect') }), weight: 2 },
) as fc.Arbitrary<Step>;

/** A chain whose old blocks are buried, and one with all in memory; each step is done to both. */
class Pair {
  readonly disks = [newDisk(), newDisk()] as const;
  chains = [open(this.disks[0], RECENT), open(this.disks[1], ALL)] as const;
  readonly hashes: Hash256[] = [params.genesis.hash];
  #tag = 0;

  async run(each: Step): Promise<void> {
    switch (each.do) {
      case 'extend':
        this.#build(this.chains[1].tip.hash, each.count, false);
        break;
      case 'fork':
      case 'headers':
        this.#build(this.#picked(each.at), each.count, each.do === 'headers');
        break;
      case 'restart':
        for (const chain of this.chains) chain.close();
        await this.#reopen();
        break;
      case 'kill':
        await this.#reopen();
        break;
      case 'collect':
        // In a turn of its own, because an entry stays alive until the end of the turn that used it.
        await new Promise((resolve) => setImmediate(resolve));
        collectGarbage();
        await new Promise((resolve) => setImmediate(resolve));
        break;
      default:
        this.#mark(each.do, this.#picked(each.pick));
    }
  }

  #picked(index: number): Hash256 {
    return this.hashes[index % this.hashes.length] as Hash256;
  }

  #build(parent: Hash256, count: number, onlyHeaders: boolean): void {
    const [buried, plain] = this.chains;
    let at = plain.entry(parent);
    for (let i = 0; i < count && at && !at.failed; i++) {
      const block = blockOn(plain, at, { tag: this.#tag++ });
      if (onlyHeaders) for (const chain of this.chains) chain.acceptHeader(block.header, 1);
      else assert.deepEqual(buried.submitBlock(bytesOf(plain, block)), plain.submitBlock(bytesOf(plain, block)));
      this.hashes.push(block.hash);
      at = plain.entry(block.hash);
    }
  }

  #mark(what: 'invalidate' | 'reconsider' | 'precious', hash: Hash256): void {
    for (const chain of this.chains) {
      const entry = chain.entry(hash);
      if (entry && entry.height > 0) chain[what](entry);
    }
  }

  async #reopen(): Promise<void> {
    this.chains = [open(this.disks[0], RECENT), open(this.disks[1], ALL)];
    for (const chain of this.chains) await chain.recover();
  }
}

function shown(entry: BlockIndexEntry | undefined, chain: Chain) {
  if (!entry) return undefined;
  const { height, version, time, bits, chainWork, maxTime, nTx, chainTx, position, valid, failed, isActive } = entry;
  return {
    ...{ height, version, time, bits, chainWork, maxTime, nTx, chainTx, position, valid, failed, isActive },
    hash: toHex(entry.hash),
    parent: entry.parent && toHex(entry.parent.hash),
    next: chain.next(entry)?.height,
    median: entry.medianTimePast(),
    ancestors: [0, height >> 1, height - 9, height - 1, height].map((at) => entry.ancestor(at)?.hash),
    fork: chain.forkPoint(entry).height,
    above: [...chain.descendants(entry)].map((each) => toHex(each.hash)).sort(),
    header: chain.header(entry).time,
  };
}

function compare(buried: Chain, plain: Chain, hashes: readonly Hash256[]): void {
  assert.equal(toHex(buried.tip.hash), toHex(plain.tip.hash));
  assert.equal(buried.bestHeader.chainWork, plain.bestHeader.chainWork);
  for (let height = 0; height <= plain.tip.height + 1; height++) {
    const entry = buried.entryAt(height);
    assert.deepEqual(shown(entry, buried), shown(plain.entryAt(height), plain));
    assert.ok(!entry || entry === buried.entry(entry.hash), 'one object for each block');
  }
  for (const hash of hashes) assert.deepEqual(shown(buried.entry(hash), buried), shown(plain.entry(hash), plain));
  const branchesOf = (chain: Chain) => [...chain.entries()].filter((entry) => !entry.isActive).map((entry) => toHex(entry.hash));
  assert.deepEqual(branchesOf(buried).sort(), branchesOf(plain).sort());
}

test('any forks, reorganisations, marks, restarts and kills: the chain is the one that has all entries in memory', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
    const pair = new Pair();
    await pair.run({ do: 'extend', count: 25 });
    const held = pair.chains[0].entryAt(3);
    for (const each of steps) {
      await pair.run(each);
      compare(...pair.chains, pair.hashes);
    }
    if (held && !steps.some((each) => each.do === 'restart' || each.do === 'kill')) assert.equal(pair.chains[0].entry(held.hash), held);
  });
  await fc.assert(property, { numRuns: Number(process.env.FC_RUNS ?? 25) });
});

test('memory holds the newest blocks and all branches only', async () => {
  const pair = new Pair();
  await pair.run({ do: 'extend', count: 60 });
  await pair.run({ do: 'fork', at: 5, count: 3 });
  const inMemory = [...pair.chains[0].entries()];
  assert.ok(inMemory.filter(({ isActive }) => isActive).length <= RECENT + 1, `${inMemory.length} entries`);
  assert.equal(inMemory.filter(({ isActive }) => !isActive).length, 3);
});

test('a store of format 1 is indexed as one that was written by this version', async () => {
  const pair = new Pair();
  await pair.run({ do: 'extend', count: 40 });
  await pair.run({ do: 'fork', at: 10, count: 4 });
  await pair.run({ do: 'headers', at: 12, count: 2 });
  for (const chain of pair.chains) chain.close();
  const [{ store }] = pair.disks;
  const columns = [activeBlocks, branches, fileSummaries] as const;
  const rows = () => columns.map((column) => [...store.entries(column as typeof activeBlocks)]);
  const before = rows();
  const batch = new Overlay(store);
  columns.forEach((column, i) => {
    for (const [key] of before[i] ?? []) batch.delete(column as typeof activeBlocks, key);
  });
  batch.delete(marks, 'segwit');
  store.write(batch.changes());
  await indexActiveChain(silentLogger).run(store);
  assert.deepEqual(rows(), before);
  pair.chains = [open(pair.disks[0], RECENT), open(pair.disks[1], ALL)];
  compare(...pair.chains, pair.hashes);
});

/** Store in which one read of the stored active chain fails. */
class FailingStore extends MemoryStore {
  /** Reads until then; infinite for none. */
  readsLeft = Number.POSITIVE_INFINITY;
  override cell(column: string, key: string): Cell | undefined {
    this.#note(column);
    return super.cell(column, key);
  }
  override scan(column: string, range: KeyRange): Iterable<readonly [string, Cell]> {
    this.#note(column);
    return super.scan(column, range);
  }
  #note(column: string): void {
    if (column !== activeBlocks.name || this.readsLeft-- > 0) return;
    this.readsLeft = Number.POSITIVE_INFINITY;
    throw Object.assign(new Error('IO error: Input/output error'), { code: 'LEVEL_IO_ERROR' });
  }
}

test('whichever read fails while blocks are disconnected, the state that is written is that of the tip', async () => {
  const digest = ({ state }: Chain) => [...state.entries(coins)].map(([point]) => toHex(encode(coins.key, point))).join();
  let failed = 0;
  for (let reads = 0; ; reads++) {
    const disk = { store: new FailingStore(), blocks: new MemoryBlocks() };
    const chain = open(disk, RECENT);
    extend(chain, 66);
    chain.close();
    const reopened = open(disk, RECENT);
    disk.store.readsLeft = reads;
    try {
      reopened.invalidate(reopened.entryAt(55) as BlockIndexEntry);
    } catch {
      failed += 1;
    }
    disk.store.readsLeft = Number.POSITIVE_INFINITY;
    reopened.close();
    const again = open(disk, RECENT);
    const expected = open(newDisk(), RECENT);
    extend(expected, again.tip.height);
    assert.ok(digest(again) === digest(expected), `after ${reads} reads`);
    assert.ok(await again.verify(4, 0));
    if (again.tip.height < 55) break;
  }
  assert.ok(failed > 3, `${failed} reads failed`);
});

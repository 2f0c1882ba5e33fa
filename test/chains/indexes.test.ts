import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Chain } from '../../src/chain/chain.js';
import { BlockFilterIndex } from '../../src/indexes/block-filters.js';
import { TransactionIndex } from '../../src/indexes/transactions.js';
import { formatHash, parseHash256 } from '../../src/primitives/hash.js';
import { MemoryStore } from '../../src/storage/memory.js';
import type { Store } from '../../src/storage/view.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { silentLogger } from '../../src/util/logger.js';
import { type RecordedAnswer, type Recording, readRecording, recordings } from '../shared.js';
import { until } from '../until.js';
import { blockOn, bytesOf, extend } from './block-builder.js';
import { emptyChain, importRecording } from './recorded-chain.js';
import { strictLogger } from './strict-logger.js';

const paths = recordings('base');
const skip = paths.length === 0;

function recordingNamed(name: string): Recording {
  const path = paths.find((candidate) => candidate.includes(name));
  assert.ok(path);
  return readRecording(path);
}

class Indexes {
  readonly filters: BlockFilterIndex;
  readonly transactions: TransactionIndex;

  constructor(
    readonly chain: Chain,
    store: Store = new MemoryStore(),
    log = strictLogger,
  ) {
    this.filters = new BlockFilterIndex({ store, chain, log });
    this.transactions = new TransactionIndex({ store, chain, log });
    this.filters.start();
    this.transactions.start();
  }

  get synced(): boolean {
    return this.filters.synced && this.transactions.synced;
  }

  async untilSynced(): Promise<void> {
    for (let turns = 0; !this.synced; turns++) {
      assert.ok(turns < 10_000, 'the indexes do not get level');
      await setImmediate();
    }
  }

  stop(): void {
    this.filters.stop();
    this.transactions.stop();
  }

  /** Asserts that every block of the active chain has a filter, and every transaction above genesis a position. */
  check(): void {
    assert.ok(this.synced);
    for (let height = 0; height <= this.chain.tip.height; height++) {
      const entry = this.chain.entryAt(height);
      assert.ok(entry && this.filters.filter(entry), `filter of ${height}`);
      this.chain.block(entry)?.transactions.forEach(({ txid }, position) => {
        const found = this.transactions.find(txid);
        if (height === 0) assert.equal(found, undefined);
        else assert.deepEqual(found && [formatHash(found.blockHash), found.position], [formatHash(entry.hash), position]);
      });
    }
  }
}

/** Answer of `getblockfilter` as JSON text. */
function answered({ filters, chain }: Indexes, { params }: RecordedAnswer): string | undefined {
  const [hash] = params as [string];
  const entry = chain.entry(parseHash256(hash));
  const found = entry && filters.filter(entry);
  return found && `{"filter":"${toHex(found.filter)}","header":"${formatHash(found.header)}"}`;
}

test('block filters and transactions of every base recording, followed block by block', { skip }, async () => {
  let compared = 0;
  for (const path of paths) {
    const recording = readRecording(path);
    const { chain, clock } = emptyChain(recording);
    const indexes = new Indexes(chain);
    await indexes.untilSynced();
    for (const step of recording.steps) {
      if ('hex' in step) {
        clock.set(step.time);
        chain.submitBlock(fromHex(step.hex));
        continue;
      }
      for (const answer of step.answers) {
        if (answer.method !== 'getblockfilter' || answer.result === undefined) continue;
        assert.equal(answered(indexes, answer), answer.result, `${recording.header.name} at ${step.check}`);
        compared += 1;
      }
    }
    indexes.check();
  }
  assert.ok(compared >= 300, `${compared}`);
  console.log(`${compared} recorded filters are the same`);
});

test('an index that is created later catches up and has the same contents', { skip }, async () => {
  const recording = recordingNamed('feature_segwit');
  const { chain } = importRecording(recording);
  const indexes = new Indexes(chain);
  await indexes.untilSynced();
  indexes.check();
  const last = recording.steps.findLast((step) => 'answers' in step);
  assert.ok(last && 'answers' in last);
  const filters = last.answers.filter(({ method, result }) => method === 'getblockfilter' && result !== undefined);
  assert.ok(filters.length > 0);
  for (const answer of filters) assert.equal(answered(indexes, answer), answer.result);
});

const DUMMY = { header: { name: 'dummy', flags: ['-dummypos=1', '-txnotokens=1'], blocks: 0, genesis: '' } };

test('a reorganisation: the new branch is indexed, filters of the old one are kept', async () => {
  const { chain } = emptyChain(DUMMY);
  const indexes = new Indexes(chain);
  await indexes.untilSynced();
  extend(chain, 10, 1);
  const stale = chain.tip;
  const before = indexes.filters.filter(stale);
  chain.invalidate(chain.entryAt(6) ?? chain.genesis);
  assert.equal(chain.tip.height, 5);
  indexes.check();
  extend(chain, 8, 2);
  assert.equal(chain.tip.height, 13);
  indexes.check();
  assert.deepEqual(indexes.filters.filter(stale), before);
  assert.ok(before);
});

test('a block that was never connected has no filter', async () => {
  const { chain } = emptyChain(DUMMY);
  const indexes = new Indexes(chain);
  await indexes.untilSynced();
  extend(chain, 3, 1);
  const fork = blockOn(chain, chain.entryAt(1) ?? chain.genesis, { tag: 2 });
  assert.deepEqual(chain.submitBlock(bytesOf(chain, fork)), { status: 'inconclusive' });
  const entry = chain.entry(fork.hash);
  assert.ok(entry);
  assert.equal(indexes.filters.filter(entry), undefined);
  indexes.check();
});

test('an index continues after a restart, also if the chain was reorganised or extended in between', async () => {
  const { chain } = emptyChain(DUMMY);
  const store = new MemoryStore();
  const first = new Indexes(chain, store);
  await first.untilSynced();
  extend(chain, 10, 1);
  first.stop();
  chain.invalidate(chain.entryAt(6) ?? chain.genesis);
  extend(chain, 9, 2);
  const second = new Indexes(chain, store);
  await second.untilSynced();
  second.check();
  extend(chain, 2, 3);
  second.check();
});

test('an index that is ahead of a chain that lost its last blocks continues below them', async () => {
  const store = new MemoryStore();
  const { chain: before } = emptyChain(DUMMY);
  const first = new Indexes(before, store);
  await first.untilSynced();
  const blocks = extend(before, 20, 1);
  first.stop();
  const { chain } = emptyChain(DUMMY);
  for (const block of blocks.slice(0, 13)) chain.submitBlock(bytesOf(chain, block));
  const second = new Indexes(chain, store);
  await second.untilSynced();
  extend(chain, 9, 2);
  second.check();
});

test('an index on a full disk halts with a log line while the chain continues, and catches up when there is room', async () => {
  const { chain } = emptyChain(DUMMY);
  const said: string[] = [];
  const store = new MemoryStore();
  const indexes = new Indexes(chain, store, { ...silentLogger, error: (msg, fields) => said.push(`${msg} ${JSON.stringify(fields)}`) });
  await indexes.untilSynced();
  extend(chain, 2);
  const write = store.writeRows.bind(store);
  store.writeRows = () => {
    throw new Error('no space left on device');
  };
  extend(chain, 2);
  assert.equal(chain.tip.height, 4);
  await until(() => !indexes.synced, 'the index stops');
  assert.deepEqual(said, [
    'index halted after a storage failure, will retry {"index":"block-filter","error":"no space left on device"}',
    'index halted after a storage failure, will retry {"index":"transaction","error":"no space left on device"}',
  ]);
  store.writeRows = write;
  extend(chain, 2);
  await until(() => indexes.synced, 'the index catches up');
  indexes.check();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import { chainColumns } from '../../../src/chain/database.js';
import { sha256d } from '../../../src/crypto/hash.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { encode } from '../../../src/primitives/codec.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import type { RowChange } from '../../../src/storage/view.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';
import { fc } from '../../property.js';
import { until, untilTurn } from '../../until.js';
import { validScripts } from '../../valid-scripts.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const MATURITY = 100;
/** Enough transactions for several slices, and for a write that is prepared. */
const TRANSACTIONS = 1_100;

/** Steps of a preparation: more than fit between two looks of a test. */
const STEPS = 1_000;

/** Every row of the state. Some are made when changes are written. */
function digest(chain: Chain): string {
  chain.close();
  let hash: Uint8Array = new Uint8Array(32);
  for (const column of [...chainColumns, ...dfiColumns]) {
    for (const [key, value] of chain.state.entries(column))
      hash = sha256d(concatBytes(hash, encode(column.key, key), encode(column.value, value)));
  }
  return toHex(hash);
}

/** Notes how many coins one read asked for at most, and whether a write was prepared. */
class NotingStore extends MemoryStore {
  mostCoins = 0;
  hasPrepared = false;

  override *prepareRows(rows: readonly RowChange[]): ReturnType<MemoryStore['prepareRows']> {
    this.hasPrepared = true;
    for (let i = 0; i < STEPS; i++) yield;
    return yield* super.prepareRows(rows);
  }

  override cells(column: string, keys: readonly string[]): ReturnType<MemoryStore['cells']> {
    if (column === coins.name) this.mostCoins = Math.max(this.mostCoins, keys.length);
    return super.cells(column, keys);
  }
}

function open(store = new MemoryStore()): { readonly chain: Chain } {
  const clock = new FixedClock(params.genesis.header.time + 5_000);
  const chain = new Chain({ params }, { store, blocks: new MemoryBlocks(), clock, log: silentLogger, scripts: { threads: validScripts } });
  return { chain };
}

/** A chain with one mature coinbase, and blocks above it: a large one, one that competes with it, and an invalid large one. */
function fixture() {
  const { chain } = open();
  const [first] = extend(chain, 1);
  const below = [first as Block, ...extend(chain, MATURITY)];
  const [coinbase] = first?.transactions ?? [];
  let point: OutPoint = { txid: coinbase?.txid ?? new Uint8Array(), vout: 0 };
  let value = coinbase?.vout[0]?.value ?? 0n;
  const transactions = Array.from({ length: TRANSACTIONS }, () => {
    value -= 1_000n;
    const tx = spend(chain, [point], [], { vout: [{ value, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] });
    point = { txid: tx.txid, vout: 0 };
    return tx;
  });
  const large = blockOn(chain, chain.tip, { transactions, tag: 1 });
  const again = spend(chain, [point], [], { vout: [{ value: value + 1n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] });
  const invalid = blockOn(chain, chain.tip, { transactions: [...transactions, again], tag: 2 });
  const rival = blockOn(chain, chain.tip, { transactions: [], tag: 3 });
  return { below, large, invalid, rival };
}

const blocks = fixture();

/** A chain at the parent of the large block. */
function start(store?: MemoryStore): { readonly chain: Chain } {
  const opened = open(store);
  for (const block of blocks.below) assert.deepEqual(opened.chain.submitBlock(bytesOf(opened.chain, block)), { status: 'accepted' });
  return opened;
}

/** Makes each look at the clock find that time is up. */
function hurry(t: { readonly mock: { method(object: object, name: 'now', implementation: () => number): unknown } }): void {
  let now = performance.now();
  t.mock.method(performance, 'now', () => {
    now += 1_000;
    return now;
  });
}

function whole(...names: readonly ('large' | 'invalid' | 'rival')[]): string {
  const { chain } = start();
  for (const name of names) chain.submitBlock(bytesOf(chain, blocks[name]));
  return digest(chain);
}

test('a large block of a peer is connected in slices, between which the state is that of its parent', (t) => {
  const { chain } = start();
  const before = digest(chain);
  const parent = chain.tip;
  hurry(t);
  const receipt = chain.processBlock(bytesOf(chain, blocks.large), { requested: true });
  assert.ok(receipt.status === 'stored' && receipt.pending);
  let slices = 0;
  while (chain.tip === parent) {
    assert.equal(chain.coin({ txid: blocks.large.transactions[1]?.txid ?? new Uint8Array(), vout: 0 }), undefined);
    chain.advance();
    slices += 1;
  }
  // Each transaction, the reads before them, the verdict on the scripts, the end of the block, and its undo record.
  assert.ok(slices > TRANSACTIONS + 5, `${slices} slices`);
  assert.notEqual(digest(chain), before);
  assert.equal(digest(chain), whole('large'));
});

test('a step of a large block reads a bounded number of coins', () => {
  const store = new NotingStore();
  const { chain } = start(store);
  store.mostCoins = 0;
  assert.deepEqual(chain.submitBlock(bytesOf(chain, blocks.large)), { status: 'accepted' });
  assert.ok(store.mostCoins > 100 && store.mostCoins <= 256, `${store.mostCoins} coins`);
});

test('a snapshot while the changes of a submitted block are prepared does not write them', async (t) => {
  const store = new NotingStore();
  const { chain } = start(store);
  const parent = chain.tip;
  const written = () => store.get(coins, { txid: blocks.large.transactions.at(-1)?.txid ?? new Uint8Array(), vout: 0 }) !== undefined;
  hurry(t);
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, blocks.large)), { status: 'accepted' });
  assert.notEqual(chain.tip, parent);
  await untilTurn(() => store.hasPrepared, 'the preparation begins');
  const snapshot = chain.snapshot();
  assert.equal(written(), false);
  t.mock.restoreAll();
  await until(written, 'the changes are written');
  const seen = [...snapshot.entries(coins)];
  assert.deepEqual(seen, [...chain.state.entries(coins)]);
  extend(chain, 1);
  assert.deepEqual([...snapshot.entries(coins)], seen);
  assert.equal([...chain.state.entries(coins)].length, seen.length + 1);
  snapshot.close();
});

test('a change while the changes of a submitted block are prepared is written too', async (t) => {
  const { chain } = start();
  const parent = chain.tip;
  hurry(t);
  const submitted = chain.submitBlockInSlices(bytesOf(chain, blocks.large));
  while (chain.tip === parent) await new Promise((resolve) => setImmediate(resolve));
  chain.processBlock(bytesOf(chain, blocks.rival), { requested: true });
  t.mock.restoreAll();
  assert.deepEqual(await submitted, { status: 'accepted' });
  assert.equal(digest(chain), whole('large', 'rival'));
});

test('a read between the slices of a block, which writes what is pending, does not begin its work again', (t) => {
  const { chain } = start();
  const parent = chain.tip;
  hurry(t);
  chain.processBlock(bytesOf(chain, blocks.large), { requested: true });
  chain.processBlock(bytesOf(chain, blocks.rival), { requested: true });
  chain.snapshot().close();
  let slices = 0;
  for (; chain.tip === parent; slices++) chain.advance();
  assert.ok(slices > 5, `${slices} slices`);
  t.mock.restoreAll();
  assert.equal(digest(chain), whole('large', 'rival'));
});

test('a block that is submitted in slices has the verdict of one that is not', async (t) => {
  for (const name of ['large', 'invalid'] as const) {
    const { chain } = start();
    const plain = start().chain.submitBlock(bytesOf(chain, blocks[name]));
    hurry(t);
    const result = chain.submitBlockInSlices(bytesOf(chain, blocks[name]));
    assert.ok(result instanceof Promise);
    t.mock.restoreAll();
    assert.deepEqual(await result, plain);
    assert.equal(digest(chain), whole(name));
  }
});

test('any changes of the chain between the slices of a block: the state is that of the tip', (t) => {
  const step = fc.constantFrom('large', 'invalid', 'rival', 'advance', 'disconnect', 'reconsider', 'flush', 'read', 'precious', 'mint');
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
    const { chain } = start();
    const parent = chain.tip;
    hurry(t);
    for (const name of steps) {
      if (name === 'advance') chain.advance();
      else if (name === 'disconnect') {
        if (chain.tip.height >= parent.height) chain.invalidate(chain.tip);
      } else if (name === 'reconsider') chain.reconsider(parent);
      else if (name === 'flush') chain.close();
      else if (name === 'read') chain.snapshot().close();
      else if (name === 'mint') {
        if (chain.tip === parent) chain.submitMinted(blocks.rival);
      } else if (name === 'precious') {
        const rival = chain.entry(blocks.rival.hash);
        if (rival) chain.precious(rival);
      } else chain.processBlock(bytesOf(chain, blocks[name]), { requested: true });
    }
    while (chain.advance());
    chain.reconsider(parent);
    t.mock.restoreAll();
    const { tip } = chain;
    const name = (['large', 'rival'] as const).find((each) => toHex(blocks[each].hash) === toHex(tip.hash));
    assert.ok(name !== undefined || tip === parent);
    const expected = start().chain;
    if (name) expected.submitBlock(bytesOf(expected, blocks[name]));
    assert.equal(stateOf(chain), stateOf(expected));
  });
  fc.assert(property, { numRuns: Number(process.env.FC_RUNS ?? 10) });
});

test('a minted block has the effect of a submitted one, and can be disconnected', () => {
  const { chain } = start();
  const before = stateOf(chain);
  assert.deepEqual(chain.submitMinted(blocks.large), { status: 'accepted' });
  assert.equal(digest(chain), whole('large'));
  assert.deepEqual(chain.submitMinted(blockOn(chain, chain.tip)), { status: 'accepted' });
  assert.equal(chain.tip.height, (chain.entry(blocks.large.hash)?.height ?? 0) + 1);
  chain.invalidate(chain.entry(blocks.large.hash) ?? assert.fail());
  assert.equal(stateOf(chain), before);
});

test('an invalid minted block leaves no trace', () => {
  const { chain } = start();
  const { tip, sizeOnDisk } = chain;
  const before = digest(chain);
  assert.equal(chain.submitMinted(blocks.invalid).status, 'rejected');
  const badHeader = blockOn(chain, tip, { header: { time: tip.medianTimePast() } });
  assert.deepEqual(chain.submitMinted(badHeader), { status: 'rejected', reason: 'time-too-old' });
  for (const { hash } of [blocks.invalid, badHeader]) assert.equal(chain.entry(hash), undefined);
  assert.deepEqual([chain.tip, chain.sizeOnDisk, digest(chain)], [tip, sizeOnDisk, before]);
});

/** Coins and DeFi state, without headers and undo records of other branches. */
function stateOf(chain: Chain): string {
  const rows = chainColumns.filter(({ name }) => name.includes('coins')).concat(dfiColumns);
  return rows
    .flatMap((column) => [...chain.state.entries(column)].map(([k, v]) => toHex(encode(column.key, k)) + toHex(encode(column.value, v))))
    .join();
}

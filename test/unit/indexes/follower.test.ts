import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { TransactionIndex, transactionPositions } from '../../../src/indexes/transactions.js';
import { networkParams } from '../../../src/params/index.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { Slicer } from '../../../src/util/slicer.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';

test('an index of a one-block chain is in sync immediately, even if the time slice is used up', () => {
  const params = networkParams({ network: 'regtest' });
  const chain = new Chain(
    { params },
    { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_579_045_065), log: silentLogger },
  );
  const index = new TransactionIndex({ store: new MemoryStore(), chain, log: silentLogger });
  const slicer = new Slicer();
  while (!slicer.pause());
  index.start();
  assert.ok(index.synced);
  index.stop();
});

/** A node with an index, and blocks that each have `size` transactions. */
async function indexedChain(size: number) {
  const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
  const clock = new FixedClock(params.genesis.header.time + 100_000);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const store = new MemoryStore();
  const index = new TransactionIndex({ store, chain, log: silentLogger });
  const coinbases = extend(chain, 20).map(({ transactions: [coinbase] }) => coinbase as Transaction);
  extend(chain, 100);
  index.start();
  while (!index.synced) await new Promise((resolve) => setImmediate(resolve));
  const connectNext = (): readonly Transaction[] => {
    const coinbase = coinbases.shift() as Transaction;
    const vout = Array.from({ length: size }, () => ({ value: 1_000n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }));
    const first = spend(chain, [{ txid: coinbase.txid, vout: 0 }], [], { vout });
    const others = vout.map((_, i) =>
      spend(chain, [{ txid: first.txid, vout: i }], [], { vout: [{ value: 900n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] }),
    );
    const transactions = [first, ...others];
    const result = chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip, { transactions })));
    assert.equal(result.status, 'accepted');
    return transactions;
  };
  return { chain, store, index, connectNext };
}

function positionsIn(store: MemoryStore, transactions: readonly Transaction[]): number {
  return transactions.filter(({ txid }) => store.get(transactionPositions, txid) !== undefined).length;
}

test('a small block is indexed when it is connected, a large one in a later turn', async () => {
  const { store, index, connectNext } = await indexedChain(20);
  const small = connectNext();
  assert.equal(positionsIn(store, small), small.length);
  index.stop();
  const large = await indexedChain(200);
  const slicer = new Slicer();
  while (!slicer.pause());
  const transactions = large.connectNext();
  assert.equal(positionsIn(large.store, transactions), 0);
  assert.ok(large.index.synced);
  while (positionsIn(large.store, transactions) === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(positionsIn(large.store, transactions), transactions.length);
  assert.equal(large.index.position, large.chain.tip);
  large.index.stop();
});

test('a read, a disconnect and a stop find the blocks indexed that wait for it', async () => {
  const { chain, store, index, connectNext } = await indexedChain(200);
  const slicer = new Slicer();
  while (!slicer.pause());
  const [read = [], disconnected, stopped] = [connectNext, connectNext, connectNext].map((connect, i) => {
    const transactions = connect();
    assert.equal(positionsIn(store, transactions), 0);
    if (i === 0) assert.deepEqual(index.find((transactions[150] as Transaction).txid)?.position, 151);
    if (i === 1) chain.invalidate(chain.tip);
    return transactions;
  });
  assert.equal(positionsIn(store, read), read.length);
  assert.equal(positionsIn(store, disconnected as readonly Transaction[]), disconnected?.length);
  assert.equal(index.position, chain.tip);
  index.stop();
  assert.equal(positionsIn(store, stopped as readonly Transaction[]), stopped?.length);
});

test('few blocks wait to be indexed', async () => {
  const { store, index, connectNext } = await indexedChain(200);
  const slicer = new Slicer();
  while (!slicer.pause());
  const blocks = Array.from({ length: 12 }, connectNext);
  assert.ok(blocks.filter((transactions) => positionsIn(store, transactions) === 0).length <= 4);
  index.stop();
});

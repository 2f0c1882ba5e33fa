import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BlockPosition, MemoryBlocks } from '../../../src/chain/block-store.js';
import type { Chain } from '../../../src/chain/chain.js';
import { allowSpans, type IndexedTransaction, TransactionIndex, transactionPositions } from '../../../src/indexes/transactions.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { StoreDamaged } from '../../../src/storage/errors.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { checkVersion, meta } from '../../../src/storage/version.js';
import { toHex } from '../../../src/util/bytes.js';
import { silentLogger } from '../../../src/util/logger.js';
import { chainWithCoins, emptyChain } from './full-blocks.js';

/** Blocks in memory that count how many were read whole. */
class CountingBlocks extends MemoryBlocks {
  whole = 0;
  /** True if each read byte is another one than was stored. */
  damaged = false;

  override read(at: BlockPosition): Uint8Array {
    this.whole += 1;
    return this.#shown(super.read(at));
  }

  override readPart(at: BlockPosition, offset: number, size: number): Uint8Array | undefined {
    const part = super.readPart(at, offset, size);
    return part && this.#shown(part);
  }

  #shown(bytes: Uint8Array): Uint8Array {
    return this.damaged ? bytes.map((byte) => byte ^ 1) : bytes;
  }
}

/** A chain as after a restart, with no block in memory, and the transactions of its tip. */
async function reopened() {
  const parts = { store: new MemoryStore(), blocks: new CountingBlocks() };
  const before = chainWithCoins(20, emptyChain(parts));
  const transactions = before.connectNext();
  const index = new TransactionIndex({ store: parts.store, chain: before.chain, log: silentLogger });
  index.start();
  while (!index.synced) await new Promise((resolve) => setImmediate(resolve));
  index.stop();
  before.chain.close();
  const chain = emptyChain(parts);
  parts.blocks.whole = 0;
  return { ...parts, chain, index, transactions };
}

/** Bytes of the transaction that is read from its place. */
function bytesAt(chain: Chain, place: IndexedTransaction | undefined): string {
  assert.ok(place);
  const entry = chain.entry(place.blockHash) ?? assert.fail();
  return toHex(chain.transaction(entry, place)?.raw ?? assert.fail());
}

test('a transaction is read without the rest of its block', async () => {
  const { blocks, chain, index, transactions } = await reopened();
  for (const { txid, raw } of transactions) assert.equal(bytesAt(chain, index.find(txid)), toHex(raw));
  assert.equal(blocks.whole, 0);
});

test('a row of an earlier version has no span: the whole block is read', async () => {
  const { blocks, chain, index, store, transactions } = await reopened();
  const last = transactions.at(-1) as Transaction;
  const { blockHash, position } = index.find(last.txid) ?? assert.fail();
  const row = Uint8Array.from([...blockHash, position]);
  assert.deepEqual(decode(transactionPositions.value, row), { blockHash, position, span: undefined });
  store.write([{ column: transactionPositions.name, key: encode(transactionPositions.key, last.txid), value: row }]);
  assert.equal(bytesAt(chain, index.find(last.txid)), toHex(last.raw));
  assert.equal(blocks.whole, 1);
});

test('stored bytes of a row with a span', () => {
  const place = { blockHash: Buffer.alloc(32, 2), position: 300, span: { offset: 200, size: 191 } };
  const row = encode(transactionPositions.value, place);
  assert.equal(toHex(row), `${'02'.repeat(32)}812c8048803f`);
  assert.deepEqual(decode(transactionPositions.value, row), place);
});

test('a database of format 5, whose rows have no spans, is brought to the next format with them', async () => {
  const store = new MemoryStore();
  const key = encode(transactionPositions.key, new Uint8Array(32).fill(1));
  const row = Uint8Array.from([...new Uint8Array(32).fill(2), 7]);
  store.write([
    { column: meta.name, key: encode(meta.key, 'version'), value: encode(meta.value, 5) },
    { column: transactionPositions.name, key, value: row },
  ]);
  await checkVersion(store, [allowSpans], 6);
  assert.equal(store.get(meta, 'version'), 6);
  assert.equal(store.get(transactionPositions, new Uint8Array(32).fill(1))?.position, 7);
});

test('other bytes at the place are not taken for the transaction', async () => {
  const { blocks, chain, index, transactions } = await reopened();
  const [first, second] = transactions as [Transaction, Transaction];
  const place = index.find(first.txid) ?? assert.fail();
  assert.equal(bytesAt(chain, { ...place, span: index.find(second.txid)?.span }), toHex(first.raw));
  assert.equal(blocks.whole, 1);
});

test('a damaged block is reported, although a part of it was asked for', async () => {
  const { blocks, chain, index, transactions } = await reopened();
  blocks.damaged = true;
  assert.throws(() => bytesAt(chain, index.find((transactions[0] as Transaction).txid)), StoreDamaged);
  assert.match(chain.damage ?? '', /is damaged/);
});

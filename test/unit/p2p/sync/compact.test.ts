import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compactBlockOf, PartialBlock, ShortIds } from '../../../../src/p2p/sync/compact.js';
import { decodeTransactions, encodeTransactions } from '../../../../src/p2p/wire/blocktxn.js';
import { cmpctblock } from '../../../../src/p2p/wire/cmpctblock.js';
import type { Block } from '../../../../src/primitives/block.js';
import { ByteReader, decode, encode } from '../../../../src/primitives/codec.js';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { fromHex } from '../../../../src/util/bytes.js';
import { finish, Slicer, type Steps } from '../../../../src/util/slicer.js';
import { blockOn } from '../../../chains/block-builder.js';
import { turnsOf } from '../../../event-loop-turns.js';
import { PoolNode } from '../../mempool/fixture.js';

const format = { tokenIds: true };
const node = new PoolNode();

function witnessed(tx: Transaction): Transaction {
  return makeTransaction({ ...tx, vin: tx.vin.map((input) => ({ ...input, witness: [Uint8Array.of(1)] })) }, format);
}

const payments = Array.from({ length: 5 }, (_, i) => node.pay([node.coin(i)], [node.subsidy(i + 1) - 1000n]));
const withWitness = payments.map((tx, i) => (i === 2 ? witnessed(tx) : tx));
const block: Block = blockOn(node.chain, node.chain.tip, { transactions: withWitness });
const NONCE = 0x1122334455667788n;

function begin(version: 1 | 2, known: readonly Transaction[], compact = compactBlockOf(block, NONCE, version, format)): PartialBlock {
  const partial = finish(PartialBlock.begin(compact, version, known));
  assert.ok(partial instanceof PartialBlock);
  return partial;
}

describe('compact blocks', () => {
  test('the key of short ids covers the whole header and the nonce', () => {
    // Computed with the Python siphash of defid's test framework.
    const header = {
      version: 4,
      prevHash: new Uint8Array(32).fill(1),
      merkleRoot: new Uint8Array(32).fill(2),
      time: 1_600_000_000,
      bits: 0x207fffff,
      stakeModifier: new Uint8Array(32).fill(3),
      height: 7n,
      mintedBlocks: 5n,
      signature: new Uint8Array(65).fill(4),
    };
    const tx = { txid: fromHex('09'.repeat(32)), wtxid: fromHex('0a'.repeat(32)) };
    assert.equal(new ShortIds(header, 1n, 1).of(tx), 121_262_958_657_543);
    assert.equal(new ShortIds(header, 1n, 2).of(tx), 165_013_261_323_391);
  });

  test('the coinbase is prefilled, in version 1 without its witness', () => {
    for (const version of [1, 2] as const) {
      const compact = compactBlockOf({ ...block, transactions: block.transactions.map(witnessed) }, NONCE, version, format);
      assert.equal(compact.shortIds.length, 5);
      assert.deepEqual(
        compact.prefilled.map(({ index, tx }) => [index, tx.vin[0]?.witness.length]),
        [[0, version === 2 ? 1 : 0]],
      );
      const bytes = encode(cmpctblock(format), compact);
      assert.deepEqual(encode(cmpctblock(format), decode(cmpctblock(format), bytes)), bytes);
    }
  });

  test('transactions that the mempool lacks are requested, and complete the block', () => {
    const partial = begin(2, [withWitness[4], withWitness[0], withWitness[3]] as Transaction[]);
    assert.deepEqual(partial.missing(), [2, 3]);
    assert.deepEqual(finish(partial.complete([withWitness[1], withWitness[2]] as Transaction[])), block);
  });

  test('version 2 distinguishes transactions by their witness, version 1 does not', () => {
    assert.deepEqual(begin(2, payments).missing(), [3]);
    assert.deepEqual(begin(1, payments).missing(), []);
  });

  test('too few or too many transactions are invalid, others fail without blame', () => {
    const partial = begin(2, withWitness.slice(1));
    assert.deepEqual(partial.missing(), [1]);
    assert.equal(finish(partial.complete([])), 'invalid');
    assert.equal(finish(partial.complete([payments[0], payments[0]] as Transaction[])), 'invalid');
    assert.equal(finish(partial.complete([payments[1]] as Transaction[])), 'failed');
  });

  test('transactions with the same short id are both left out', () => {
    const compact = compactBlockOf(block, NONCE, 1, format);
    const partial = finish(PartialBlock.begin(compact, 1, [payments[2] as Transaction, withWitness[2] as Transaction, ...payments]));
    assert.ok(partial instanceof PartialBlock);
    assert.deepEqual(partial.missing(), [3]);
  });

  test('equal short ids, no transactions, indexes beyond the end', () => {
    const compact = compactBlockOf(block, NONCE, 2, format);
    const [coinbase] = compact.prefilled;
    assert.ok(coinbase);
    assert.equal(finish(PartialBlock.begin({ ...compact, shortIds: [1n, 2n, 1n] }, 2, [])), 'failed');
    assert.equal(finish(PartialBlock.begin({ ...compact, shortIds: [], prefilled: [] }, 2, [])), 'invalid');
    assert.equal(finish(PartialBlock.begin({ ...compact, prefilled: [{ ...coinbase, index: 6 }] }, 2, [])), 'invalid');
    const prefilledWith = (vout: Transaction['vout']) => [{ index: 0, tx: { ...coinbase.tx, vin: [], vout } }];
    assert.equal(finish(PartialBlock.begin({ ...compact, prefilled: prefilledWith([]) }, 2, [])), 'invalid');
    assert.notEqual(finish(PartialBlock.begin({ ...compact, prefilled: prefilledWith(coinbase.tx.vout) }, 2, [])), 'invalid');
    assert.ok(finish(PartialBlock.begin({ ...compact, prefilled: [{ ...coinbase, index: 5 }] }, 2, [])) instanceof PartialBlock);
  });

  test('those with many transactions are read, filled and completed over several turns', async () => {
    const [tx] = payments as [Transaction];
    const many = Array.from({ length: 3000 }, () => tx);
    const raw = encodeTransactions(many, format);
    const sliced = (steps: Steps<unknown> | undefined) => turnsOf(() => new Slicer().run(steps ?? assert.fail()));
    assert.ok((await sliced(decodeTransactions(raw, format))) > 5);
    assert.deepEqual(finish(decodeTransactions(raw, format)), many);
    const compact = { ...compactBlockOf(block, NONCE, 2, format), shortIds: Array.from({ length: 20_000 }, (_, i) => BigInt(i)) };
    assert.ok((await sliced(cmpctblock(format).readLong?.(new ByteReader(encode(cmpctblock(format), compact))))) > 1);
    assert.ok((await sliced(PartialBlock.begin(compact, 2, []))) > 5);
    const partial = begin(2, [], compact);
    const all = Array.from({ length: 20_000 }, () => tx);
    assert.ok((await sliced(partial.complete(all))) > 5);
    assert.equal(finish(partial.complete(all)), 'failed');
  });
});

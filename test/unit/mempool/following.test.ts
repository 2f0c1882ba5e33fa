import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { masternodes } from '../../../src/dfi/masternodes/columns.js';
import type { CustomTxGate } from '../../../src/mempool/custom-tx-gate.js';
import { DisconnectedTransactions } from '../../../src/mempool/disconnected-transactions.js';
import type { RemovalReason } from '../../../src/mempool/pool.js';
import type { Block } from '../../../src/primitives/block.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { toHex } from '../../../src/util/bytes.js';
import { masternodeOf } from '../../masternode.js';
import { ANYONE, coinbaseOf, DFI, output, PoolNode } from './fixture.js';

const MASTERNODE = masternodeOf({ creationHeight: 0 });

/** A gate whose state has no masternodes. */
function unlockedGate(): CustomTxGate {
  const state = new Overlay(new MemoryStore());
  return { state, reset() {}, apply: () => () => {} };
}

function removals(node: PoolNode): { reason: RemovalReason; txid: string }[] {
  const seen: { reason: RemovalReason; txid: string }[] = [];
  node.pool.on('removed', ({ entry, reason }) => void seen.push({ reason, txid: entry.key }));
  return seen;
}

describe('a connected block', () => {
  test('removes its transactions but not their children', () => {
    const node = new PoolNode({ coins: 2 });
    const parent = node.pay([node.coin(0)], [DFI]);
    const child = node.pay([output(parent)], [DFI / 2n]);
    const seen = removals(node);
    node.add(parent);
    node.add(child);
    node.mine([parent]);
    assert.deepEqual([node.has(parent), node.has(child)], [false, true]);
    assert.equal(node.pool.get(child.txid)?.ancestors.count, 1);
    assert.deepEqual(seen, [{ reason: 'block', txid: toHex(parent.txid) }]);
  });

  test('removes conflicting transactions with descendants, and drops their fee deltas', () => {
    const node = new PoolNode({ coins: 2 });
    const loser = node.pay([node.coin(0)], [DFI]);
    const below = node.pay([output(loser)], [DFI / 2n]);
    for (const tx of [loser, below]) node.add(tx);
    node.mempool.prioritise(loser.txid, 7n);
    const winner = node.pay([node.coin(0)], [DFI * 2n]);
    node.mempool.prioritise(winner.txid, 7n);
    const seen = removals(node);
    node.mine([winner]);
    assert.equal(node.pool.size, 0);
    assert.deepEqual(
      seen.map(({ reason }) => reason),
      ['conflict', 'conflict'],
    );
    assert.equal(node.pool.feeDeltas().size, 0);
  });
});

test('below the Metachain height a block that removes an entry evicts children of unconfirmed transactions', () => {
  for (const metachain of [undefined, 0]) {
    const node = new PoolNode({ coins: 2, ...(metachain === undefined ? {} : { metachain }) });
    const other = node.pay([node.coin(0)], [DFI]);
    const parent = node.pay([node.coin(1)], [DFI]);
    const child = node.pay([output(parent)], [DFI / 2n]);
    for (const tx of [other, parent, child]) node.add(tx);
    node.mine();
    assert.deepEqual([node.has(parent), node.has(child)], [true, true]);
    node.mine([other]);
    assert.deepEqual([node.has(parent), node.has(child)], [true, metachain === 0]);
  }
});

test('a lower limit of OP_RETURN outputs removes transactions beyond it, with the next entry that a block removes', () => {
  const state = new Overlay(new MemoryStore());
  const node = new PoolNode({ coins: 3, metachain: 0, gate: () => ({ state, reset() {}, apply: () => () => {} }) });
  const other = node.pay([node.coin(0)], [DFI]);
  const carrying = (coin: number, length: number) => {
    const scripts = [buildScript(Op.RETURN, new Uint8Array(length)), ANYONE];
    const vout = scripts.map((scriptPubKey, i) => ({ value: i === 0 ? 0n : DFI, scriptPubKey, tokenId: 0 }));
    return node.pay([node.coin(coin)], [], { vout });
  };
  const [short, long] = [carrying(1, 10), carrying(2, 70)];
  for (const tx of [other, short, long]) node.add(tx);
  state.put(attributes, attributeAt('v0/rules/tx/core_op_return_max_size_bytes'), { kind: 'u64', value: 50n });
  node.mine([other]);
  assert.deepEqual([node.has(short), node.has(long)], [true, false]);
});

describe('a reorganisation', () => {
  test('re-accepts transactions of disconnected blocks, children too', () => {
    const node = new PoolNode({ coins: 2, metachain: 0 });
    const parent = node.pay([node.coin(0)], [DFI]);
    const child = node.pay([output(parent)], [DFI / 2n]);
    const grandchild = node.pay([output(child)], [DFI / 4n]);
    const fork = node.chain.tip;
    node.mine([parent]);
    node.mine([child]);
    node.add(grandchild);
    const other = node.mine([], { on: fork, tag: 1 });
    node.mine([], { on: node.chain.entry(other.hash) as BlockIndexEntry, tag: 2 });
    assert.equal(node.pool.size, 1);
    const last = node.chain.entry(node.chain.tip.hash) as BlockIndexEntry;
    assert.equal(last.height, fork.height + 2);
    const third = node.mine([], { on: nextOf(node, other), tag: 3 });
    assert.equal(toHex(node.chain.tip.hash), toHex(third.hash));
    assert.deepEqual([node.has(parent), node.has(child), node.has(grandchild)], [true, true, true]);
    const totals = node.pool.get(grandchild.txid)?.ancestors;
    assert.equal(totals?.count, 3);
    assert.equal(node.pool.get(parent.txid)?.descendants.count, 3);
  });

  test('evicts children of disconnected transactions from the Metachain height on, if the new chain removes an entry', () => {
    for (const removes of [false, true]) {
      const node = new PoolNode({ coins: 2, metachain: 0 });
      const parent = node.pay([node.coin(0)], [DFI]);
      const child = node.pay([output(parent)], [DFI / 2n]);
      const other = node.pay([node.coin(1)], [DFI]);
      const fork = node.chain.tip;
      node.mine([parent]);
      for (const tx of [child, other]) node.add(tx);
      const block = node.mine(removes ? [other] : [], { on: fork, tag: 1 });
      node.mine([], { on: node.chain.entry(block.hash) as BlockIndexEntry, tag: 2 });
      assert.equal(node.chain.tip.height, fork.height + 2);
      assert.deepEqual([node.has(parent), node.has(child), node.has(other)], [true, !removes, !removes]);
    }
  });

  test('does not re-accept transactions that the new chain contains', () => {
    const node = new PoolNode({ coins: 2 });
    const tx = node.pay([node.coin(0)], [DFI]);
    const fork = node.chain.tip;
    node.mine([tx]);
    const other = node.mine([tx], { on: fork, tag: 1 });
    node.mine([], { on: node.chain.entry(other.hash) as BlockIndexEntry, tag: 2 });
    assert.equal(node.chain.tip.height, fork.height + 2);
    assert.equal(node.pool.size, 0);
  });

  test('drops transactions that conflict with the new chain, with descendants', () => {
    const node = new PoolNode({ coins: 2 });
    const old = node.pay([node.coin(0)], [DFI]);
    const child = node.pay([output(old)], [DFI / 2n]);
    const fork = node.chain.tip;
    node.mine([old]);
    node.add(child);
    const other = node.mine([node.pay([node.coin(0)], [2n * DFI])], { on: fork, tag: 1 });
    node.mine([], { on: node.chain.entry(other.hash) as BlockIndexEntry, tag: 2 });
    assert.equal(node.chain.tip.height, fork.height + 2);
    assert.equal(node.pool.size, 0);
  });

  test('drops spends of a coinbase that is no longer mature', () => {
    const node = new PoolNode({ coins: 2 });
    const youngest = node.pay([node.coin(1)], [DFI]);
    const older = node.pay([node.coin(0)], [DFI]);
    const child = node.pay([output(youngest)], [DFI / 2n]);
    for (const tx of [youngest, older, child]) node.add(tx);
    node.chain.invalidate(node.chain.tip);
    assert.deepEqual([node.has(youngest), node.has(child), node.has(older)], [false, false, true]);
  });

  test('drops transactions that are no longer final', () => {
    const node = new PoolNode({ coins: 2 });
    const { height } = node.chain.tip;
    const byHeight = node.pay([node.coin(0)], [DFI], { lockTime: height, sequence: 0xfffffffe });
    node.add(byHeight);
    node.chain.invalidate(node.chain.tip);
    assert.equal(node.pool.size, 0);
  });

  test('drops transactions whose relative lock times are no longer over', () => {
    const node = new PoolNode({ coins: 2 });
    node.add(node.pay([node.coin(0)], [DFI], { sequence: node.chain.tip.height }));
    node.chain.invalidate(node.chain.tip);
    assert.equal(node.pool.size, 0);
  });

  test('drops spends of a coinbase that was disconnected', () => {
    const node = new PoolNode({ coins: 2, policy: { requireStandard: false } });
    const parent = node.pay([node.coin(0)], [DFI]);
    const block = node.mine([parent]);
    const child = node.pay([output(parent)], [DFI / 2n]);
    node.add(child);
    node.chain.invalidate(node.chain.entry(block.hash) as BlockIndexEntry);
    assert.deepEqual([node.has(parent), node.has(child)], [true, true]);
    assert.equal(node.pool.output(output(coinbaseOf(block))), undefined);
  });
});

describe('after a reorganisation, collateral', () => {
  for (const metachain of [undefined, 0]) {
    const side = metachain === undefined ? 'below Metachain' : 'from Metachain on';

    /** Removes a block above masternodes whose collateral is output 1 of `txids`. */
    const reorganise = (node: PoolNode, txids: readonly Hash256[]) => {
      const overlay = new Overlay(node.chain.state);
      for (const txid of txids) overlay.put(masternodes, txid, MASTERNODE);
      node.chain.amendTip(overlay);
      node.mine();
      node.chain.invalidate(node.chain.tip);
    };

    test(`is locked as on the chain, whatever pooled transactions did to it, ${side}`, () => {
      const node = new PoolNode({ coins: 3, ...(metachain === undefined ? {} : { metachain }), gate: unlockedGate });
      const [spent, free] = [0, 1].map((i) => node.pay([node.coin(i)], [DFI, DFI])) as [Transaction, Transaction];
      node.mine([spent, free]);
      const [locked, other] = [node.pay([output(spent, 1)], [DFI / 2n]), node.pay([output(free, 1)], [DFI / 2n])];
      const child = node.pay([output(locked)], [DFI / 4n]);
      for (const tx of [locked, child, other]) node.add(tx);
      reorganise(node, [spent.txid]);
      assert.deepEqual([node.has(locked), node.has(child), node.has(other)], [false, false, true]);
    });

    test(`is not checked where a coinbase is spent too, ${side}`, () => {
      const node = new PoolNode({ coins: 3, ...(metachain === undefined ? {} : { metachain }), gate: unlockedGate });
      const spent = node.pay([node.coin(0)], [DFI, DFI]);
      node.mine([spent]);
      const both = node.pay([output(spent, 1), node.coin(1)], [DFI]);
      node.add(both);
      reorganise(node, [spent.txid]);
      assert.equal(node.has(both), true);
    });
  }
});

describe('invalidateblock', () => {
  test('returns the transactions of each block before the next is disconnected, those of the highest block first', () => {
    const node = new PoolNode({ coins: 3 });
    const start = node.chain.tip.height;
    const txs = [0, 1].map((i) => node.pay([node.coin(i)], [DFI]));
    for (const tx of txs) node.mine([tx]);
    const depths: number[] = [];
    node.chain.on('invalidated', ({ depth }) => depths.push(depth));
    node.chain.invalidate(node.chain.entryAt(start + 1) as BlockIndexEntry);
    assert.deepEqual(depths, [1, 2]);
    assert.deepEqual(
      [...node.pool.entries()].map(({ tx, height }) => [toHex(tx.txid), height - start]),
      [txs[1], txs[0]].map((tx, i) => [toHex((tx as Transaction).txid), 1 - i]),
    );
  });

  test('drops a returned transaction that is not final below the next block', () => {
    const node = new PoolNode({ coins: 3 });
    const start = node.chain.tip.height;
    node.mine();
    const tx = node.pay([node.coin(0)], [DFI], { lockTime: start + 1, sequence: 0xfffffffe });
    node.mine([tx]);
    const reasons = removals(node);
    node.chain.invalidate(node.chain.entryAt(start + 1) as BlockIndexEntry);
    assert.deepEqual(reasons, [{ reason: 'reorg', txid: toHex(tx.txid) }]);
  });

  for (const { depth, back } of [
    { depth: 10, back: 10 },
    { depth: 11, back: 10 },
    { depth: 13, back: 10 },
  ]) {
    test(`${depth} blocks deep re-accepts the transactions of ${back} blocks`, () => {
      const node = new PoolNode({ coins: 20 });
      const start = node.chain.tip.height;
      const mined: Transaction[] = [];
      for (let i = 0; i < depth; i++) {
        const tx = node.pay([node.coin(i)], [DFI]);
        node.mine([tx]);
        mined.push(tx);
      }
      node.chain.invalidate(node.chain.entryAt(start + 1) as BlockIndexEntry);
      assert.equal(node.chain.tip.height, start);
      assert.deepEqual(
        mined.map((tx) => node.has(tx)),
        mined.map((_, i) => i >= depth - back),
      );
    });
  }

  test('deeper than 10 blocks also removes descendants of the dropped transactions', () => {
    const node = new PoolNode({ coins: 20 });
    const start = node.chain.tip.height;
    const parent = node.pay([node.coin(0)], [DFI]);
    node.mine([parent]);
    for (let i = 0; i < 10; i++) node.mine();
    node.add(node.pay([output(parent)], [DFI / 2n]));
    node.chain.invalidate(node.chain.entryAt(start + 1) as BlockIndexEntry);
    assert.equal(node.pool.size, 0);
  });
});

test('transactions of disconnected blocks are kept up to a size; those of the highest blocks are dropped first', () => {
  const node = new PoolNode({ coins: 3 });
  const txs = [0, 1, 2].map((i) => node.pay([node.coin(i)], [DFI]));
  const blocks = txs.map((tx): Block => ({ ...(node.chain.block(node.chain.tip) as Block), transactions: [tx] }));
  const size = txs[0]?.raw.length ?? 0;
  const returned = new DisconnectedTransactions(2 * size);
  const dropped = blocks.reverse().flatMap((block) => returned.disconnected(block));
  assert.deepEqual(dropped, [txs[2]]);
  assert.deepEqual(returned.take(), [txs[0], txs[1]]);
  assert.equal(returned.pending, false);
});

/** The child of a block. */
function nextOf(node: PoolNode, { hash }: Block): BlockIndexEntry {
  const parent = node.chain.entry(hash);
  return [...node.chain.entries()].find((entry) => entry.parent === parent) as BlockIndexEntry;
}

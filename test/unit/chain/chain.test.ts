import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import type { ChainDeps } from '../../../src/chain/events.js';
import { checkBlock } from '../../../src/consensus/block.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { sha256d } from '../../../src/crypto/hash.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { DecodeError, encode } from '../../../src/primitives/codec.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import type { WorkReport } from '../../../src/util/work-report.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const NOW = 1_600_000_000;

let store: MemoryStore;
let blocks: MemoryBlocks;
let chain: Chain;

function open(more: Pick<ChainDeps, 'report'> = {}): Chain {
  return new Chain({ params }, { store, blocks, clock: new FixedClock(NOW), log: silentLogger, ...more });
}

beforeEach(() => {
  store = new MemoryStore();
  blocks = new MemoryBlocks();
  chain = open();
});

function submit(block: Block) {
  return chain.submitBlock(bytesOf(chain, block));
}

/** Digest of the state: every coin, in order. */
function digest(of: Chain): string {
  let hash: Uint8Array = new Uint8Array(32);
  for (const [point, coin] of of.state.entries(coins))
    hash = sha256d(concatBytes(hash, encode(coins.key, point), encode(coins.value, coin)));
  return toHex(hash);
}

test('the tip of a new chain is the genesis block, whose outputs are coins', () => {
  assert.equal(chain.tip.height, 0);
  assert.equal(toHex(chain.tip.hash), toHex(params.genesis.hash));
  assert.equal([...chain.state.entries(coins)].length, 9);
});

test('a restart finds the same tip, state and header tree', () => {
  extend(chain, 5);
  const fork = blockOn(chain, chain.entryAt(3) as never, { tag: 7 });
  submit(fork);
  chain.close();
  const again = open();
  assert.equal(toHex(again.tip.hash), toHex(chain.tip.hash));
  assert.equal(digest(again), digest(chain));
  assert.equal([...again.entries()].length, 7);
  assert.equal(again.tip.chainTx, chain.tip.chainTx);
  assert.equal(again.entry(fork.hash)?.hasData, true);
});

test('disconnecting restores the state of every height', () => {
  const digests = [digest(chain)];
  const [first] = extend(chain, 1);
  digests.push(digest(chain));
  for (let i = 0; i < 99; i++) {
    extend(chain, 1);
    digests.push(digest(chain));
  }
  const coinbase = { txid: (first as Block).transactions[0]?.txid as Uint8Array, vout: 0 };
  const parent = spend(chain, [coinbase], [2_000_000_000n, 3_000_000_000n]);
  const child = spend(chain, [{ txid: parent.txid, vout: 1 }], [2_999_990_000n]);
  assert.deepEqual(submit(blockOn(chain, chain.tip, { transactions: [parent, child] })), { status: 'accepted' });
  assert.notEqual(digest(chain), digests.at(-1));
  const spent = chain.spentCoins(chain.tip);
  assert.deepEqual(
    spent?.map((coinsOfTx) => coinsOfTx.map((coin) => coin.out.value)),
    [[], [5_000_000_000n], [3_000_000_000n]],
  );
  for (let height = 101; height > 0; height--) {
    chain.invalidate(chain.tip);
    assert.equal(chain.tip.height, height - 1);
    assert.equal(digest(chain), digests[height - 1], `height ${height - 1}`);
  }
});

describe('fork choice', () => {
  test('a longer branch wins; of equal ones the first received does', () => {
    extend(chain, 3, 1);
    const stays = chain.tip;
    let parent = chain.entryAt(1) as NonNullable<ReturnType<Chain['entryAt']>>;
    const news: string[] = [];
    chain.on('disconnected', ({ entry }) => news.push(`-${entry.height}`));
    chain.on('connected', ({ entry }) => news.push(`+${entry.height}`));
    for (let i = 0; i < 2; i++) {
      const block = blockOn(chain, parent, { tag: 2 });
      assert.deepEqual(submit(block), { status: 'inconclusive' });
      parent = chain.entry(block.hash) as typeof parent;
    }
    assert.equal(chain.tip, stays);
    assert.deepEqual(news, []);
    const block = blockOn(chain, parent, { tag: 2 });
    assert.deepEqual(submit(block), { status: 'accepted' });
    assert.equal(toHex(chain.tip.hash), toHex(block.hash));
    assert.deepEqual(news, ['-3', '-2', '+2', '+3', '+4']);
    assert.equal(chain.confirmations(stays), -1);
    assert.equal(chain.forkPoint(stays).height, 1);
  });

  test('blocks that arrive before their parents wait for them', () => {
    const other = open();
    const made = extend(other, 3, 5);
    const waiting = made.slice(1).map((block) => bytesOf(other, block));
    for (const block of made) chain.acceptHeader(block.header);
    assert.equal(chain.bestHeader.height, 3);
    for (const bytes of waiting.reverse()) assert.deepEqual(chain.submitBlock(bytes), { status: 'inconclusive' });
    assert.equal(chain.tip.height, 0);
    assert.deepEqual(submit(made[0] as Block), { status: 'accepted' });
    assert.equal(chain.tip.height, 3);
  });

  test('an invalidated block is disconnected, a reconsidered one is connected again', () => {
    extend(chain, 4);
    const best = chain.tip;
    chain.invalidate(chain.entryAt(2) as never);
    assert.equal(chain.tip.height, 1);
    assert.equal(best.failed, true);
    assert.equal(chain.bestHeader.height, 1);
    chain.reconsider(best);
    assert.equal(chain.tip, best);
    assert.equal(best.failed, false);
  });

  test('a precious block wins among those with the same work', () => {
    extend(chain, 2);
    const first = chain.tip;
    const block = blockOn(chain, first.parent as never, { tag: 9 });
    submit(block);
    assert.equal(chain.tip, first);
    chain.precious(chain.entry(block.hash) as never);
    assert.equal(toHex(chain.tip.hash), toHex(block.hash));
    chain.precious(first);
    assert.equal(chain.tip, first);
  });

  test('a branch that forks below an added checkpoint is rejected, one above it is accepted', () => {
    extend(chain, 4);
    const checkpoint = chain.entryAt(2);
    const isRefused = (error: unknown) => error instanceof BlockInvalid && error.reason === '';
    chain.addCheckpoint({ height: 3, hash: Buffer.alloc(32, 1) });
    chain.addCheckpoint({ height: 2, hash: checkpoint?.hash as Uint8Array });
    chain.addCheckpoint({ height: 2, hash: Buffer.alloc(32, 2) });
    assert.deepEqual(submit(blockOn(chain, chain.entryAt(1) as never, { tag: 9 })), {
      status: 'rejected',
      reason: 'bad-fork-prior-to-checkpoint',
    });
    assert.throws(() => chain.invalidate(checkpoint as never), isRefused);
    assert.deepEqual(submit(blockOn(chain, checkpoint as never, { tag: 9 })), { status: 'inconclusive' });
  });

  test('a deep invalidation writes its changes as they come', () => {
    extend(chain, 400);
    let writes = 0;
    const stop = chain.on('timed', ({ stage }) => {
      if (stage === 'write') writes++;
    });
    chain.invalidate(chain.entryAt(1) as never);
    stop();
    assert.equal(chain.tip.height, 0);
    assert.ok(writes > 2, `${writes} writes`);
  });

  test('genesis cannot be invalidated', () => {
    assert.throws(
      () => chain.invalidate(chain.genesis),
      (error) => error instanceof BlockInvalid && error.reason === '',
    );
  });
});

describe('a block that breaks a rule is rejected with a reason, and the tip does not change', () => {
  const maturity = 101;
  type Case = { readonly name: string; readonly reason: string; readonly make: () => Block };
  const spendable = () => ({ txid: chain.block(chain.entryAt(1) as never)?.transactions[0]?.txid as Uint8Array, vout: 0 });
  const young = () => ({ txid: chain.block(chain.tip)?.transactions[0]?.txid as Uint8Array, vout: 0 });
  const payment = (value: bigint) => ({ value, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 });
  const cases: readonly Case[] = [
    {
      name: 'unknown parent',
      reason: 'prev-blk-not-found',
      make: () => blockOn(chain, chain.tip, { header: { prevHash: new Uint8Array(32).fill(7) } }),
    },
    {
      name: 'merkle root',
      reason: 'bad-txnmrklroot',
      make: () => blockOn(chain, chain.tip, { header: { merkleRoot: new Uint8Array(32) } }),
    },
    { name: 'bits', reason: 'bad-diffbits', make: () => blockOn(chain, chain.tip, { header: { bits: 0x1d00ffff } }) },
    {
      name: 'time not above the median',
      reason: 'time-too-old',
      make: () => blockOn(chain, chain.tip, { header: { time: chain.tip.medianTimePast() } }),
    },
    {
      name: 'time more than two hours ahead',
      reason: 'time-too-new',
      make: () => blockOn(chain, chain.tip, { header: { time: NOW + 7201 } }),
    },
    {
      name: 'no coinbase',
      reason: 'bad-cb-missing',
      make: () => blockOn(chain, chain.tip, { coinbase: { vin: spend(chain, [spendable()], [1n]).vin } }),
    },
    {
      name: 'coinbase script too short',
      reason: 'bad-cb-length',
      make: () =>
        blockOn(chain, chain.tip, {
          coinbase: {
            vin: [{ prevout: { txid: new Uint8Array(32), vout: 0xffffffff }, scriptSig: Uint8Array.of(1), sequence: 0, witness: [] }],
          },
        }),
    },
    {
      name: 'coinbase pays one satoshi too much',
      reason: 'bad-cb-amount',
      make: () => blockOn(chain, chain.tip, { coinbase: { vout: [payment(5_000_000_001n)] } }),
    },
    {
      name: 'output does not exist',
      reason: 'bad-txns-inputs-missingorspent',
      make: () => blockOn(chain, chain.tip, { transactions: [spend(chain, [{ txid: new Uint8Array(32).fill(1), vout: 0 }], [1n])] }),
    },
    {
      name: 'same output twice in one transaction',
      reason: 'bad-txns-inputs-duplicate',
      make: () => blockOn(chain, chain.tip, { transactions: [spend(chain, [spendable(), spendable()], [1n])] }),
    },
    {
      name: 'same output twice in one block',
      reason: 'bad-txns-inputs-missingorspent',
      make: () => blockOn(chain, chain.tip, { transactions: [spend(chain, [spendable()], [1n]), spend(chain, [spendable()], [2n])] }),
    },
    {
      name: 'immature coinbase',
      reason: 'bad-txns-premature-spend-of-coinbase',
      make: () => blockOn(chain, chain.tip, { transactions: [spend(chain, [young()], [1n])] }),
    },
    {
      name: 'pays more than it spends',
      reason: 'bad-txns-in-belowout',
      make: () => blockOn(chain, chain.tip, { transactions: [spend(chain, [spendable()], [5_000_000_001n])] }),
    },
    {
      name: 'negative output',
      reason: 'bad-txns-vout-negative',
      make: () => blockOn(chain, chain.tip, { transactions: [spend(chain, [spendable()], [-1n])] }),
    },
    {
      name: 'output above the money range',
      reason: 'bad-txns-vout-toolarge',
      make: () => blockOn(chain, chain.tip, { transactions: [spend(chain, [spendable()], [120_000_000_000_000_001n])] }),
    },
    {
      name: 'lock time ahead',
      reason: 'bad-txns-nonfinal',
      make: () =>
        blockOn(chain, chain.tip, {
          transactions: [
            spend(chain, [spendable()], [1n], {
              lockTime: 1_000,
              vin: [{ prevout: spendable(), scriptSig: new Uint8Array(0), sequence: 0, witness: [] }],
            }),
          ],
        }),
    },
    {
      name: 'witness without a commitment',
      reason: 'unexpected-witness',
      make: () =>
        blockOn(chain, chain.tip, {
          transactions: [
            spend(chain, [spendable()], [1n], {
              vin: [{ prevout: spendable(), scriptSig: new Uint8Array(0), sequence: 0, witness: [Uint8Array.of(1)] }],
            }),
          ],
        }),
    },
    {
      name: 'script that is not satisfied',
      reason: 'mandatory-script-verify-flag-failed (Operation not valid with the current stack size)',
      make: () => {
        const locked = spend(chain, [spendable()], [], { vout: [{ value: 1_000n, scriptPubKey: Uint8Array.of(0x52, 0x88), tokenId: 0 }] });
        return blockOn(chain, chain.tip, { transactions: [locked, spend(chain, [{ txid: locked.txid, vout: 0 }], [1n])] });
      },
    },
    {
      name: 'spends a burnt output',
      reason: 'burnt-output',
      make: () => {
        const burn = makeBurn();
        return blockOn(chain, chain.tip, { transactions: [burn, spend(chain, [{ txid: burn.txid, vout: 0 }], [1n])] });
      },
    },
  ];
  const makeBurn = () => spend(chain, [spendable()], [], { vout: [{ value: 1_000n, scriptPubKey: params.scripts.burn, tokenId: 0 }] });

  for (const { name, reason, make } of cases) {
    test(`${reason}: ${name}`, () => {
      extend(chain, maturity);
      const tip = chain.tip;
      const before = digest(chain);
      assert.deepEqual(submit(make()), { status: 'rejected', reason });
      assert.equal(chain.tip, tip);
      assert.equal(digest(chain), before);
    });
  }
});

test('a block that was found invalid is remembered, and its descendants are invalid', () => {
  const bad = blockOn(chain, chain.tip, { coinbase: { vout: [{ value: 1n << 40n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] } });
  assert.deepEqual(submit(bad), { status: 'rejected', reason: 'bad-cb-amount' });
  assert.deepEqual(submit(bad), { status: 'duplicate-invalid' });
  assert.deepEqual(submit(blockOn(chain, chain.entry(bad.hash) as never)), { status: 'rejected', reason: 'bad-prevblk' });
});

test('the same block twice is a duplicate', () => {
  const [block] = extend(chain, 1);
  assert.deepEqual(submit(block as Block), { status: 'duplicate' });
});

test('bytes that are no block are rejected', () => {
  assert.throws(() => chain.submitBlock(new Uint8Array(200).fill(255)), DecodeError);
  assert.equal(chain.tip.height, 0);
});

test('recover: stored blocks that are not indexed are imported in any order', async () => {
  const made = extend(chain, 4);
  chain.close();
  const digestBefore = digest(chain);
  store = new MemoryStore();
  const stored = [...blocks.records()].map((position) => blocks.read(position));
  blocks = new MemoryBlocks();
  for (const bytes of [stored[0], stored[3], stored[1], stored[2], stored[4]]) blocks.append(bytes as Uint8Array);
  const reports: WorkReport[] = [];
  const again = open({ report: (each) => reports.push(each) });
  assert.equal(again.tip.height, 0);
  assert.equal(await again.recover(), 4);
  assert.deepEqual(reports.at(-1), { work: 'reindexing blocks', wallet: undefined, percent: 100, isOver: true });
  assert.equal(toHex(again.tip.hash), toHex((made[3] as Block).hash));
  assert.equal(digest(again), digestBefore);
  assert.equal(
    again.sizeOnDisk,
    stored.reduce((sum, bytes) => sum + bytes.length, 0),
  );
  assert.equal(await again.recover(), 0);
});

test('verify: every level passes on a valid chain, also over all blocks', async () => {
  extend(chain, 20);
  for (let level = 0; level <= 4; level++) assert.equal(await chain.verify(level, 6), true, `level ${level}`);
  assert.equal(await chain.verify(4, 0), true);
});

test('ascending block times: a block must be later than its parent', () => {
  extend(chain, 4);
  chain.close();
  const changed = new Overlay(store);
  changed.put(attributes, attributeAt('v0/params/feature/ascending_block_time'), { kind: 'bool', value: true });
  store.write(changed.changes());
  chain = open();
  const { time } = chain.tip;
  assert.ok(time > chain.tip.medianTimePast());
  const early = blockOn(chain, chain.tip, { header: { time } });
  assert.equal(chain.testBlock(early)?.reason, 'time-before-prev');
  assert.deepEqual(submit(early), { status: 'rejected', reason: 'time-before-prev' });
  assert.deepEqual(submit(blockOn(chain, chain.tip, { header: { time: time + 1 } })), { status: 'accepted' });
});

test('testBlock: details of inputs are kept, those of other rules of the connection are for the log', () => {
  extend(chain, 101);
  const tested = (value: bigint, paid: bigint) => {
    const txid = chain.block(chain.entryAt(1) as never)?.transactions[0]?.txid as Uint8Array;
    const vout = [{ value: paid, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }];
    const block = blockOn(chain, chain.tip, { coinbase: { vout }, transactions: [spend(chain, [{ txid, vout: 0 }], [value])] });
    return chain.testBlock(block)?.message;
  };
  const subsidy = 5_000_000_000n;
  assert.equal(tested(subsidy, subsidy), undefined);
  assert.equal(tested(subsidy + 1n, subsidy), 'bad-txns-in-belowout, value in (50.00) < value out (50.00000001)');
  assert.equal(tested(subsidy, subsidy + 1n), 'bad-cb-amount');
});

test('mocknet is never in initial download', () => {
  assert.equal(chain.isInitialDownload(), true);
  const mocked = new Chain({ params: { ...params, mocknet: true } }, { store, blocks, clock: new FixedClock(NOW), log: silentLogger });
  assert.equal(mocked.isInitialDownload(), false);
});

test('a merkle root over account changes too is not checked, but duplicate transactions are found', () => {
  extend(chain, 1);
  const main = networkParams({ network: 'main' });
  const [a, b] = [1n, 2n].map((value, i) => spend(chain, [{ txid: new Uint8Array(32).fill(i), vout: 0 }], [value]));
  const reasonAt = (height: number, parts: Parameters<typeof blockOn>[2]) => {
    try {
      checkBlock(blockOn(chain, chain.tip, parts), height, main);
      return undefined;
    } catch (error) {
      if (error instanceof BlockInvalid) return error.reason;
      throw error;
    }
  };
  const otherRoot = { header: { merkleRoot: new Uint8Array(32) } };
  const repeated = { transactions: [a, b, b].filter((tx) => tx !== undefined) };
  assert.deepEqual(
    [893_999, 894_000, 895_742, 895_743].map((height) => reasonAt(height, otherRoot)),
    ['bad-txnmrklroot', undefined, undefined, 'bad-txnmrklroot'],
  );
  for (const height of [893_999, 894_000, 895_742, 895_743]) assert.equal(reasonAt(height, repeated), 'bad-txns-duplicate');
});

test('reads of the state leave nothing in memory until the next write', () => {
  const state = chain.state as Overlay;
  const before = state.size;
  const points = Array.from({ length: 1_000 }, (_, vout) => ({ txid: params.genesis.hash, vout }));
  assert.equal(state.getMany(coins, points).length, 1_000);
  assert.equal(state.size, before);
});

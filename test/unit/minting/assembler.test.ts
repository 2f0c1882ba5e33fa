import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AssemblySettings, BlockAssembler, DEFAULT_ASSEMBLY } from '../../../src/minting/assembler.js';
import { networkParams } from '../../../src/params/index.js';
import { formatAmount } from '../../../src/primitives/amount.js';
import { formatHash } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { toHex } from '../../../src/util/bytes.js';
import { coinbaseOf, output, PoolNode } from '../mempool/fixture.js';

const SCRIPT = Uint8Array.of(0x51);
const MINE = { scriptPubKey: SCRIPT, time: 1_600_000_100 };

function assembler(node: PoolNode, settings: Partial<AssemblySettings> = {}, flips: boolean[] = []) {
  const flipCoin = () => flips.shift() ?? assert.fail('flipped too often');
  return new BlockAssembler({ ...DEFAULT_ASSEMBLY, ...settings }, { chain: node.chain, pool: node.pool, flipCoin });
}

/** Two transactions, of which the first to enter pays less. */
function twoPayments() {
  const node = new PoolNode();
  const subsidy = node.subsidy(1);
  const early = node.pay([node.coin(0)], [subsidy - 1_000n]);
  const rich = node.pay([node.coin(1)], [subsidy - 9_000n]);
  node.add(early);
  node.clock.set(node.clock.seconds() + 1);
  node.add(rich);
  return { node, early, rich };
}

test('a block holds the pool, pays its fees to the minter, and is valid', () => {
  const { node, early, rich } = twoPayments();
  const child = node.pay([output(early)], [node.subsidy(1) - 20_000n]);
  node.add(child);
  const made = assembler(node);
  assert.equal(made.last, undefined);
  const { block, entries, weight } = made.assemble(MINE);
  assert.deepEqual(
    block.transactions.slice(1).map(({ txid }) => toHex(txid)),
    // The child pays for its parent; their package has a higher fee rate than the other transaction.
    [early, child, rich].map(({ txid }) => toHex(txid)),
  );
  assert.equal(entries.length, 3);
  assert.equal(coinbaseOf(block).vout[0]?.value, node.subsidy(node.chain.tip.height + 1) + 29_000n);
  assert.equal(node.chain.testBlock(block), undefined);
  assert.deepEqual(made.last, { weight, transactions: 3 });
  assert.equal(weight, 4_000 + [early, child, rich].reduce((sum, { raw }) => sum + 4 * raw.length, 0));
});

test('-txordering: by fee, by time, or at random', () => {
  const { node, early, rich } = twoPayments();
  const order = (settings: Partial<AssemblySettings>, flips?: boolean[]) =>
    assembler(node, settings, flips)
      .assemble(MINE)
      .entries.map(({ tx }) => tx);
  assert.deepEqual(order({}), [rich, early]);
  assert.deepEqual(order({ ordering: 2 }), [early, rich]);
  assert.deepEqual(order({ ordering: 0 }, [true]), [rich, early]);
  assert.deepEqual(order({ ordering: 0 }, [false]), [early, rich]);
});

test('-blockmaxweight limits the block, and is clamped', () => {
  const { node } = twoPayments();
  const count = (maxBlockWeight: number) => assembler(node, { maxBlockWeight }).assemble(MINE).entries.length;
  const [one] = [...node.pool.entries()];
  assert.equal(count(4_000 + 4 * (one?.vsize ?? 0) + 1), 1);
  assert.equal(count(-1), 0);
  assert.equal(count(Number.MAX_SAFE_INTEGER), 2);
});

test('-blockmintxfee keeps cheap transactions out', () => {
  const { node, rich } = twoPayments();
  const { entries } = assembler(node, { minFeeRate: 20_000n }).assemble(MINE);
  assert.deepEqual(
    entries.map(({ tx }) => tx),
    [rich],
  );
});

test('-printpriority logs what each transaction of a block pays', () => {
  const { node, early, rich } = twoPayments();
  const lines: string[] = [];
  const log = { info: (text: string) => void lines.push(text) };
  for (const logsFeeRates of [false, true]) {
    new BlockAssembler({ ...DEFAULT_ASSEMBLY, logsFeeRates }, { chain: node.chain, pool: node.pool, log }).assemble(MINE);
  }
  const line = (fee: bigint, { txid, raw }: Transaction) =>
    `fee ${formatAmount((fee * 1000n) / BigInt(raw.length))} DFI/kB txid ${formatHash(txid)}`;
  assert.deepEqual(lines, [line(9_000n, rich), line(1_000n, early)]);
});

test('-blockversion has an effect on regtest only', () => {
  const node = new PoolNode({ coins: 1 });
  assert.equal(assembler(node, { blockVersion: 7 }).assemble(MINE).block.header.version, 7);
  assert.equal(assembler(node).assemble(MINE).block.header.version, 0x20000000);
  const chain = { params: networkParams({ network: 'test' }), tip: node.chain.tip };
  const test = new BlockAssembler({ ...DEFAULT_ASSEMBLY, blockVersion: 7 }, { chain });
  assert.notEqual(test.assemble(MINE).block.header.version, 7);
});

test('custom transactions are tried in the block that is made', () => {
  const { node, early, rich } = twoPayments();
  const begun: object[] = [];
  const beginTrial = (block: object) => {
    begun.push(block);
    return { accepts: ([tx]: readonly object[]) => tx !== rich };
  };
  const { entries } = new BlockAssembler(DEFAULT_ASSEMBLY, { chain: node.chain, pool: node.pool, beginTrial }).assemble(MINE);
  assert.deepEqual(
    entries.map(({ tx }) => tx),
    [early],
  );
  const [height, bits] = [node.chain.tip.height + 1, 0x207fffff];
  assert.deepEqual(begun, [{ height, time: MINE.time, bits, beneficiary: new Uint8Array(20), changes: undefined }]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { BlockAssembler, DEFAULT_ASSEMBLY } from '../../../src/minting/assembler.js';
import { ownMasternodes } from '../../../src/minting/own-masternodes.js';
import { TemplateCache, type TemplateCacheDeps } from '../../../src/minting/template-cache.js';
import type { NetworkParams } from '../../../src/params/network.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { fromHex } from '../../../src/util/bytes.js';
import { genesisKeys } from '../../rpc/service-node.js';
import { NOW, PoolNode } from '../mempool/fixture.js';

interface Setup {
  readonly chain?: Partial<TemplateCacheDeps['chain']>;
  readonly operated?: boolean;
  readonly anchorReward?: () => Transaction;
}

function setUp({ chain: changes, operated = true, anchorReward }: Setup = {}) {
  const node = new PoolNode({ coins: 3 });
  const { chain, clock, pool } = node;
  const operators = operated ? [...genesisKeys(chain.params).keys()].map(fromHex) : [];
  const minter = { masternodes: () => ownMasternodes(chain.state, operators) };
  const assembler = new BlockAssembler(DEFAULT_ASSEMBLY, { chain, pool, anchorReward });
  const seen = {
    get params() {
      return changes?.params ?? chain.params;
    },
    get tip() {
      return chain.tip;
    },
    get state() {
      return changes?.state ?? chain.state;
    },
    testBlock: changes?.testBlock ?? ((block: Parameters<typeof chain.testBlock>[0]) => chain.testBlock(block)),
  };
  const cache = new TemplateCache({ chain: seen, clock, assembler, minter, pool });
  let paid = 0;
  const fill = () => node.add(node.pay([node.coin(paid++)], [node.subsidy(1) - 10_000n]));
  return { node, cache, fill, now: (seconds: number) => clock.set(NOW + seconds) };
}

test('a template is reused for five seconds after the pool changed', () => {
  const { cache, fill, now } = setUp();
  assert.equal(cache.poolUpdates, 0);
  now(100);
  assert.equal(cache.current().entries.length, 0);
  fill();
  now(105);
  assert.equal(cache.current().entries.length, 0);
  now(106);
  assert.equal(cache.current().entries.length, 1);
  assert.equal(cache.poolUpdates, 1);
});

test('a template is reused at any age while the pool does not change', () => {
  const { cache, fill, now } = setUp();
  fill();
  const first = cache.current();
  now(1_000);
  const later = cache.current();
  assert.equal(later.entries, first.entries);
  assert.equal(later.block.header.time, NOW + 1_000);
  assert.equal(later.block.header.bits, first.block.header.bits);
});

test('a new tip makes a new template immediately', () => {
  const { node, cache } = setUp();
  const before = cache.current();
  node.mine();
  const after = cache.current();
  assert.equal(after.parent, node.chain.tip);
  assert.notEqual(after.parent, before.parent);
});

test('a template pays no reward of an anchor, which those who complete it would not know', () => {
  let asked = 0;
  const anchorReward = (): Transaction => {
    asked += 1;
    throw new Error('not reached');
  };
  const { cache, fill } = setUp({ anchorReward });
  fill();
  assert.deepEqual([cache.current().block.transactions.length, asked], [2, 0]);
});

test('block time never decreases, and is above the median time past', () => {
  const { node, cache, now } = setUp();
  now(50);
  assert.equal(cache.current().block.header.time, NOW + 50);
  now(10);
  assert.equal(cache.current().block.header.time, NOW + 50);
  node.mine();
  now(node.chain.tip.medianTimePast() - 10 - NOW);
  assert.equal(cache.current().block.header.time, node.chain.tip.medianTimePast() + 1);
});

test('the coinbase pays an anyone-can-spend script, and the block would be valid', () => {
  const { node, cache, fill } = setUp();
  fill();
  const { block } = cache.current();
  assert.deepEqual(block.transactions[0]?.vout[0]?.scriptPubKey, Uint8Array.of(0x51));
  assert.equal(node.chain.testBlock(block), undefined);
});

test('an invalid block is an error, and the next call tries again', () => {
  let failure: BlockInvalid | undefined = new BlockInvalid('bad-custom-tx');
  const { cache } = setUp({ chain: { testBlock: () => failure } });
  const expected = { kind: 'misc', message: 'CreateNewBlock: TestBlockValidity failed: bad-custom-tx (code 68)' };
  assert.throws(() => cache.current(), expected);
  failure = undefined;
  assert.ok(cache.current());
});

const failures = [
  { metachain: 10_000_000, text: 'bad-blk-weight, weight limit failed (code 16)' },
  { metachain: 0, text: 'bad-blk-weight, weight limit failed' },
];
for (const { metachain, text } of failures) {
  test(`an invalid block is described with details, with Metachain at ${metachain}`, () => {
    const { params } = new PoolNode({ coins: 1 }).chain;
    const moved: NetworkParams = { ...params, upgrades: { ...params.upgrades, metachain } };
    const testBlock = () => new BlockInvalid('bad-blk-weight', 'consensus', 'weight limit failed');
    const { cache } = setUp({ chain: { params: moved, testBlock } });
    assert.throws(() => cache.current(), { message: `CreateNewBlock: TestBlockValidity failed: ${text}` });
  });
}

test('a masternode whose operator is configured twice counts once', () => {
  const { node } = setUp();
  const [first, ...others] = [...genesisKeys(node.chain.params).keys()].map(fromHex);
  assert.ok(first);
  assert.equal(ownMasternodes(node.chain.state, [first, first]).length, 1);
  assert.equal(ownMasternodes(node.chain.state, [first, ...others, first]).length, others.length + 1);
});

const refusals = [
  { name: 'an inactive masternode, in 3', metachain: 10_000_000, kind: 'out-of-memory', message: 'Out of memory' },
  { name: 'an inactive masternode, in 4', metachain: 1, kind: 'misc', message: 'Node is not active' },
  { name: 'no operator, in 4', metachain: 1, operated: false, kind: 'misc', message: 'Node has no operators' },
];
for (const { name, metachain, operated = true, kind, message } of refusals) {
  test(`no template for ${name}`, () => {
    const { node } = setUp();
    const { params } = node.chain;
    const own = ownMasternodes(node.chain.state, [...genesisKeys(params).keys()].map(fromHex));
    const resigned = own.map(({ id, node: record }) => ({ id, node: { ...record, creationHeight: 1_000 } }));
    const moved: NetworkParams = { ...params, upgrades: { ...params.upgrades, metachain } };
    const { chain, clock, pool } = node;
    const cache = new TemplateCache({
      chain: { params: moved, tip: chain.tip, state: chain.state, testBlock: () => undefined },
      clock,
      assembler: { assemble: () => assert.fail('assembled all the same') },
      minter: { masternodes: () => (operated ? resigned : []) },
      pool,
    });
    assert.throws(() => cache.current(), { kind, message });
  });
}

test('with an EVM, whose block has the time of the template, it is made again after five seconds instead of dated again', () => {
  const { node } = setUp();
  const view = new Overlay(node.chain.state);
  view.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
  const { cache, now } = setUp({ chain: { state: view, testBlock: () => undefined } });
  const first = cache.current();
  now(5);
  assert.equal(cache.current(), first);
  now(6);
  const later = cache.current();
  assert.notEqual(later, first);
  assert.equal(later.block.header.time, NOW + 6);
});

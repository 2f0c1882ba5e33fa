import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf } from '../../../src/dfi/accounts/columns.js';
import { accountToAccount } from '../../../src/dfi/accounts/transactions.js';
import { attributes, storedAttributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { evmBlock } from '../../../src/dfi/evm/blocks.js';
import { commitmentOutput } from '../../../src/dfi/evm/commitment.js';
import { startEvmBlock } from '../../../src/dfi/evm/evm-block.js';
import { DefiExecution } from '../../../src/dfi/execution/block.js';
import { makeSplitCreations, splitOrders } from '../../../src/dfi/splits/creation.js';
import { getToken } from '../../../src/dfi/tokens/columns.js';
import { trialsOnTip } from '../../../src/minting/state-trial.js';
import type { HeightOverrides } from '../../../src/params/upgrade-heights.js';
import type { BlockHeader } from '../../../src/primitives/header.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { EvmFixture } from '../dfi/evm-fixture.js';
import { DfiFixture, dataScript, dfi, GRAND_CENTRAL, heights, script } from '../dfi/fixture.js';
import { LoanFixture, TSLA } from '../dfi/loan-fixture.js';

const [owner, receiver, stranger] = [script(1), script(2), script(3)];
const BLOCK = { height: 101, time: 1_600_000_200, bits: 0x207fffff, beneficiary: new Uint8Array(20).fill(9) };

/** A tip at which the owner's account has 10 satoshis. Outputs that are not pooled are coins of the owner. */
function failureConsequenceOf(given: HeightOverrides, pooled: readonly Transaction[] = [], prepare: (view: Overlay) => void = () => {}) {
  const fixture = new DfiFixture(heights(given));
  fixture.give(owner, 0, 10n);
  prepare(fixture.view);
  const transactions = new Map(pooled.map((tx) => [toHex(tx.txid), tx]));
  const output = ({ txid, vout }: OutPoint) => transactions.get(toHex(txid))?.vout[vout];
  const chain = {
    params: fixture.params,
    state: fixture.view,
    coin: ({ txid }: OutPoint) => (transactions.has(toHex(txid)) ? undefined : { out: dfi(1n, owner), height: 1, coinbase: false }),
    entryAt: () => undefined,
  };
  return { fixture, trial: trialsOnTip(chain, { output })(BLOCK) };
}

/** Moves satoshis from the owner's account to the receiver's. */
function transfer(
  fixture: DfiFixture,
  amount: bigint,
  { spends = [] as readonly OutPoint[], outputs = [dfi(1n, owner)] } = {},
): Transaction {
  const body = { from: owner, to: [{ owner: receiver, balances: [{ tokenId: 0, amount }] }] };
  return fixture.made(accountToAccount, body, { from: spends.length > 0 ? [] : [owner], spends, outputs });
}

test('a transaction that would make the block invalid is left out, on the state of those accepted before', () => {
  const { fixture, trial } = failureConsequenceOf(GRAND_CENTRAL);
  const [six, seven, four] = [6n, 7n, 4n].map((amount) => transfer(fixture, amount)) as [Transaction, Transaction, Transaction];
  assert.equal(trial.accepts([six]), true);
  assert.equal(trial.accepts([seven]), false);
  assert.equal(trial.accepts([four]), true);
  assert.equal(trial.accepts([transfer(fixture, 1n)]), false);
  assert.equal(balanceOf(fixture.view, owner, 0), 10n, 'the state of the tip stays as it is');
});

test('a package is accepted as a whole or leaves no effects', () => {
  const { fixture, trial } = failureConsequenceOf(GRAND_CENTRAL);
  assert.equal(trial.accepts([transfer(fixture, 6n), transfer(fixture, 7n)]), false);
  assert.equal(trial.accepts([transfer(fixture, 10n)]), true);
});

test('a transaction that may fail is accepted', () => {
  const { fixture, trial } = failureConsequenceOf({ ...GRAND_CENTRAL, dakota: 200 });
  assert.equal(trial.accepts([transfer(fixture, 11n)]), true);
  assert.equal(trial.accepts([transfer(fixture, 10n)]), true);
});

test('authorisation by outputs of pooled transactions', () => {
  const fixture = new DfiFixture(heights(GRAND_CENTRAL));
  const parents = [owner, stranger].map((to, i) => transfer(fixture, BigInt(i + 1), { outputs: [dfi(1n, to)] }));
  const { trial } = failureConsequenceOf(GRAND_CENTRAL, parents);
  const [byOwner, byStranger] = parents.map(({ txid }) => transfer(fixture, 1n, { spends: [{ txid, vout: 1 }] }));
  assert.equal(trial.accepts([byOwner as Transaction]), true);
  assert.equal(trial.accepts([byStranger as Transaction]), false);
});

test('EVM transactions are left out, and the coinbase commits to the accepted transfers', () => {
  const { fixture, trial } = failureConsequenceOf({ ...GRAND_CENTRAL, metachain: 0 }, [], (view) => {
    view.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
  });
  assert.equal(trial.accepts([fixture.transaction(dataScript('9', Uint8Array.of(1, 0)), { from: [owner] })]), false);
  const [commitment, another] = trial.coinbaseOutputs?.([]) ?? [];
  assert.equal(another, undefined);
  const own = startEvmBlock(new Overlay(fixture.view), { ...BLOCK, params: fixture.params, findPrecompile: () => undefined }).finish();
  assert.deepEqual(commitment, commitmentOutput(own, BLOCK.beneficiary));
  assert.deepEqual(failureConsequenceOf(GRAND_CENTRAL).trial.coinbaseOutputs?.([]), [], 'without an EVM there is nothing to commit to');
});

test('the coinbase commits to the contracts of the token splits of the block', () => {
  const params = heights({ ...GRAND_CENTRAL, metachain: 0, df23: BLOCK.height });
  const fixture = new LoanFixture(params);
  const { view } = fixture;
  fixture.attribute('v0/params/feature/evm', { kind: 'bool', value: true });
  const evm = new EvmFixture(params);
  evm.finish(view, evm.start(view, BLOCK.height - 1), BLOCK.height - 1);
  fixture.attribute(`v0/oracles/splits/${BLOCK.height}`, { kind: 'splits', value: [{ id: TSLA, multiplier: 2n }] });
  fixture.attribute(`v0/locks/token/${TSLA}`, { kind: 'bool', value: true });
  const chain = { params, state: view, coin: () => undefined, entryAt: () => undefined };
  const creations = makeSplitCreations(view, splitOrders(storedAttributes(view), BLOCK.height), BLOCK.height, params);
  const outputs = trialsOnTip(chain, { output: () => undefined })(BLOCK).coinbaseOutputs?.(creations) ?? [];

  const coinbase = fixture.transaction(dataScript('', EMPTY_BYTES), { from: [], outputs });
  const block = { header: BLOCK as unknown as BlockHeader, hash: Buffer.alloc(32, 9), transactions: [coinbase, ...creations] };
  const after = new Overlay(view);
  const context = { view: after, ...BLOCK, params, coin: () => undefined, blockTime: () => undefined };
  const execution = new DefiExecution(block, context, { keepsHistory: false });
  execution.begin();
  execution.prepareSplits();
  execution.finish();
  assert.equal(getToken(after, TSLA)?.symbol, 'TSLA/v1');
  assert.equal(evmBlock(after, 1)?.entries.length, 3, 'new version of the contract, new names, new contract');
  assert.equal(getToken(view, TSLA)?.symbol, 'TSLA');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { evmTip } from '../../../src/dfi/evm/columns.js';
import { commitmentOutput } from '../../../src/dfi/evm/commitment.js';
import { evmFees } from '../../../src/dfi/evm/fees.js';
import { EvmLedger } from '../../../src/dfi/evm/ledger.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { hasSkippedEvmTransactions } from '../../../src/dfi/kernel/unexecuted-columns.js';
import { DvmGate } from '../../../src/mempool/dvm-gate.js';
import { assembleBlock } from '../../../src/minting/template.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { encode } from '../../../src/primitives/codec.js';
import { NULL_OUTPOINT } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { customTxScript } from '../../../src/script/custom-tx.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { bytesOf, OP_TRUE_SCRIPT } from '../../chains/block-builder.js';
import { openPool } from '../../chains/memory-pool.js';
import { GRAND_CENTRAL } from '../dfi/fixture.js';

const params = networkParams({ network: 'regtest', dummyPos: true, upgradeHeights: { ...GRAND_CENTRAL, metachain: 0 } });
const clock = new FixedClock(1_600_000_000);
const minter = new Uint8Array(20).fill(9);
/** EVM block hash from a node that executes contracts; the ledger here computes another one. */
const FOREIGN = new Uint8Array(32).fill(0xab);

/** Chain whose governance has enabled the EVM. */
function open(): Chain {
  const store = new MemoryStore();
  const view = new Overlay(store);
  view.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
  store.write(view.changes());
  return new Chain({ params }, { store, blocks: new MemoryBlocks(), clock, log: silentLogger });
}

function ledgerHash({ state, tip }: Chain): Uint8Array {
  return new EvmLedger(new Overlay(state)).endBlock({ height: tip.height + 1, beneficiary: minter }).hash;
}

function blockWith(chain: Chain, commitments: readonly TxOut[], transactions: readonly Transaction[] = []): Block {
  const time = chain.tip.medianTimePast() + 1;
  return assembleBlock({ parent: chain.tip, time, scriptPubKey: OP_TRUE_SCRIPT, commitments, transactions }, params).block;
}

function submit(chain: Chain, commitments: readonly TxOut[], transactions: readonly Transaction[] = []) {
  return chain.submitBlock(bytesOf(chain, blockWith(chain, commitments, transactions)));
}

interface Shape {
  readonly scriptSig?: Uint8Array;
  readonly inputs?: number;
  readonly outputs?: number;
  readonly value?: bigint;
}

function evmTransaction({ scriptSig = Uint8Array.of(0), inputs = 2, outputs = 1, value = 0n }: Shape = {}): Transaction {
  const vin = Array.from({ length: inputs }, () => ({ prevout: NULL_OUTPOINT, scriptSig, sequence: 0xffffffff, witness: [] }));
  const message = { value, scriptPubKey: customTxScript({ type: '9', body: fromHex('03f8aa') }), tokenId: 0 };
  return makeTransaction({ version: 4, vin, vout: Array.from({ length: outputs }, () => message), lockTime: 0 }, params.txFormat);
}

/** Digest of the DeFi state. */
function digest({ state }: Chain): string {
  const rows = dfiColumns.flatMap((column) =>
    [...state.entries(column)].map(([key, value]) =>
      [column.name, toHex(encode(column.key, key)), toHex(encode(column.value, value))].join(),
    ),
  );
  return rows.join('\n');
}

const accepted = { status: 'accepted' };

test('a block with an EVM commits to it', () => {
  const chain = open();
  assert.deepEqual(submit(chain, []), { status: 'rejected', reason: 'bad-xvm-coinbase' });
  assert.deepEqual(
    submit(chain, [commitmentOutput(EMPTY_BYTES, EMPTY_BYTES)]),
    accepted,
    'nobody may get the fees, and a hash may be none',
  );
  const wrong = Uint8Array.from(ledgerHash(chain), (byte, i) => (i === 31 ? byte ^ 1 : byte));
  assert.deepEqual(submit(chain, [commitmentOutput(wrong, minter)]), { status: 'rejected', reason: '' });
  assert.deepEqual(submit(chain, [commitmentOutput(ledgerHash(chain), minter)]), accepted);
  assert.deepEqual(submit(chain, [commitmentOutput(FOREIGN, minter)]), accepted);
  assert.equal(evmTip(chain.state)?.number, 2);
});

test('an EVM transaction spends no outputs, is counted as not executed, and is undone with its block', () => {
  const chain = open();
  assert.deepEqual(submit(chain, [commitmentOutput(ledgerHash(chain), minter)]), accepted);
  const before = digest(chain);
  const block = blockWith(
    chain,
    [commitmentOutput(FOREIGN, minter)],
    [evmTransaction(), evmTransaction({ scriptSig: Uint8Array.of(0x51) })],
  );
  assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), accepted);
  assert.equal(hasSkippedEvmTransactions(chain.state), true);
  assert.deepEqual(chain.spentCoins(chain.tip, block), [[], [], []]);
  chain.invalidate(chain.tip);
  assert.equal(digest(chain), before);
  assert.equal(hasSkippedEvmTransactions(chain.state), false);
});

test('EVM fees are read from the coinbase, once a transaction may have paid some', () => {
  const paying = (chain: Chain) => {
    const { scriptPubKey, ...rest } = commitmentOutput(FOREIGN, minter);
    // The fees follow the push, two versions and the hash.
    const script = Uint8Array.from(scriptPubKey);
    script[3 + 4 + 4 + 65] = 7;
    return submit(chain, [{ ...rest, scriptPubKey: script }], chain.tip.height === 1 ? [evmTransaction()] : []);
  };
  const chain = open();
  assert.deepEqual(paying(chain), { status: 'rejected', reason: '' });
  assert.deepEqual(submit(chain, [commitmentOutput(ledgerHash(chain), minter)]), accepted);
  assert.deepEqual(paying(chain), accepted);
  assert.equal(evmFees(chain.state).burnt.total, 7n);
});

test('a transaction that only resembles an EVM transaction is checked like any other', () => {
  const cases: readonly (readonly [Shape, string])[] = [
    [{ scriptSig: EMPTY_BYTES }, 'bad-evm-length'],
    [{ scriptSig: Uint8Array.of(0, 0) }, 'bad-evm-length'],
    [{ inputs: 3 }, 'bad-txns-inputs-duplicate'],
    [{ outputs: 2 }, 'bad-txns-inputs-duplicate'],
    [{ value: 1n }, 'bad-txns-inputs-duplicate'],
  ];
  for (const [change, reason] of cases) {
    const chain = open();
    assert.deepEqual(submit(chain, [commitmentOutput(ledgerHash(chain), minter)], [evmTransaction(change)]), {
      status: 'rejected',
      reason,
    });
  }
});

test('an EVM transaction is invalid in a block without an EVM', () => {
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  assert.deepEqual(submit(chain, [], [evmTransaction()]), { status: 'rejected', reason: 'bad-custom-tx' });
});

test('the mempool rejects EVM transactions without a penalty for the peer', () => {
  const refusal = (chain: Chain) => {
    const verdict = openPool(chain, clock).mempool.accept(evmTransaction());
    return verdict.status === 'rejected' ? [verdict.reason, verdict.misbehaviour] : verdict.status;
  };
  assert.deepEqual(refusal(open()), ['evm-not-executed', 0]);
  const off = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  assert.deepEqual(refusal(off), ['EVM is not enabled on this block', 0]);
});

test('the mempool rejects an EVM message in a transaction that spends coins', () => {
  const chain = open();
  const coin = { out: { value: 1n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }, height: 1, coinbase: false };
  const { vin, vout } = evmTransaction();
  const spending = vin.slice(1).map((input) => ({ ...input, prevout: { txid: FOREIGN, vout: 0 } }));
  const tx = makeTransaction({ version: 4, vin: spending, vout, lockTime: 0 }, params.txFormat);
  const at = { height: 1, time: 1_600_000_000, spent: [coin], coin: () => coin.out };
  assert.throws(() => new DvmGate(chain).apply(tx, at), { reason: 'evm-not-executed' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { evmBlock, evmHashOf, evmTransaction as evmPlace, evmReceipts, evmTip } from '../../../src/dfi/evm/blocks.js';
import { commitmentOutput } from '../../../src/dfi/evm/commitment.js';
import { startEvmBlock } from '../../../src/dfi/evm/evm-block.js';
import { evmFees } from '../../../src/dfi/evm/fees.js';
import { EvmState, ViewState } from '../../../src/dfi/evm/view-state.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import type { BuiltBlock } from '../../../src/evm/block/block-builder.js';
import { signEvmTransaction } from '../../../src/evm/codec/sign.js';
import { decodeEvmTransaction, encodeEvmTransaction } from '../../../src/evm/codec/transaction.js';
import { EMPTY_ROOT } from '../../../src/evm/state/trie.js';
import { trialsOnTip } from '../../../src/minting/state-trial.js';
import { assembleBlock } from '../../../src/minting/template.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { encode, varBytes } from '../../../src/primitives/codec.js';
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
const FOREIGN = new Uint8Array(32).fill(0xab);
const SECRET = new Uint8Array(32).fill(1);
const GWEI = 10n ** 9n;
const SATOSHI = 10n ** 10n;

/** EVM transactions of the key. */
function payment(nonce: bigint, { gasPrice = 20n * GWEI, data = EMPTY_BYTES } = {}): Uint8Array {
  const call = { nonce, gasLimit: 30_000n, to: 0x77n, value: 5n, data, accessList: [], chainId: 1133n };
  return encodeEvmTransaction(signEvmTransaction({ type: 0, gasPrice, ...call }, SECRET));
}

/** Priority fee and base fee are more than a word together. */
const overflowing = encodeEvmTransaction(
  signEvmTransaction(
    {
      type: 2,
      maxFee: 20n * GWEI,
      maxPriorityFee: 2n ** 256n - 1n,
      nonce: 0n,
      gasLimit: 30_000n,
      to: 0x77n,
      value: 5n,
      data: EMPTY_BYTES,
      accessList: [],
      chainId: 1133n,
    },
    SECRET,
  ),
);

const { sender } = decodeEvmTransaction(payment(0n));

/** Chain whose governance has enabled the EVM, in which the key has 1 DFI. */
function openFunded(of = params): Chain {
  const store = new MemoryStore();
  const view = new Overlay(store);
  view.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
  const account = { nonce: 0n, balance: 10n ** 18n, storageRoot: EMPTY_ROOT, codeHash: new Uint8Array(32) };
  new ViewState(view, 0).putAccount(sender, account);
  store.write(view.changes());
  return new Chain({ params: of }, { store, blocks: new MemoryBlocks(), clock, log: silentLogger });
}

/** EVM block of the next block. */
function nextEvmBlock({ state, tip }: Chain, raws: readonly Uint8Array[] = []): BuiltBlock {
  const site = { height: tip.height + 1, params, time: tip.medianTimePast() + 1, bits: 0x207fffff, beneficiary: minter };
  const findPrecompile = () => undefined;
  const block = startEvmBlock(new Overlay(state), { ...site, findPrecompile });
  for (const raw of raws) block.addTransaction(decodeEvmTransaction(raw));
  return block.finish();
}

function commitmentFor(chain: Chain, raws: readonly Uint8Array[] = []): TxOut {
  return commitmentOutput(nextEvmBlock(chain, raws), minter);
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
  readonly sequence?: number;
  /** Bytes of the EVM transaction. */
  readonly raw?: Uint8Array;
}

function evmTransaction(shape: Shape = {}): Transaction {
  const { scriptSig = Uint8Array.of(0), inputs = 2, outputs = 1, value = 0n, sequence = 0xffffffff, raw = payment(0n) } = shape;
  const vin = Array.from({ length: inputs }, () => ({ prevout: NULL_OUTPOINT, scriptSig, sequence, witness: [] }));
  const message = { value, scriptPubKey: customTxScript({ type: '9', body: encode(varBytes, raw) }), tokenId: 0 };
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
  const chain = openFunded();
  assert.deepEqual(submit(chain, []), { status: 'rejected', reason: 'bad-xvm-coinbase' });
  assert.deepEqual(submit(chain, [commitmentOutput({ ...nextEvmBlock(chain), hash: FOREIGN }, minter)]), {
    status: 'rejected',
    reason: '',
  });
  assert.deepEqual(submit(chain, [commitmentOutput(nextEvmBlock(chain), FOREIGN.subarray(12))]), { status: 'rejected', reason: '' });
  assert.deepEqual(submit(chain, [commitmentOutput({ ...nextEvmBlock(chain), burnt: SATOSHI }, minter)]), {
    status: 'rejected',
    reason: '',
  });
  assert.deepEqual(submit(chain, [commitmentFor(chain)]), accepted);
  assert.deepEqual(submit(chain, [commitmentFor(chain)]), accepted);
  assert.equal(evmTip(chain.state)?.number, 1);
  assert.equal(evmBlock(chain.state, 0)?.dvmHeight, 1);
});

test('EVM transactions are executed, stored with their links, and undone with their block', () => {
  const chain = openFunded();
  assert.deepEqual(submit(chain, [commitmentFor(chain)]), accepted);
  const before = digest(chain);
  const raws = [payment(0n), payment(1n, { data: Uint8Array.of(1) })];
  const carriers = raws.map((raw, i) => evmTransaction({ raw, scriptSig: Uint8Array.of(i === 0 ? 0 : 0x51) }));
  const built = nextEvmBlock(chain, raws);
  const block = blockWith(chain, [commitmentOutput(built, minter)], carriers);
  assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), accepted);
  const { state } = chain;
  assert.deepEqual(chain.spentCoins(chain.tip, block), [[], [], []]);
  assert.equal(new EvmState(state).account(sender)?.nonce, 2n);
  assert.equal(new EvmState(state).account(0x77n)?.balance, 10n);
  const gas = 2n * 21_000n + 16n;
  assert.deepEqual([evmFees(state).burnt.total, evmFees(state).priority.total], [(gas * GWEI) / GWEI, gas]);
  for (const [index, raw] of raws.entries()) {
    const { hash } = decodeEvmTransaction(raw);
    const txid = carriers[index]?.txid as Uint8Array;
    assert.deepEqual(evmPlace(state, hash), { number: 1, index, txid });
    assert.equal(toHex(evmHashOf(state, txid) as Uint8Array), toHex(hash));
    assert.deepEqual(evmReceipts(state, 1)?.[index]?.isSuccess, true);
  }
  assert.deepEqual(
    evmBlock(state, 1)?.entries.map(({ raw }) => toHex(raw)),
    raws.map(toHex),
  );
  chain.invalidate(chain.tip);
  assert.equal(digest(chain), before);
});

test('a block with an EVM transaction that cannot be executed is invalid', () => {
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ['bytes that are no transaction', fromHex('03f8aa')],
    ['a nonce that is too high', payment(1n)],
    ['a price below the base fee', payment(0n, { gasPrice: 10n * GWEI - 1n })],
    ['fees above the balance', payment(0n, { gasPrice: 10n ** 15n })],
    ['a price that overflows', overflowing],
  ];
  for (const [name, raw] of cases) {
    const chain = openFunded();
    assert.deepEqual(submit(chain, [commitmentFor(chain)]), accepted);
    const before = digest(chain);
    const refused = submit(chain, [commitmentFor(chain)], [evmTransaction({ raw })]);
    assert.deepEqual(refused, { status: 'rejected', reason: 'bad-custom-tx' }, name);
    assert.equal(digest(chain), before);
  }
  const chain = openFunded();
  const early = submit(chain, [commitmentFor(chain)], [evmTransaction()]);
  assert.deepEqual(early, { status: 'rejected', reason: 'bad-custom-tx' }, 'the first EVM block has no transactions');
});

test('relative lock times of an EVM transaction count from the genesis block, and it is not minted before', () => {
  const csv = { ...params, buried: { ...params.buried, csv: 0 } };
  const chain = openFunded(csv);
  assert.deepEqual(submit(chain, [commitmentFor(chain)]), accepted);
  const [early, due] = [3, 2].map((sequence) => evmTransaction({ sequence })) as [Transaction, Transaction];
  const commitments = [commitmentFor(chain, [payment(0n)])];
  assert.deepEqual(submit(chain, commitments, [early]), { status: 'rejected', reason: 'bad-txns-nonfinal' });
  const { mempool } = openPool(chain, clock);
  const site = { height: 2, time: chain.tip.medianTimePast() + 1, bits: 0x207fffff, beneficiary: minter };
  const accepts = (tx: Transaction) => trialsOnTip(chain, mempool.pool)(site).accepts([tx]);
  assert.equal(accepts(early), false);
  assert.equal(accepts(due), true);
  assert.deepEqual(submit(chain, commitments, [due]), accepted);
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
    const chain = openFunded();
    assert.deepEqual(submit(chain, [commitmentFor(chain)], [evmTransaction(change)]), {
      status: 'rejected',
      reason,
    });
  }
});

test('the form of an EVM transaction is nothing special before Metachain', () => {
  const later = { ...params, upgrades: { ...params.upgrades, metachain: 2 } };
  const chain = new Chain({ params: later }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const { mempool } = openPool(chain, clock);
  const block = blockWith(chain, [], [evmTransaction()]);
  const reason = 'bad-txns-inputs-duplicate';
  assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), { status: 'rejected', reason });
  assert.equal(chain.entry(block.hash), undefined);
  const early = mempool.accept(evmTransaction());
  assert.deepEqual(early.status === 'rejected' && [early.reason, early.misbehaviour], [reason, 100]);
  assert.deepEqual(submit(chain, []), accepted);
  const due = mempool.accept(evmTransaction());
  assert.notEqual(due.status === 'rejected' && due.reason, reason);
});

test('an EVM transaction is invalid in a block without an EVM', () => {
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  assert.deepEqual(submit(chain, [], [evmTransaction()]), { status: 'rejected', reason: 'bad-custom-tx' });
});

test('the mempool rejects a malformed EVM transaction without a penalty for the peer', () => {
  const verdict = openPool(openFunded(), clock).mempool.accept(evmTransaction({ raw: fromHex('03f8aa') }));
  assert.deepEqual(verdict.status === 'rejected' && [verdict.reason, verdict.misbehaviour], ['evm-sender-info', 0]);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BlockInvalid } from '../../../../src/consensus/errors.js';
import { tokenContract } from '../../../../src/dfi/evm/addresses.js';
import { evmCounts, evmTip, evmTouched, evmTransactions } from '../../../../src/dfi/evm/columns.js';
import { beneficiaryOf, commitmentOutput, type EvmCommitment, requireCommitment } from '../../../../src/dfi/evm/commitment.js';
import { endEvmBlock } from '../../../../src/dfi/evm/end-block.js';
import { evmFees } from '../../../../src/dfi/evm/fees.js';
import { type EvmBlockFacts, EvmLedger, type EvmTransfer, evmTokenBalance, isLedgerHash } from '../../../../src/dfi/evm/ledger.js';
import { noteTransfer, transferStats } from '../../../../src/dfi/evm/transfer-stats.js';
import { TxRejected } from '../../../../src/dfi/kernel/rejected.js';
import { countUnexecuted } from '../../../../src/dfi/kernel/unexecuted-columns.js';
import type { TxOut } from '../../../../src/primitives/transaction.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { AnyColumn } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';

const [alice, bob, carol] = [1, 2, 3].map((n) => new Uint8Array(20).fill(n)) as [Uint8Array, Uint8Array, Uint8Array];
const minter = new Uint8Array(20).fill(9);
const HASH = new Uint8Array(32).fill(7);
const WEI = 10n ** 18n;

function transfer(nonce: bigint, account: Uint8Array, wei: bigint, sender = alice): EvmTransfer {
  return { sender, nonce, hash: new Uint8Array(32).fill(Number(nonce) + 1), account, wei };
}

/** Ledger after its first block. */
function started(): { readonly view: Overlay; readonly evm: EvmLedger } {
  const view = new Overlay(new MemoryStore());
  new EvmLedger(view).endBlock({ height: 100, beneficiary: minter });
  return { view, evm: new EvmLedger(view) };
}

function text(run: () => void): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof TxRejected || error instanceof BlockInvalid, String(error));
    return error instanceof BlockInvalid ? error.debug : error.message;
  }
  return assert.fail('nothing was refused');
}

describe('the EVM ledger', () => {
  test('rejects transactions in its first block', () => {
    const evm = new EvmLedger(new Overlay(new MemoryStore()));
    assert.equal(
      text(() => evm.transferIn(transfer(0n, bob, 1n))),
      'genesis block, tx cannot be added into block template',
    );
  });

  test('tracks balances of DFI and tokens, and nonces of senders', () => {
    const { view, evm } = started();
    evm.transferIn(transfer(0n, bob, 5n * WEI));
    evm.tokenIn(1, transfer(1n, bob, 7n * WEI));
    evm.transferOut(transfer(0n, bob, 2n * WEI, bob));
    evm.tokenOut(1, transfer(1n, bob, 3n * WEI, bob));
    assert.deepEqual([evm.balance(bob), evmTokenBalance(view, bob, 1), evmTokenBalance(view, bob, 2)], [3n * WEI, 4n * WEI, 0n]);
    assert.deepEqual(
      [alice, bob, carol].map((address) => evm.nonce(address)),
      [2n, 2n, 0n],
    );
  });

  test('requires the nonces of a sender in sequence', () => {
    const { evm } = started();
    const wrong = 'nonce check failed. Account nonce 0, signed_tx nonce 1';
    assert.equal(
      text(() => evm.transferIn(transfer(1n, bob, 1n))),
      `[execute_tx] ${wrong}`,
    );
    evm.transferIn(transfer(0n, bob, 1n));
    assert.match(
      text(() => evm.transferIn(transfer(0n, bob, 1n))),
      /Account nonce 1, signed_tx nonce 0$/,
    );
  });

  test('rejects debits above the balance', () => {
    const { evm } = started();
    evm.transferIn(transfer(0n, bob, 5n));
    assert.equal(
      text(() => evm.transferOut(transfer(0n, bob, 6n, bob))),
      'insufficient balance',
    );
    assert.match(
      text(() => started().evm.tokenOut(1, transfer(0n, bob, 1n, bob))),
      /^\[execute_tx\] DST20 bridge failed VM execution/,
    );
    const next = started();
    next.evm.transferIn(transfer(0n, bob, 5n));
    next.evm.transferOut(transfer(0n, bob, 5n, bob));
    assert.equal(next.evm.balance(bob), 0n);
  });

  test('rejects credits to precompiled contracts, and tokens for the zero address', () => {
    const small = (n: number) => Uint8Array.from({ length: 20 }, (_, i) => (i === 19 ? n : 0));
    assert.match(
      text(() => started().evm.transferIn(transfer(0n, small(1), 1n))),
      /^\[execute_tx\] Transfer domain failed VM execution/,
    );
    assert.match(
      text(() => started().evm.tokenIn(1, transfer(0n, small(0), 1n))),
      /^\[execute_tx\] DST20 bridge failed VM execution/,
    );
    started().evm.transferIn(transfer(0n, small(1), 0n));
    started().evm.transferIn(transfer(0n, small(0), 1n));
    assert.deepEqual(
      [tokenContract(1), small(1), bob].map((address) => started().evm.isContract(address)),
      [true, false, false],
    );
  });

  test('block hashes depend on the transactions, their effects, the height and the minter', () => {
    const hashOf = (change: (evm: EvmLedger) => void, facts: EvmBlockFacts = { height: 101, beneficiary: minter }) => {
      const { evm } = started();
      change(evm);
      return toHex(evm.endBlock(facts).hash);
    };
    const nothing = hashOf(() => {});
    const some = hashOf((evm) => evm.transferIn(transfer(0n, bob, 1n)));
    assert.equal(
      some,
      hashOf((evm) => evm.transferIn(transfer(0n, bob, 1n))),
      'reproducible',
    );
    const all = [
      nothing,
      some,
      hashOf((evm) => evm.transferIn(transfer(0n, bob, 2n))),
      hashOf((evm) => evm.transferIn(transfer(0n, carol, 1n))),
      hashOf((evm) => evm.transferIn({ ...transfer(0n, bob, 1n), hash: HASH })),
      hashOf((evm) => evm.tokenIn(1, transfer(0n, bob, 1n))),
      hashOf((evm) => evm.tokenIn(2, transfer(0n, bob, 1n))),
      hashOf(() => {}, { height: 102, beneficiary: minter }),
      hashOf(() => {}, { height: 101, beneficiary: alice }),
    ];
    assert.equal(new Set(all).size, all.length);
    for (const hash of all) assert.ok(isLedgerHash(hash));
  });

  test('numbers its blocks and clears the data of a block at its end', () => {
    const { view, evm } = started();
    assert.equal(evmTip(view)?.number, 0);
    evm.transferIn(transfer(0n, bob, 1n));
    assert.deepEqual([...view.entries(evmTransactions)].length, 1);
    assert.equal(evm.endBlock({ height: 101, beneficiary: minter }).number, 1);
    for (const column of [evmCounts, evmTransactions, evmTouched]) assert.deepEqual([...view.entries(column as AnyColumn)], []);
  });

  test('accepts unknown nonces and balances after a skipped EVM transaction', () => {
    const { view } = started();
    countUnexecuted(view);
    const evm = new EvmLedger(view);
    evm.transferOut(transfer(5n, bob, 6n, bob));
    evm.tokenOut(1, transfer(6n, bob, 6n, bob));
    assert.deepEqual([evm.balance(bob), evm.nonce(bob)], [0n, 7n]);
    assert.match(
      text(() => evm.transferOut(transfer(2n ** 64n - 1n, bob, 6n, bob))),
      /nonce check failed/,
    );
  });
});

const FORM: EvmCommitment = {
  version: 0,
  evmVersion: 0,
  blockHash: 'ab'.repeat(32),
  burnt: 0n,
  priority: 0n,
  beneficiary: '09'.repeat(20),
};

function coinbase(...scripts: readonly Uint8Array[]): { readonly vout: readonly TxOut[] } {
  return { vout: scripts.map((scriptPubKey) => ({ value: 0n, scriptPubKey, tokenId: 0 })) };
}

describe('the EVM commitment in a coinbase', () => {
  const payout = Uint8Array.of(Op.ONE);

  test('is in the second output and has 130 bytes', () => {
    const { scriptPubKey, value } = commitmentOutput(Buffer.from(FORM.blockHash, 'hex'), minter);
    assert.equal(value, 0n);
    assert.equal(toHex(scriptPubKey.subarray(0, 11)), '6a4c8200000000000000' + '00');
    assert.equal(scriptPubKey.length, 3 + 130);
    const found = requireCommitment(coinbase(payout, scriptPubKey));
    assert.deepEqual(found, FORM);
    assert.deepEqual(toHex(beneficiaryOf(found)), FORM.beneficiary);
    const push = Buffer.concat([scriptPubKey.subarray(3), Buffer.from('more')]);
    assert.deepEqual(requireCommitment(coinbase(payout, buildScript(Op.RETURN, push))), FORM, 'bytes after the fields are ignored');
  });

  const bad: readonly (readonly [string, readonly Uint8Array[], string])[] = [
    ['is missing', [payout], 'Not enough outputs in coinbase TX'],
    ['is not an OP_RETURN', [payout, payout], 'Coinbase XVM: OP_RETURN expected'],
    ['is empty', [payout, Uint8Array.of(Op.RETURN)], 'Coinbase XVM: OP_PUSHDATA expected'],
    ['is not a push', [payout, Uint8Array.of(Op.RETURN, Op.DUP)], 'Coinbase XVM: OP_PUSHDATA expected'],
    ['is truncated', [payout, buildScript(Op.RETURN, new Uint8Array(20))], 'Coinbase XVM: Deserialization failed'],
  ];
  for (const [name, scripts, debug] of bad) {
    test(`is rejected if it ${name}`, () => {
      assert.throws(() => requireCommitment(coinbase(...scripts)), { reason: 'bad-xvm-coinbase', debug });
    });
  }

  test('has a beneficiary, the zero address if empty', () => {
    assert.equal(toHex(beneficiaryOf({ beneficiary: '' })), '00'.repeat(20));
    assert.equal(toHex(beneficiaryOf({ beneficiary: `0x${'AB'.repeat(20)}` })), 'ab'.repeat(20));
    assert.throws(() => beneficiaryOf({ beneficiary: 'ab' }), { reason: 'bad-evm-template' });
  });
});

describe('the end of an EVM block', () => {
  const host = { height: 101, hash: HASH };
  const end = (view: Overlay, claimed: Partial<EvmCommitment>) => endEvmBlock(view, host, { ...FORM, ...claimed });
  const ownHash = (view: Overlay) => toHex(new EvmLedger(new Overlay(view)).endBlock({ height: 101, beneficiary: minter }).hash);

  test('compares the hash only if a ledger made it', () => {
    const own = ownHash(started().view);
    end(started().view, { blockHash: own });
    end(started().view, {});
    const other = `${own.slice(0, -1)}${own.endsWith('0') ? '1' : '0'}`;
    assert.equal(
      text(() => end(started().view, { blockHash: other })),
      'Incorrect EVM block hash in coinbase output',
    );
  });

  test('rejects fees while the chain has no EVM transaction', () => {
    assert.equal(
      text(() => end(started().view, { burnt: 1n })),
      'Incorrect EVM burnt fee in coinbase output',
    );
    assert.equal(
      text(() => end(started().view, { priority: 1n })),
      'Incorrect EVM priority fee in coinbase output',
    );
  });

  test('adds fees to the statistics', () => {
    const { view } = started();
    end(view, {});
    const none = { total: 0n, min: 2n ** 63n - 1n, minHash: new Uint8Array(32), max: 0n };
    const [burnt] = [evmFees(view).burnt];
    assert.deepEqual(
      { ...burnt, minHash: Uint8Array.from(burnt.minHash), maxHash: toHex(burnt.maxHash) },
      { ...none, maxHash: toHex(HASH) },
    );
    countUnexecuted(view);
    end(view, { burnt: 5n, priority: 3n });
    end(view, { burnt: 4n });
    const { burnt: after, priority } = evmFees(view);
    assert.deepEqual([after.total, after.min, after.max, priority.total, priority.min, priority.max], [9n, 4n, 5n, 3n, 3n, 3n]);
  });

  test('rejects a block after which more has left the EVM than entered it', () => {
    const { view } = started();
    noteTransfer(view, 'dvm-evm', { tokenId: 0, amount: 500n });
    noteTransfer(view, 'evm-dvm', { tokenId: 0, amount: 500n });
    end(view, {});
    noteTransfer(view, 'evm-dvm', { tokenId: 0, amount: 1n });
    const expected = 'More DFI moved from DVM to EVM than in. DVM Out: 0.00000001 Fees: 0.00000000 Total: 0.00000001\n';
    assert.equal(
      text(() => end(view, {})),
      expected,
    );
    const other = started().view;
    noteTransfer(other, 'evm-dvm', { tokenId: 3, amount: 100_000_000n });
    assert.equal(
      text(() => end(other, {})),
      'More 3 moved from DVM to EVM than in. DVM Out: 1.00000000\n',
    );
    countUnexecuted(other);
    end(other, {});
  });

  test('transfer statistics count both directions and keep sums of 0', () => {
    const { view } = started();
    noteTransfer(view, 'dvm-evm', { tokenId: 0, amount: 7n });
    noteTransfer(view, 'dvm-evm', { tokenId: 1, amount: 0n });
    noteTransfer(view, 'evm-dvm', { tokenId: 0, amount: 7n });
    const seven = [{ tokenId: 0, amount: 7n }];
    const zero = [{ tokenId: 0, amount: 0n }];
    assert.deepEqual(transferStats(view), {
      dvmEvmTotal: seven,
      evmDvmTotal: seven,
      dvmIn: seven,
      evmIn: seven,
      dvmOut: seven,
      evmOut: seven,
      dvmCurrent: zero,
      evmCurrent: zero,
    });
  });
});

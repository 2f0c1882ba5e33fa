import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { evmBlockNumber, evmBlockNumberAt, evmTip, putEvmBlock } from '../../../../src/dfi/evm/blocks.js';
import { beneficiaryOf, commitmentOutput, type EvmCommitment, requireCommitment } from '../../../../src/dfi/evm/commitment.js';
import { finishEvmBlock, startEvmBlock } from '../../../../src/dfi/evm/evm-block.js';
import { evmFees, noteEvmFees } from '../../../../src/dfi/evm/fees.js';
import { noteTransfer, transferStats } from '../../../../src/dfi/evm/transfer-stats.js';
import { getToken, type Token, TokenFlag, tokens } from '../../../../src/dfi/tokens/columns.js';
import { createNativeToken } from '../../../../src/dfi/tokens/genesis.js';
import { tokenAddress } from '../../../../src/evm/contracts/addresses.js';
import type { TxOut } from '../../../../src/primitives/transaction.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';

const params = heights({ ...GRAND_CENTRAL, metachain: 0 });
const minter = new Uint8Array(20).fill(9);
const HASH = new Uint8Array(32).fill(7);

/** State after the first EVM block. */
function started(): Overlay {
  const view = new Overlay(new MemoryStore());
  const first = startEvmBlock(view, {
    height: 100,
    params,
    time: 1_600_000_100,
    bits: 0x207fffff,
    beneficiary: minter,
    findPrecompile: () => undefined,
  });
  putEvmBlock(view, first.finish(), { dvmHeight: 100, dvmHash: HASH, txids: new Map() });
  return view;
}

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
    const { scriptPubKey, value } = commitmentOutput({ hash: fromHex(FORM.blockHash), burnt: 0n, priority: 0n }, minter);
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
    assert.equal(toHex(beneficiaryOf({ beneficiary: `0x ${'ab'.repeat(10)}\t\r\n${'ab'.repeat(10)}\n` })), 'ab'.repeat(20));
    for (const beneficiary of [
      'ab',
      ' ',
      '0x',
      ` 0x${'ab'.repeat(20)}`,
      `0x0x${'ab'.repeat(20)}`,
      `${'ab'.repeat(20)}a`,
      `${'ab'.repeat(20)}\v`,
    ]) {
      assert.throws(() => beneficiaryOf({ beneficiary }), { reason: 'bad-evm-template' }, beneficiary);
    }
  });
});

describe('the end of an EVM block', () => {
  const site = { height: 101, params, time: 1_600_000_101, bits: 0x207fffff, beneficiary: minter, findPrecompile: () => undefined };
  const host = { dvmHeight: 101, dvmHash: HASH, txids: new Map() };
  const own = () => startEvmBlock(started(), site).finish();
  const end = (view: Overlay, claimed: Partial<EvmCommitment> = {}) =>
    finishEvmBlock(view, startEvmBlock(view, site), host, { ...FORM, blockHash: toHex(own().hash), ...claimed });

  test('compares hash and fees, and stores the block', () => {
    const view = started();
    end(view);
    assert.deepEqual([evmTip(view)?.number, evmBlockNumberAt(view, 101), evmBlockNumber(view, own().hash)], [1, 1, 1]);
    const wrong: readonly (readonly [Partial<EvmCommitment>, string])[] = [
      [{ blockHash: 'ab'.repeat(32) }, 'Incorrect EVM block hash in coinbase output'],
      [{ blockHash: toHex(own().hash).toUpperCase() }, 'Incorrect EVM block hash in coinbase output'],
      [{ burnt: 1n }, 'Incorrect EVM burnt fee in coinbase output'],
      [{ priority: 1n }, 'Incorrect EVM priority fee in coinbase output'],
    ];
    for (const [claimed, debug] of wrong) assert.throws(() => end(started(), claimed), { reason: '', debug });
  });

  test('adds fees to the statistics', () => {
    const view = started();
    end(view);
    const none = { total: 0n, min: 2n ** 63n - 1n, minHash: new Uint8Array(32), max: 0n };
    const { burnt } = evmFees(view);
    assert.deepEqual(
      { ...burnt, minHash: Uint8Array.from(burnt.minHash), maxHash: toHex(burnt.maxHash) },
      { ...none, maxHash: toHex(HASH) },
    );
    noteEvmFees(view, { burnt: 5n, priority: 3n }, HASH);
    noteEvmFees(view, { burnt: 4n, priority: 0n }, HASH);
    const { burnt: after, priority } = evmFees(view);
    assert.deepEqual([after.total, after.min, after.max, priority.total, priority.min, priority.max], [9n, 4n, 5n, 3n, 3n, 3n]);
  });

  test('rejects a block after which more has left the EVM than entered it', () => {
    const view = started();
    noteTransfer(view, 'dvm-evm', { tokenId: 0, amount: 500n });
    noteTransfer(view, 'evm-dvm', { tokenId: 0, amount: 501n });
    const debug = 'More DFI moved from DVM to EVM than in. DVM Out: 0.00000001 Fees: 0.00000000 Total: 0.00000001\n';
    assert.throws(() => end(view), { reason: '', debug });
    noteTransfer(view, 'dvm-evm', { tokenId: 0, amount: 1n });
    noteTransfer(view, 'evm-dvm', { tokenId: 3, amount: 100_000_000n });
    assert.throws(() => end(view), { reason: '', debug: 'More 3 moved from DVM to EVM than in. DVM Out: 1.00000000\n' });
    noteTransfer(view, 'dvm-evm', { tokenId: 3, amount: 100_000_000n });
    end(view);
  });

  test('transfer statistics count both directions and keep sums of 0', () => {
    const view = started();
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

describe('the start of an EVM block', () => {
  const site = { height: 101, params, time: 1_600_000_101, bits: 0x207fffff, beneficiary: minter, findPrecompile: () => undefined };

  test('takes gas limit and target from governance', () => {
    const view = started();
    const u64 = (value: bigint) => ({ kind: 'u64', value }) as const;
    assert.equal(startEvmBlock(view, site).finish().header.gasLimit, 30_000_000n);
    view.put(attributes, attributeAt('v0/evm/block/gas_limit'), u64(5_000_000n));
    assert.equal(startEvmBlock(view, site).finish().header.gasLimit, 5_000_000n);
  });

  test('deploys the tokens of before, by ascending id', () => {
    const view = new Overlay(new MemoryStore());
    createNativeToken(view);
    const native = getToken(view, 0) as Token;
    for (const [id, flags] of [
      [3, TokenFlag.dat],
      [1, TokenFlag.dat],
      [2, TokenFlag.dat | TokenFlag.poolShare],
      [128, 0],
    ] as const)
      view.put(tokens, id, { ...native, symbol: `T${id}`, flags });
    const deployed = startEvmBlock(view, site).entries.map(({ contract }) => contract);
    assert.deepEqual(deployed.slice(5), [tokenAddress(1), tokenAddress(3)]);
  });

  const names: readonly (readonly [string, Partial<Token>])[] = [
    ['more than 30 bytes', { name: 'x'.repeat(31) }],
    ['bytes that are not UTF-8', { name: '\xff' }],
    ['a symbol that is not UTF-8', { symbol: '\xc3' }],
  ];
  for (const [name, fields] of names) {
    test(`is impossible with a token of ${name}`, () => {
      const view = new Overlay(new MemoryStore());
      createNativeToken(view);
      view.put(tokens, 1, { ...(getToken(view, 0) as Token), flags: TokenFlag.dat, ...fields });
      const debug = 'DST20 token migration failed, invalid token name.';
      assert.throws(() => startEvmBlock(view, site), { reason: 'bad-evm-template', debug });
    });
  }
});
